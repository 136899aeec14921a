// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "scheduler/solve/candidates.hpp"
#include "scheduler/solve/prices.hpp"
#include "scheduler/solve/start_index.hpp"

namespace valle::scheduler::solving {

/// Whether a plan may ask for more than there is while it is searched.
enum class CapacityKind {
  soft,  ///< one granule too many costs its price and a growing fine
  hard,  ///< never more than before
};

struct AnnealOptions {
  std::int64_t moves = 100'000;
  std::uint64_t seed = 1;
  CapacityKind capacity = CapacityKind::soft;
  double first_temperature = 0, last_temperature = 0;  ///< in the objective's unit; 0: only improvements
  double first_fine = 1, last_fine = 1;                ///< of overload, in units of a resource's typical price
  double single_share = 0.5;                           ///< of moves that relocate one task; the others are chains
  int depth = 8;                                       ///< of chains
};

/// Simulated annealing over candidate lists. Half of the moves relocate one task; the others are chains: a task goes to
/// a start that it likes, then up to `depth` tasks in the way move one after the other to their own best start. As in
/// Lin and Kernighan's search each prefix of a chain must stay acceptable, the overload that its last task causes
/// apart.
class Annealer {
 public:
  /// Borrows all; `tasks` are moved, others stay.
  Annealer(State& state, const TaskList& tasks, const Prices& prices, const Candidates& candidates);

  void run(const AnnealOptions& options, const std::stop_token& stop);

 private:
  /// Where a task was, to be undone.
  struct Step {
    std::uint32_t task;
    Spot spot;
    Pattern pattern;  // of interruptible tasks
  };
  void measure_room();
  void set_fines(double fine, CapacityKind capacity);
  void set_window(double least_room, double most_room);
  std::uint32_t choose();
  const Candidate& draw(std::uint32_t task);
  double limit(std::uint32_t task, double temperature);

  bool relocate(double temperature);
  bool chain(double temperature, int depth);
  /// Extends the chain whose last task is `last`; whether it may stand so far. Sets `done` when nothing is overloaded.
  bool push_one_out(std::uint32_t first, std::uint32_t& last, double limit, double& delta, bool& done);

  [[nodiscard]] Spot spot_of(const Candidate& candidate) const;
  [[nodiscard]] std::span<const Extent> extents_of(std::uint32_t task, const Candidate& candidate) const;
  [[nodiscard]] bool is_there(std::uint32_t task, const Candidate& candidate) const;
  [[nodiscard]] double cost_now(std::uint32_t task) const;
  [[nodiscard]] Step remember(std::uint32_t task) const;
  void take_out(std::uint32_t task);
  void put(std::uint32_t task, const Candidate& candidate);
  void put_back(const Step& step);
  bool relocate_on_grid(std::uint32_t task, const Candidate& to, double most, double temperature);
  double move_to_candidate(std::uint32_t task, const Candidate& candidate, double relief);

  /// Fines that the task pays by being where it is, and that it would pay by coming to a place.
  [[nodiscard]] double relief(std::uint32_t task) const;
  [[nodiscard]] double burden(std::span<const Extent> extents, std::size_t place) const;
  [[nodiscard]] double relief_in(const Extent& extent, std::size_t cell, std::int32_t slots) const;
  [[nodiscard]] double burden_in(const Extent& extent, std::size_t cell, std::int32_t slots) const;
  [[nodiscard]] std::int32_t most_overloaded_slot(std::uint32_t task) const;

  State& state_;
  const Instance& instance_;
  const Prices& prices_;
  const Candidates& candidates_;
  Random random_{1};
  StartIndex index_;
  TaskList movable_;            // tasks with a choice, by room
  std::vector<double> room_;    // of each task: price-weighted
  std::vector<double> weight_;  // of each task: how much hotter it is than the mean
  std::size_t window_begin_ = 0, window_end_ = 0;
  std::vector<double> unit_;  // typical price of each resource
  std::vector<double> fine_;  // of one granule too many in each cell
  std::vector<double> logs_;  // −ln of 4096 evenly spaced shares
  std::vector<Step> steps_;
};

}  // namespace valle::scheduler::solving
