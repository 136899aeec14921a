// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/model/plan.hpp"
#include "scheduler/ports/parallel.hpp"

namespace valle::scheduler {

enum class Effort { quick, normal, thorough };

/// What room is worth: grams that one more unit of a resource would save in an hour of each slot, at the margin; 0
/// where there is enough. The dual prices that prove the plan's bound.
struct SlotPrices {
  struct Row {
    std::string site;
    std::string resource;                     ///< empty: watts by which the site's planned power may rise
    std::vector<double> grams_per_unit_hour;  ///< one a slot
    friend bool operator==(const Row&, const Row&) = default;
  };
  Instant start{};
  Duration slot{3600};
  std::vector<Row> rows;  ///< of resources that some slot has too little of; by resource, then site
  friend bool operator==(const SlotPrices&, const SlotPrices&) = default;
};

/// Where a plan in force has a job.
struct Standing {
  std::size_t site = 0;
  std::size_t mode = 0;
  std::vector<Interval> segments;  ///< as in `Placement`
  friend bool operator==(const Standing&, const Standing&) = default;
};

/// The plan in force, from which a new one goes on.
struct Incumbent {
  std::vector<std::optional<Standing>> of_job;  ///< by job index; none: a new job, or one without a place
  SlotPrices prices = {};                       ///< of that plan; without rows they are made anew
  Ratio least_gain = Ratio::of_base(10'000);    ///< a job moves only if that saves this share of what it emits
  std::optional<Instant> now_until = {};        ///< to a start before this any gain is enough: waiting on may lose it
};

struct SolveOptions {
  Effort effort = Effort::normal;
  std::uint64_t seed = 1;
  const Incumbent* incumbent = nullptr;  ///< none: a plan from nothing
};

enum class MoveReason {
  cleaner,         ///< the job itself emits less
  makes_room,      ///< others emit less, or find a place, by it
  no_longer_fits,  ///< where it was it can't run any more: its window, capacity or site has changed
};
[[nodiscard]] std::string_view to_text(MoveReason reason);

/// A job that had a place in the plan in force and has another one now.
struct Move {
  std::size_t job;
  MoveReason reason;
  Emissions saved{};  ///< < 0: it emits more; by today's numbers
  friend bool operator==(const Move&, const Move&) = default;
};

/// Why the solver ended. Budgets are counted in moves and sweeps, so `converged` and `budget` repeat exactly.
enum class StoppedBy { converged, budget, stop_token };
[[nodiscard]] std::string_view to_text(StoppedBy stopped_by);

/// Why some jobs that would fit alone are left out, with a proof that some must be.
struct Overload {
  std::size_t left_out_at_least = 0;  ///< proven: no plan leaves out fewer jobs; 0: nothing is proven
  struct Full {
    std::string site;
    std::string resource;  ///< empty: watts by which the site's planned power may rise
    Interval interval;
    friend bool operator==(const Full&, const Full&) = default;
  };
  std::vector<Full> full;  ///< where more room would place more jobs
  struct Missing {
    std::string resource;
    double unit_hours;
    friend bool operator==(const Missing&, const Missing&) = default;
  };
  std::vector<Missing> missing;  ///< what the jobs left out would hold
  friend bool operator==(const Overload&, const Overload&) = default;
};

struct Solution {
  Plan plan;
  Emissions lower_bound{};  ///< proven: no plan that places the same jobs emits less
  StoppedBy stopped_by = StoppedBy::converged;
  SlotPrices prices = {};
  std::vector<Move> moves = {};           ///< against the incumbent, by job index
  std::optional<Overload> overload = {};  ///< where jobs contend; not looked for with an incumbent
  friend bool operator==(const Solution&, const Solution&) = default;
};

/// Plans all jobs together. `problem` must have passed `validate`. Deterministic: the same problem, options and seed
/// give the same plan for every `Parallel`. A requested stop ends with the best plan so far, which is complete and
/// within capacity. Never misses a deadline that plain earliest-start meets. Of starts that cost the same a job takes
/// the earliest that there is room for.
///
/// With an incumbent the search goes on from it, in a small part of the time: its jobs keep their places unless the
/// jobs that move save the least gain, or more jobs find a place by it, and new ones take places at the prices of
/// before.
[[nodiscard]] Solution solve(const Problem& problem, const SolveOptions& options, Parallel& parallel,
                             std::stop_token stop = {});

/// Plain earliest-start in order of submission (earliest start, then position) at the first allowed site with room,
/// home first; the yardstick that every plan must at least equal in jobs placed.
[[nodiscard]] Plan earliest_start_plan(const Problem& problem);

/// What other tools do: each job in order of submission takes the cheapest start that still has room.
[[nodiscard]] Plan greedy_plan(const Problem& problem);

}  // namespace valle::scheduler
