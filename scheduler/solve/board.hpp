// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scheduler/solve/candidates.hpp"
#include "scheduler/solve/random.hpp"

namespace valle::scheduler::solving {

/// An amount of one resource in consecutive slots of a run.
struct Hold {
  std::uint32_t cell;  ///< of [resource][site][slot], for a run at place 0
  std::int32_t offset;
  std::int32_t length;
  Count amount;
};

/// Where a task sits on a board.
struct Seat {
  std::int32_t place = -1;      ///< site · slots + start; -1: left out
  std::uint32_t shape = 0;      ///< what it holds there
  std::int32_t candidate = -1;  ///< its number; -1: where the state had it
  double cost = 0;              ///< objective without prices, or the penalty of being left out
};

/// A state laid out flat for millions of moves a second: what each run holds as a short list of ranges of cells, and
/// for each place who starts there. The state is written only by `write_back`.
class Board {
 public:
  /// With `tasks` to move; what others hold stays taken. Borrows `tasks` and `candidates`.
  Board(const State& state, const TaskList& tasks, const Candidates& candidates);

  [[nodiscard]] const Seat& seat(std::uint32_t task) const { return seats_[task]; }
  [[nodiscard]] Seat seat_of(const Candidate& candidate) const {
    return {static_cast<std::int32_t>(candidate.place), candidate.shape,
            static_cast<std::int32_t>(candidates_.number(candidate)), candidate.cost};
  }
  [[nodiscard]] bool sits_at(std::uint32_t task, const Candidate& candidate) const {
    return seats_[task].candidate == static_cast<std::int32_t>(candidates_.number(candidate));
  }
  [[nodiscard]] std::span<const Hold> holds(std::uint32_t shape) const {
    return {holds_.data() + shapes_[shape].first, shapes_[shape].count};
  }
  [[nodiscard]] const Count* free() const { return free_.data(); }

  /// Moves a task; to a seat without a place: leaves it out.
  void move(std::uint32_t task, const Seat& to);
  /// Adds what a seat holds to the free cells, or takes it from them, while the task stays in the lists.
  void shift(const Seat& seat, Count sign);

  /// A random task that holds the cell of this slot at this site, other than `except`; -1 if a few draws find none.
  /// Short looks back are likelier.
  [[nodiscard]] std::int64_t draw_holder(std::int32_t place, std::uint32_t except, Random& random) const;

  /// Moves the tasks of the state to where they sit.
  void write_back(State& state) const;

 private:
  struct Shape {
    std::uint32_t first;
    std::uint32_t count;
    std::int32_t span;  // slots from the start to the last one held
  };
  void add_shape(std::span<const Extent> extents);
  void sit_down(std::uint32_t task, const State& state);
  [[nodiscard]] bool holds_slot(std::uint32_t shape, std::int32_t since_start) const;

  const Instance& instance_;
  const TaskList& tasks_;
  const Candidates& candidates_;
  std::vector<Hold> holds_;
  std::vector<Shape> shapes_;  // footprints, then patterns of candidates, then those that the state had
  std::int32_t longest_ = 1;
  std::vector<Count> free_;
  std::vector<Seat> seats_;
  std::vector<std::uint32_t> position_;               // of each task in its list
  std::vector<std::vector<std::uint32_t>> starting_;  // [place]
};

}  // namespace valle::scheduler::solving
