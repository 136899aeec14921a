// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "service/cli/command.hpp"
#include "service/runtime/config.hpp"

namespace valle::service::cli {

/// Where a command about the ledger finds it, and the configuration that it is read by.
struct LedgerFlags {
  std::string database;  ///< empty: the configured one
  std::string config;    ///< empty: none

  void add_to(CLI::App& command);
};

/// The configuration with the database that the flags name. Ends the command if it is not valid.
[[nodiscard]] runtime::Config ledger_config(const LedgerFlags& flags, const Surroundings& surroundings);

}  // namespace valle::service::cli
