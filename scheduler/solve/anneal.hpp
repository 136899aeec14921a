// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "scheduler/solve/board.hpp"
#include "scheduler/solve/prices.hpp"

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

/// What all tasks tell about the heat of single ones.
struct Climate {
  std::vector<double> unit;    ///< typical price of each resource
  std::vector<double> room;    ///< of each task: what it holds, at typical prices
  std::vector<double> weight;  ///< of each task: how much hotter it is than the mean
  double dearest = 1;          ///< the largest penalty of any task
  Climate(const Instance& instance, const TaskList& tasks, const Prices& prices);
};

/// Simulated annealing over candidate lists. Half of the moves relocate one task; the others are chains: a task goes to
/// a start that it likes, then up to `depth` tasks in the way move one after the other to their own best start. As in
/// Lin and Kernighan's search each prefix of a chain must stay acceptable, the overload that its last task causes
/// apart.
class Annealer {
 public:
  /// Borrows all; `tasks` are moved, others are not seen.
  Annealer(Board& board, const Instance& instance, const TaskList& tasks, const Prices& prices,
           const Candidates& candidates, const Climate& climate);

  void run(const AnnealOptions& options, const std::stop_token& stop);

 private:
  /// Where a task was, to be undone.
  struct Step {
    std::uint32_t task;
    Seat seat;
  };
  void set_fines(double fine, CapacityKind capacity);
  void set_window(double least_room, double most_room);
  std::uint32_t choose();
  const Candidate& draw(std::uint32_t task);
  double limit(std::uint32_t task, double temperature);

  bool relocate(double temperature);
  bool relocate_on_grid(std::uint32_t task, const Candidate& to, double most, double temperature);
  bool chain(double temperature, int depth);
  double move_to_candidate(std::uint32_t task, const Candidate& candidate, double freed);
  /// Extends the chain whose last task is `last`; whether it may stand so far. Sets `done` when nothing is overloaded.
  bool push_one_out(std::uint32_t first, std::uint32_t& last, double limit, double& delta, bool& done);
  /// The task's best seat but its own for less than `ceiling`, fines included; null if there is none. Lowers `ceiling`.
  const Candidate* best_seat(std::uint32_t task, double& ceiling);

  /// Fines that the task pays by being where it is, and that it would pay by coming to a place.
  [[nodiscard]] double relief(std::uint32_t task) const;
  [[nodiscard]] double burden(std::uint32_t shape, std::int32_t place) const;
  [[nodiscard]] std::int32_t most_overloaded(std::uint32_t task) const;

  Board& board_;
  const Instance& instance_;
  const Prices& prices_;
  const Candidates& candidates_;
  const Climate& climate_;
  Random random_{1};
  TaskList movable_;  // tasks with a choice, by room
  std::size_t window_begin_ = 0, window_end_ = 0;
  std::vector<double> fine_;  // of one granule too many in each cell
  std::vector<double> logs_;  // −ln of 4096 evenly spaced shares
  std::vector<Step> steps_;
};

/// Anneals the tasks of a state; the others stay where they are.
void anneal(State& state, const TaskList& tasks, const Prices& prices, const Candidates& candidates,
            const AnnealOptions& options, const std::stop_token& stop);

}  // namespace valle::scheduler::solving
