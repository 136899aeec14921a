// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "service/runtime/clock.hpp"

namespace valle::service::cli {

/// What the command line takes from the world: given by main, replaced in tests.
struct Surroundings {
  std::ostream& out;
  std::ostream& err;
  bool terminal = false;  ///< progress bars are shown
  const runtime::Clock& clock;
  std::map<std::string, std::string> environment;
};

/// The contract's exit codes.
enum class Exit { done = 0, answer_is_no = 1, wrong_input = 2, world_failed = 3 };

/// Runs `valle ARGUMENTS…` (without the program's name). Never throws; errors are one line on `err`.
[[nodiscard]] int run_cli(const std::vector<std::string>& arguments, const Surroundings& surroundings);

}  // namespace valle::service::cli
