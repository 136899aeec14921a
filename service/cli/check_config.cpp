// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "service/app/config_files.hpp"
#include "service/cli/command.hpp"
#include "service/runtime/config.hpp"

namespace valle::service::cli {

void add_check_config(CLI::App& app, Action& chosen) {
  auto file = std::make_shared<std::string>();
  auto* command = app.add_subcommand(
      "check-config",
      "check a configuration and print what is in force, with the origin of each value; secrets are never shown\n\n"
      "Files that it names and that are missing or unreadable are told with their place.");
  command->add_option("FILE", *file, "valle.yaml")->required();
  command->callback([&chosen, file] {
    chosen = [file](const Surroundings& surroundings) {
      const runtime::Config config = must(runtime::load_config(
          {.file = *file, .environment = {surroundings.environment.begin(), surroundings.environment.end()}}));
      surroundings.out << runtime::render_config(config);
      const auto unreadable = app::unreadable_files(config);
      for (const scheduler::Error& error : unreadable) {
        surroundings.err << "valle: " << *file << ": " << error.pointer << ": " << error.detail << '\n';
      }
      if (!unreadable.empty()) return Exit::wrong_input;
      return Exit::done;
    };
  });
}

}  // namespace valle::service::cli
