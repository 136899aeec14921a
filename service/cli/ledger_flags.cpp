// SPDX-License-Identifier: Apache-2.0
#include "service/cli/ledger_flags.hpp"

#include <CLI/CLI.hpp>

namespace valle::service::cli {

void LedgerFlags::add_to(CLI::App& command) {
  command.add_option("--database", database, "the SQLite file (default: the configured one, valle.db)");
  command.add_option("--config", config, "valle.yaml: sites, time zone, owner, factors");
}

runtime::Config ledger_config(const LedgerFlags& flags, const Surroundings& surroundings) {
  runtime::ConfigSources sources;
  if (!flags.config.empty()) sources.file = flags.config;
  sources.environment = {surroundings.environment.begin(), surroundings.environment.end()};
  if (!flags.database.empty()) sources.flags["database"] = flags.database;
  return must(runtime::load_config(sources));
}

}  // namespace valle::service::cli
