// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "scheduler/solve/solve.hpp"

namespace CLI {
class App;
}

namespace valle::service::cli {

/// `--effort`, `--seed`, `--threads` of every command that plans.
struct SolverFlags {
  std::string effort = "normal";
  std::uint64_t seed = 1;
  std::size_t threads = 1;

  void add_to(CLI::App& command);
  [[nodiscard]] scheduler::SolveOptions options() const;
};

}  // namespace valle::service::cli
