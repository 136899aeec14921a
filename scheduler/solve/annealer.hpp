// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <utility>

#include "scheduler/solve/anneal.hpp"
#include "scheduler/solve/climate.hpp"

namespace valle::scheduler::solving {

/// A part of an anneal: `moves` moves, while its progress goes from one share of the whole to another.
struct Stretch {
  double from = 0, to = 1;
  std::int64_t moves = 0;
};

/// Simulated annealing over candidate lists. Half of the moves relocate one task; the others are chains: a task goes to
/// a start that it likes, then up to `depth` tasks in the way move one after the other to their own best start. As in
/// Lin and Kernighan's search each prefix of a chain must stay acceptable, the overload that its last task causes
/// apart.
class Annealer {
 public:
  /// Borrows all. Tasks that the board has not taken over are not seen.
  Annealer(Board& board, const Layout& layout, const Prices& prices, const Climate& climate, std::uint64_t seed);

  /// What to move from now on: tasks of the board with a choice, by room.
  void set_tasks(TaskList movable) { movable_ = std::move(movable); }
  /// Lets tasks into open slots only, from the next run on. Where a slot is not open the board must have nothing free.
  void fence(std::vector<bool> open) { open_ = std::move(open); }
  void run(const AnnealOptions& options, const Stretch& stretch, const std::stop_token& stop);

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
  Random random_;
  TaskList movable_;  // by room
  std::size_t window_begin_ = 0, window_end_ = 0;
  std::vector<double> fine_;  // of one granule too many in each cell
  std::vector<bool> open_;    // [slot]; empty: all
  std::vector<double> logs_;  // −ln of 4096 evenly spaced shares
  std::vector<Step> steps_;
};

}  // namespace valle::scheduler::solving
