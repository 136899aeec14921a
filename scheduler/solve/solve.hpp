// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stop_token>
#include <string_view>

#include "scheduler/model/plan.hpp"
#include "scheduler/ports/parallel.hpp"

namespace valle::scheduler {

enum class Effort { quick, normal, thorough };

struct SolveOptions {
  Effort effort = Effort::normal;
  std::uint64_t seed = 1;
};

/// Why the solver ended. Budgets are counted in moves and sweeps, so `converged` and `budget` repeat exactly.
enum class StoppedBy { converged, budget, stop_token };
[[nodiscard]] std::string_view to_text(StoppedBy stopped_by);

struct Solution {
  Plan plan;
  Emissions lower_bound{};  ///< proven: no plan that places the same jobs emits less
  StoppedBy stopped_by = StoppedBy::converged;
  friend bool operator==(const Solution&, const Solution&) = default;
};

/// Plans all jobs together. `problem` must have passed `validate`. Deterministic: the same problem, options and seed
/// give the same plan for every `Parallel`. A requested stop ends with the best plan so far, which is complete and
/// within capacity. Never misses a deadline that plain earliest-start meets.
[[nodiscard]] Solution solve(const Problem& problem, const SolveOptions& options, Parallel& parallel,
                             std::stop_token stop = {});

/// Plain earliest-start in order of submission (earliest start, then position) at the first allowed site with room,
/// home first; the yardstick that every plan must at least equal in jobs placed.
[[nodiscard]] Plan earliest_start_plan(const Problem& problem);

/// What other tools do: each job in order of submission takes the cheapest start that still has room.
[[nodiscard]] Plan greedy_plan(const Problem& problem);

}  // namespace valle::scheduler
