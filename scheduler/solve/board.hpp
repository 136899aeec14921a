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

/// A state laid out flat: what each run holds as a short list of ranges of cells, and where each task sits. Does not
/// change while tasks are moved, so several boards may share it.
class Layout {
 public:
  /// Of `tasks`, to be moved to `candidates`. Borrows both.
  Layout(const State& state, const TaskList& tasks, const Candidates& candidates);

  [[nodiscard]] const Instance& instance() const { return instance_; }
  [[nodiscard]] const Candidates& candidates() const { return candidates_; }
  [[nodiscard]] const TaskList& tasks() const { return tasks_; }
  /// What the state leaves free in [resource][site][slot].
  [[nodiscard]] const std::vector<Count>& free() const { return free_; }
  /// Where a task sits in the state.
  [[nodiscard]] const Seat& first_seat(std::uint32_t task) const { return seats_[task]; }
  [[nodiscard]] std::span<const Hold> holds(std::uint32_t shape) const {
    return {holds_.data() + shapes_[shape].first, shapes_[shape].count};
  }
  [[nodiscard]] std::int32_t span(std::uint32_t shape) const { return shapes_[shape].span; }
  [[nodiscard]] bool holds_slot(std::uint32_t shape, std::int32_t since_start) const;
  [[nodiscard]] std::int32_t longest() const { return longest_; }  ///< slots from a start to the last one held

 private:
  struct Shape {
    std::uint32_t first;
    std::uint32_t count;
    std::int32_t span;  // slots from the start to the last one held
  };
  void add_shape(std::span<const Extent> extents);
  [[nodiscard]] Seat seat_in(const State& state, std::uint32_t task);

  const Instance& instance_;
  const TaskList& tasks_;
  const Candidates& candidates_;
  std::vector<Hold> holds_;
  std::vector<Shape> shapes_;  // footprints, then patterns of candidates, then those that the state had
  std::int32_t longest_ = 1;
  std::vector<Count> free_;
  std::vector<Seat> seats_;
};

/// Tasks of a layout in their seats, for millions of moves a second: for each place who starts there, and what is left
/// free. A task that the board has not taken over stays where it is and is not seen.
class Board {
 public:
  explicit Board(const Layout& layout);

  /// Adds a task to those that may be moved here, where it sits already; what it holds is not free before and after.
  void take_over(std::uint32_t task, const Seat& seat);
  /// Leaves a task to another board.
  Seat hand_over(std::uint32_t task);

  [[nodiscard]] const Seat& seat(std::uint32_t task) const { return seats_[task]; }
  [[nodiscard]] Seat seat_of(const Candidate& candidate) const {
    return {static_cast<std::int32_t>(candidate.place), candidate.shape,
            static_cast<std::int32_t>(layout_->candidates().number(candidate)), candidate.cost};
  }
  [[nodiscard]] bool sits_at(std::uint32_t task, const Candidate& candidate) const {
    return seats_[task].candidate == static_cast<std::int32_t>(layout_->candidates().number(candidate));
  }
  [[nodiscard]] std::span<const Hold> holds(std::uint32_t shape) const { return layout_->holds(shape); }
  [[nodiscard]] std::vector<Count>& free() { return free_; }
  [[nodiscard]] const std::vector<Count>& free() const { return free_; }

  /// Moves a task; to a seat without a place: leaves it out.
  void move(std::uint32_t task, const Seat& to);
  /// Adds what a seat holds to the free cells, or takes it from them, while the task stays in the lists.
  void shift(const Seat& seat, Count sign);

  /// A random task of this board that holds the cell of this slot at this site, other than `except`; -1 if a few draws
  /// find none. Short looks back are likelier.
  [[nodiscard]] std::int64_t draw_holder(std::int32_t place, std::uint32_t except, Random& random) const;

 private:
  void enter(std::uint32_t task);
  void leave(std::uint32_t task);

  const Layout* layout_;
  std::vector<Count> free_;
  std::vector<Seat> seats_;
  std::vector<std::uint32_t> position_;               // of each task in its list
  std::vector<std::vector<std::uint32_t>> starting_;  // [place]
};

/// Moves a task of the state to a seat of its layout.
void sit_down(State& state, std::uint32_t task, const Seat& seat, const Candidates& candidates);

}  // namespace valle::scheduler::solving
