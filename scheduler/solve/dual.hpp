// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "scheduler/ports/parallel.hpp"
#include "scheduler/solve/prices.hpp"
#include "scheduler/solve/starts.hpp"

namespace valle::scheduler::solving {

using TaskList = std::vector<std::uint32_t>;

/// Whether a task may stay out of the plan: at its penalty while searching, never in what is proven.
enum class LeavingOut { never, at_penalty };

/// The Lagrangian dual of planning `tasks` in the instance's capacity:
///   L(prices) = Σ tasks min over runs (cost + price of what the run holds) − Σ cells price · capacity.
/// For any prices ≥ 0 no plan that places all these tasks costs less (or, with penalties for those left out, no plan).
/// Runs are wider here than plans allow (members of a group choose their modes apart, pauses are free), which keeps the
/// bound valid. Borrows all that it is given.
class Dual {
 public:
  Dual(const Instance& instance, const TaskList& tasks, LeavingOut leaving_out, Parallel& parallel);

  /// L(prices). Afterwards `used` holds what the minimising runs hold in each cell.
  double evaluate(const Prices& prices);

  [[nodiscard]] const std::vector<std::int64_t>& used() const { return used_; }

 private:
  /// A fixed share of the tasks, so that sums do not depend on the number of threads.
  struct Part {
    std::size_t begin, end;             // of tasks_
    std::vector<std::int64_t> changes;  // [resource][site][slots + 1]: differences of what is held
    std::vector<double> value, total;   // one a start
    std::vector<std::pair<double, std::int32_t>> slot_costs;
    double sum = 0;
  };
  void sum_prices(const Prices& prices);
  double best_runs(Part& part);
  double best_of_task(const Task& task, Part& part);
  /// What to beat by a run: infinite unless the task may be left out.
  [[nodiscard]] double without_run(const Task& task) const;
  double best_of_single(const Task& task, Part& part);
  double best_of_group(const Task& task, Part& part);
  double best_with_pauses(const Task& task, Part& part);
  void put_way(const Member& member, const Way& way, std::uint32_t footprint, std::size_t site, StartRange starts,
               double* value) const;
  void hold(std::uint32_t footprint, std::size_t site, std::int32_t start, Part& part) const;
  [[nodiscard]] const double* sums_of(std::size_t resource, std::size_t site) const {
    return price_sums_.data() + (resource * instance_.sites + site) * (instance_.slots + 1);
  }

  const Instance& instance_;
  const TaskList& tasks_;
  LeavingOut leaving_out_;
  Parallel& parallel_;
  std::vector<double> price_sums_;  // [resource][site][slots + 1]
  std::vector<Part> parts_;
  std::vector<std::int64_t> used_;
};

/// A bound on whole milligrams from one on doubles: lowered by what rounding in either may have added.
[[nodiscard]] std::int64_t safe_floor(double bound, double magnitude, std::size_t roundings);

}  // namespace valle::scheduler::solving
