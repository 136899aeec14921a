// SPDX-License-Identifier: Apache-2.0
#include "scheduler/solve/board.hpp"

#include <algorithm>

namespace valle::scheduler::solving {

// --- Layout ---------------------------------------------------------------------------------------------------------

Layout::Layout(const State& state, const TaskList& tasks, const Candidates& candidates)
    : instance_{state.instance()},
      tasks_{tasks},
      candidates_{candidates},
      free_{state.residual()},
      seats_(instance_.tasks.size()) {
  shapes_.reserve(instance_.footprints.size() + candidates.patterns().size());
  for (std::uint32_t f = 0; f < instance_.footprints.size(); ++f) add_shape(instance_.extents_of(f));
  for (const Pattern& pattern : candidates.patterns()) add_shape(pattern.extents);
  for (const std::uint32_t t : tasks) seats_[t] = seat_in(state, t);
}

void Layout::add_shape(std::span<const Extent> extents) {
  Shape shape{static_cast<std::uint32_t>(holds_.size()), 0, 0};
  for (const Extent& extent : extents) {
    for (const Load& load : instance_.loads_of(extent)) {
      const auto cell = load.resource * instance_.cells() + static_cast<std::size_t>(extent.offset);
      holds_.push_back({static_cast<std::uint32_t>(cell), extent.offset, extent.length, load.amount});
      ++shape.count;
      shape.span = std::max(shape.span, extent.offset + extent.length);
    }
  }
  longest_ = std::max(longest_, shape.span);
  shapes_.push_back(shape);
}

Seat Layout::seat_in(const State& state, std::uint32_t task) {
  const Spot& spot = state.spot(task);
  const Task& what = instance_.tasks[task];
  if (!spot.placed()) return {.cost = what.penalty};
  const auto place = static_cast<std::int32_t>(static_cast<std::size_t>(spot.site) * instance_.slots) + spot.start;
  for (const Candidate& candidate : candidates_.of(task)) {
    if (static_cast<std::int32_t>(candidate.place) != place || candidate.option != spot.option) continue;
    if (candidate.pattern < 0 || candidates_.pattern(candidate).pieces == state.pattern(task).pieces) {
      return {place, candidate.shape, static_cast<std::int32_t>(candidates_.number(candidate)), candidate.cost};
    }
  }
  Seat seat{place, instance_.options_of(what)[spot.option].footprint, -1, spot.cost};
  if (what.interruptible >= 0) {
    seat.shape = static_cast<std::uint32_t>(shapes_.size());
    add_shape(state.pattern(task).extents);
  }
  return seat;
}

bool Layout::holds_slot(std::uint32_t shape, std::int32_t since_start) const {
  if (since_start >= shapes_[shape].span) return false;
  const std::span<const Hold> all = holds(shape);
  return std::any_of(all.begin(), all.end(), [&](const Hold& hold) {
    return hold.offset <= since_start && since_start < hold.offset + hold.length;
  });
}

// --- Board ----------------------------------------------------------------------------------------------------------

Board::Board(const Layout& layout)
    : layout_{&layout},
      free_{layout.free()},
      seats_(layout.instance().tasks.size()),
      position_(layout.instance().tasks.size(), 0),
      starting_(layout.instance().cells()) {}

void Board::take_over(std::uint32_t task, const Seat& seat) {
  seats_[task] = seat;
  enter(task);
}

Seat Board::hand_over(std::uint32_t task) {
  leave(task);
  return seats_[task];
}

void Board::enter(std::uint32_t task) {
  if (seats_[task].place < 0) return;
  std::vector<std::uint32_t>& list = starting_[static_cast<std::size_t>(seats_[task].place)];
  position_[task] = static_cast<std::uint32_t>(list.size());
  list.push_back(task);
}

void Board::leave(std::uint32_t task) {
  if (seats_[task].place < 0) return;
  std::vector<std::uint32_t>& list = starting_[static_cast<std::size_t>(seats_[task].place)];
  list[position_[task]] = list.back();
  position_[list.back()] = position_[task];
  list.pop_back();
}

void Board::move(std::uint32_t task, const Seat& to) {
  if (seats_[task].place >= 0) {
    leave(task);
    shift(seats_[task], 1);
  }
  seats_[task] = to;
  if (to.place < 0) return;
  enter(task);
  shift(to, -1);
}

void Board::shift(const Seat& seat, Count sign) {
  for (const Hold& hold : holds(seat.shape)) {
    Count* cell = free_.data() + hold.cell + seat.place;
    const Count amount = sign * hold.amount;
    for (std::int32_t t = 0; t < hold.length; ++t) cell[t] += amount;
  }
}

std::int64_t Board::draw_holder(std::int32_t place, std::uint32_t except, Random& random) const {
  const auto slots = static_cast<std::int32_t>(layout_->instance().slots);
  const std::int32_t row = place - place % slots;
  for (int draw = 0; draw < 24; ++draw) {
    const auto back = static_cast<std::int32_t>(
        static_cast<double>(random.below(static_cast<std::size_t>(layout_->longest()))) * random.unit());
    if (place - back < row) continue;
    const std::vector<std::uint32_t>& list = starting_[static_cast<std::size_t>(place - back)];
    if (list.empty()) continue;
    const std::uint32_t task = list[random.below(list.size())];
    if (task != except && layout_->holds_slot(seats_[task].shape, back)) return task;
  }
  return -1;
}

void sit_down(State& state, std::uint32_t task, const Seat& seat, const Candidates& candidates) {
  if (seat.place < 0) {
    state.remove(task);
    return;
  }
  if (seat.candidate < 0) return;  // it never left
  const Candidate& candidate = candidates[static_cast<std::size_t>(seat.candidate)];
  const auto slots = static_cast<std::uint32_t>(state.instance().slots);
  const Spot spot{static_cast<std::int32_t>(candidate.place / slots),
                  static_cast<std::int32_t>(candidate.place % slots), candidate.option, candidate.cost};
  if (candidate.pattern < 0 && spot == state.spot(task)) return;
  state.remove(task);
  state.place(task, spot, candidate.pattern >= 0 ? &candidates.pattern(candidate) : nullptr);
}

}  // namespace valle::scheduler::solving
