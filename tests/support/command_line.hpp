// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "service/cli/cli.hpp"

namespace valle::tests {

struct Ran {
  int exit = 0;
  std::string out;
  std::string err;
};

/// Runs the command line at a fixed instant, by default 2027-06-01T00:00:00Z.
inline Ran run_valle(const std::vector<std::string>& arguments, std::map<std::string, std::string> environment = {},
                     const std::string& now = "2027-06-01T00:00:00Z") {
  const service::runtime::TestClock clock{*scheduler::parse_instant(now)};
  std::ostringstream out;
  std::ostringstream err;
  const int exit = service::cli::run_cli(
      arguments, {.out = out, .err = err, .terminal = false, .clock = clock, .environment = std::move(environment)});
  return {exit, out.str(), err.str()};
}

}  // namespace valle::tests
