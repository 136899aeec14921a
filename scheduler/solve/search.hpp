// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "scheduler/ports/parallel.hpp"
#include "scheduler/solve/dual.hpp"
#include "scheduler/solve/ledger.hpp"
#include "scheduler/solve/outcome.hpp"
#include "scheduler/solve/solve.hpp"

namespace valle::scheduler::solving {

/// Everything that one search borrows.
struct SearchContext {
  const Problem& problem;
  const Ledger& ledger;
  const Instance& instance;
  const TaskList& tasks;  ///< that fit somewhere alone; the others stay out
  const SolveOptions& options;
  Parallel& parallel;
  const std::stop_token& stop;
  const State* safe = nullptr;  ///< what to fall back on: places all tasks; nothing: plain earliest start
  bool gives_up = false;        ///< ends after the race where it leaves many out: others will look for their number
};

struct SearchResult {
  State state;       ///< within capacity
  Prices prices;     ///< of the whole set of tasks
  double bound = 0;  ///< that they prove, each task left out at its penalty
  std::vector<bool> forced =
      {};  ///< tasks that could not stay where an incumbent had them; empty: of a plan from nothing
};

/// Prices and a bound → a race of start plans by a short anneal each → a long anneal of the best with soft, then hard
/// capacity → the better of that and the safe start, from which it searches on if it places more. All budgets are
/// counted in sweeps and moves; starts are made side by side and compared in a fixed order, so the plan does not depend
/// on the number of threads.
[[nodiscard]] SearchResult search(const SearchContext& context);

}  // namespace valle::scheduler::solving
