// SPDX-License-Identifier: Apache-2.0
#include "service/runtime/version.hpp"

#include <CLI/CLI.hpp>
#include <ostream>

#include "service/cli/command.hpp"

namespace valle::service::cli {

void add_version(CLI::App& app, Action& chosen) {
  app.add_subcommand("version", "print the version")->callback([&chosen] {
    chosen = [](const Surroundings& surroundings) {
      surroundings.out << "valle " << runtime::version() << '\n';
      return Exit::done;
    };
  });
}

}  // namespace valle::service::cli
