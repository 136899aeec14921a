// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "scheduler/query/amount_layers.hpp"
#include "scheduler/query/kernels.hpp"
#include "scheduler/query/segment_grid.hpp"
#include "scheduler/query/transfers.hpp"
#include "scheduler/units/quantity.hpp"

namespace valle::scheduler {

/// What a schedule costs: integral_weight · ∫ + resume_weight · (the sum of the intensities of the resumed steps).
template <class Cost>
struct SegmentPrice {
  Cost integral_weight;
  Cost resume_weight;
};

/// Dynamic programming from the end of the grid to its begin. For each point and each amount of work left it holds the
/// least cost of what is still to come, once for a job that is paused there and once for one whose segment has reached
/// the point and may end there. `Cost` is std::int64_t or Wide; all costs together stay below `k_unreachable`.
template <class Cost>
class SegmentSearch {
 public:
  static constexpr Cost k_unreachable = Cost{1} << (sizeof(Cost) * 8 - 3);

  SegmentSearch(const SegmentGrid& grid, const AmountLayers& layers, const WorkRule& rule, SegmentPrice<Cost> price)
      : grid_{grid},
        layers_{layers},
        rule_{rule},
        price_{price},
        first_reach_{grid.reach(rule.first_run)},
        later_reach_{grid.reach(rule.later_run)},
        transfers_{layers},
        paused_{std::make_unique_for_overwrite<Cost[]>((grid.cells() + 1) * layers.row_size())},
        running_{std::make_unique_for_overwrite<Cost[]>((grid.cells() + 1) * layers.row_size())} {
    fill_last_row();
    for (std::size_t point = grid_.cells(); point-- > 0;) fill_row(point);
  }

  /// The least cost of all schedules that begin at the point; nothing if there is none.
  [[nodiscard]] std::optional<Cost> cost_from(std::size_t point) {
    Cost least = k_unreachable;
    const auto end = first_reach_[point];
    if (!end) return std::nullopt;
    for (const Transfer& transfer : transfers_.from_start(first_stretch(point, *end), rule_.duration)) {
      least = std::min(least, start_cost(transfer, point, *end));
    }
    return least < k_unreachable ? std::optional{least} : std::nullopt;
  }

  /// A schedule of that least cost. Among equal ones it goes on rather than pause, and resumes early rather than late.
  [[nodiscard]] std::vector<Interval> trace(std::size_t point) {
    const Cost least = cost_from(point).value();
    const std::size_t end = first_reach_[point].value();
    std::vector<Interval> segments{{grid_.point(point), grid_.point(point)}};
    for (const Transfer& transfer : transfers_.from_start(first_stretch(point, end), rule_.duration)) {
      if (start_cost(transfer, point, end) == least) {
        follow(segments, {.point = end, .layer = transfer.to, .index = transfer.shift, .running = true}, transfer);
        break;
      }
    }
    return segments;
  }

 private:
  struct State {
    std::size_t point;
    std::size_t layer;
    std::int64_t index;
    bool running;
  };

  [[nodiscard]] Cost* row(const std::unique_ptr<Cost[]>& table, std::size_t point, std::size_t layer) const {
    return table.get() + point * layers_.row_size() + layers_.layers()[layer].base;
  }

  [[nodiscard]] Stretch first_stretch(std::size_t point, std::size_t end) const {
    const std::int64_t before_last = grid_.between(point, end - 1);
    return {.progress = grid_.between(point, end),
            .last_cell = grid_.length(end - 1),
            .least_cut = std::max<std::int64_t>(1, rule_.first_run - before_last),
            .after_pause = false};
  }

  [[nodiscard]] Stretch later_stretch(std::size_t point, std::size_t end) const {
    const std::int64_t before_last = grid_.between(point, end - 1);
    return {.progress = grid_.between(point, end) - rule_.restart,
            .last_cell = grid_.length(end - 1),
            .least_cut = std::max<std::int64_t>(1, rule_.later_run - before_last),
            .after_pause = true};
  }

  [[nodiscard]] Stretch next_cell(std::size_t point) const {
    return {.progress = grid_.length(point), .last_cell = grid_.length(point), .least_cut = 1, .after_pause = false};
  }

  /// The cost of running from a point to the cut of a transfer, or to `end`.
  [[nodiscard]] Cost run_cost(std::size_t point, std::size_t end, std::int64_t cut) const {
    const std::int64_t integral =
        cut == 0 ? grid_.integral_to(end) - grid_.integral_to(point)
                 : grid_.integral_to(end - 1) - grid_.integral_to(point) + cut * grid_.value(end - 1);
    return price_.integral_weight * integral;
  }

  [[nodiscard]] Cost resume_cost(std::size_t point) const { return price_.resume_weight * grid_.value(point); }

  [[nodiscard]] Cost start_cost(const Transfer& transfer, std::size_t point, std::size_t end) const {
    const auto& table = transfer.cut == 0 ? running_ : paused_;
    if (transfer.shift < 0 || transfer.shift >= static_cast<std::int64_t>(layers_.layers()[transfer.to].count)) {
      return k_unreachable;
    }
    const Cost rest = row(table, end, transfer.to)[transfer.shift];
    return rest < k_unreachable ? rest + run_cost(point, end, transfer.cut) : k_unreachable;
  }

  void fill_last_row() {
    for (const auto& table : {std::cref(paused_), std::cref(running_)}) {
      Cost* const begin = row(table, grid_.cells(), 0);
      std::fill(begin, begin + layers_.row_size(), k_unreachable);
      for (const AmountLayer& layer : layers_.layers()) {
        if (layer.offset == 0) begin[layer.base] = 0;  // nothing left to do
      }
    }
  }

  void fill_row(std::size_t point) {
    // Whoever is paused may wait, and whoever runs may pause for at least one cell.
    const Cost* const next_paused = row(paused_, point + 1, 0);
    std::copy(next_paused, next_paused + layers_.row_size(), row(paused_, point, 0));
    std::copy(next_paused, next_paused + layers_.row_size(), row(running_, point, 0));
    if (!grid_.known(point)) return;
    for (const Transfer& transfer : transfers_.of(next_cell(point))) {
      relax(running_, point, point + 1, transfer, run_cost(point, point + 1, transfer.cut));
    }
    if (const auto end = later_reach_[point]) {
      for (const Transfer& transfer : transfers_.of(later_stretch(point, *end))) {
        relax(paused_, point, *end, transfer, run_cost(point, *end, transfer.cut) + resume_cost(point));
      }
    }
  }

  void relax(const std::unique_ptr<Cost[]>& table, std::size_t point, std::size_t end, const Transfer& transfer,
             Cost cost) {
    const auto here = static_cast<std::int64_t>(layers_.layers()[transfer.from].count);
    const auto there = static_cast<std::int64_t>(layers_.layers()[transfer.to].count);
    Cost* const to = row(table, point, transfer.from);
    const Cost* const from = row(transfer.cut == 0 ? running_ : paused_, end, transfer.to);
    const std::int64_t first = std::max<std::int64_t>(0, -transfer.shift);
    const std::int64_t last = std::min(here, there - transfer.shift);
    if (first < last) lower_to(to + first, from + first + transfer.shift, cost, static_cast<std::size_t>(last - first));
  }

  [[nodiscard]] bool done(const State& state) const {
    return state.index == 0 && layers_.layers()[state.layer].offset == 0;
  }

  /// Enters the state behind a transfer and walks on to the end, writing down segments.
  void follow(std::vector<Interval>& segments, State state, const Transfer& entered) {
    enter(segments, state, entered);
    while (!done(state)) {
      if (state.running ? go_on(segments, state) : resume(segments, state)) continue;
      ++state.point;
      state.running = false;
    }
  }

  void enter(std::vector<Interval>& segments, State& state, const Transfer& transfer) const {
    segments.back().end =
        transfer.cut == 0 ? grid_.point(state.point) : grid_.point(state.point - 1) + Duration{transfer.cut};
    state.running = transfer.cut == 0;
  }

  /// Takes the first transfer of a stretch that explains the cost of the state.
  std::optional<State> explained_by(const State& state, const Stretch& stretch, std::size_t end, Cost fixed_cost,
                                    const Transfer** taken) {
    const Cost cost = row(state.running ? running_ : paused_, state.point, state.layer)[state.index];
    for (const Transfer& transfer : transfers_.of(stretch)) {
      const std::int64_t index = state.index + transfer.shift;
      const bool inside = index >= 0 && index < static_cast<std::int64_t>(layers_.layers()[transfer.to].count);
      if (transfer.from != state.layer || !inside) continue;
      const Cost rest = row(transfer.cut == 0 ? running_ : paused_, end, transfer.to)[index];
      if (rest + run_cost(state.point, end, transfer.cut) + fixed_cost == cost) {
        *taken = &transfer;
        return State{.point = end, .layer = transfer.to, .index = index, .running = true};
      }
    }
    return std::nullopt;
  }

  bool go_on(std::vector<Interval>& segments, State& state) {
    if (!grid_.known(state.point)) return false;
    const Transfer* taken = nullptr;
    const auto next = explained_by(state, next_cell(state.point), state.point + 1, 0, &taken);
    if (!next) return false;
    state = *next;
    enter(segments, state, *taken);
    return true;
  }

  bool resume(std::vector<Interval>& segments, State& state) {
    const auto end = later_reach_[state.point];
    if (!end) return false;
    const Transfer* taken = nullptr;
    const auto next = explained_by(state, later_stretch(state.point, *end), *end, resume_cost(state.point), &taken);
    if (!next) return false;
    segments.push_back({grid_.point(state.point), grid_.point(state.point)});
    state = *next;
    enter(segments, state, *taken);
    return true;
  }

  const SegmentGrid& grid_;
  const AmountLayers& layers_;
  WorkRule rule_;
  SegmentPrice<Cost> price_;
  std::vector<std::optional<std::size_t>> first_reach_;
  std::vector<std::optional<std::size_t>> later_reach_;
  Transfers transfers_;
  std::unique_ptr<Cost[]> paused_;  // a row a point, in a row layer after layer
  std::unique_ptr<Cost[]> running_;
};

}  // namespace valle::scheduler
