// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>
#include <thread>

#include "service/cli/command.hpp"
#include "service/runtime/config.hpp"
#include "service/runtime/log.hpp"
#include "service/runtime/memory.hpp"
#include "service/runtime/shutdown.hpp"
#include "service/service.hpp"

namespace valle::service::cli {

using namespace scheduler;

void add_serve(CLI::App& app, Action& chosen) {
  struct Flags {
    std::string config;
    std::string listen;
    std::string database;
    std::string test_clock;
    std::string log_level = "info";
  };
  auto flags = std::make_shared<Flags>();
  auto* command =
      app.add_subcommand("serve",
                         "run the service: fetch intensity, answer REST, plan jobs\n\n"
                         "  valle serve                          bundled sample, valle.db, http://127.0.0.1:8080\n"
                         "  valle serve --config valle.yaml      see valle check-config valle.yaml\n\n"
                         "Every setting is also a variable: VALLE_PLANNING_SLOT=15m is planning.slot. Ends cleanly on "
                         "SIGTERM and Ctrl-C.");
  command->add_option("--config", flags->config, "the configuration file");
  command->add_option("--listen", flags->listen, "address and port; port 0: any free one (default 127.0.0.1:8080)");
  command->add_option("--database", flags->database, "the SQLite file, made if it does not exist (default valle.db)");
  command->add_option("--test-clock", flags->test_clock,
                      "begin at this instant and stand still until POST /test/clock moves time on");
  command->add_option("--log-level", flags->log_level, "debug, info, warning, error or off")->capture_default_str();
  command->callback([&chosen, flags] {
    chosen = [flags](const Surroundings& surroundings) {
      auto level = runtime::log::parse_level(flags->log_level);
      if (!level) level.error().pointer = "--log-level";
      runtime::log::set_level(must(std::move(level)));
      runtime::ConfigSources sources;
      if (!flags->config.empty()) sources.file = flags->config;
      sources.environment = {surroundings.environment.begin(), surroundings.environment.end()};
      if (!flags->listen.empty()) sources.flags["listen"] = flags->listen;
      if (!flags->database.empty()) sources.flags["database"] = flags->database;
      ServiceOptions options{.config = must(runtime::load_config(sources))};
      options.environment = {surroundings.environment.begin(), surroundings.environment.end()};
      if (!flags->test_clock.empty()) options.test_clock = instant_flag("--test-clock", flags->test_clock);

      runtime::share_memory_pools();
      runtime::Shutdown shutdown;  // before any thread
      const auto service = must(Service::start(std::move(options)));
      surroundings.out << "valle serves on " << service->url() << std::endl;
      const int signal = shutdown.wait();
      runtime::log::info("stopping", {{"signal", signal}});
      service->stop();
      return Exit::done;
    };
  });
}

}  // namespace valle::service::cli
