// SPDX-License-Identifier: Apache-2.0
#include "service/cli/solver_flags.hpp"

#include <CLI/CLI.hpp>

namespace valle::service::cli {

using namespace scheduler;

void SolverFlags::add_to(CLI::App& command) {
  command.add_option("--effort", effort, "how long to search: quick, normal or thorough")
      ->check(CLI::IsMember({"quick", "normal", "thorough"}))
      ->capture_default_str();
  command.add_option("--seed", seed, "the same seed gives the same plan, whatever the number of threads")
      ->capture_default_str();
  command.add_option("--threads", threads, "threads that search")->check(CLI::Range(1, 64))->capture_default_str();
}

SolveOptions SolverFlags::options() const {
  const Effort chosen = effort == "quick" ? Effort::quick : effort == "thorough" ? Effort::thorough : Effort::normal;
  return {.effort = chosen, .seed = seed};
}

}  // namespace valle::service::cli
