// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
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
        price_{price},
        first_reach_{grid.reach(rule.first_run)},
        later_reach_{rule.later_run == rule.first_run ? first_reach_ : grid.reach(rule.later_run)},
        transfers_{layers, rule.duration} {
    find_moves(rule);
    lay_out_rows();
    fill_last_row();
    for (std::size_t point = grid_.cells(); point-- > 0;) fill_row(point);
  }

  /// The least cost of all schedules that begin at the point; at least `k_unreachable` if there is none.
  [[nodiscard]] Cost cost_from(std::size_t point) const {
    const Move start = start_at(point);
    Cost least = k_unreachable;
    for (const Transfer& transfer : start.transfers) least = std::min(least, cost_of(start, transfer, transfer.shift));
    return least;
  }

  /// A schedule of that least cost. Among equal ones it goes on rather than pause, and resumes early rather than late.
  [[nodiscard]] std::vector<Interval> trace(std::size_t point) const {
    std::vector<Interval> segments{{grid_.point(point), grid_.point(point)}};
    std::optional<State> state = after(start_at(point), {}, cost_from(point));
    require(state.has_value(), "the cost of a start has no explanation");
    segments.back().end = state->reached;
    while (!done(*state)) {
      const Cost cost =
          row(state->point, state->running)[bases_[state->layer] + static_cast<std::size_t>(state->index)];
      const auto next = after(state->running ? cell_at(state->point) : resume_at(state->point), *state, cost);
      if (!next) {
        state = State{.point = state->point + 1, .layer = state->layer, .index = state->index, .running = false};
        continue;
      }
      if (!state->running) segments.push_back({grid_.point(state->point), next->reached});
      segments.back().end = next->reached;
      state = next;
    }
    return segments;
  }

 private:
  /// A stretch on its place on the grid.
  struct Move {
    std::size_t begin;
    std::size_t end;
    std::span<const Transfer> transfers;  ///< empty: the stretch is not possible here
    Cost fixed_cost;
  };
  struct State {
    std::size_t point = 0;
    std::size_t layer = 0;
    std::int64_t index = 0;
    bool running = false;
    Instant reached{};  ///< where the segment at hand has come to
  };
  using Lists = std::vector<const TransferList*>;

  void find_moves(const WorkRule& rule) {
    starts_.resize(grid_.cells());
    cells_.resize(grid_.cells());
    resumes_.resize(grid_.cells());
    for (std::size_t point = 0; point < grid_.cells(); ++point) {
      if (!grid_.known(point)) continue;
      cells_[point] = transfers_.of(stretch(Stretch::Begin::cell, point, point + 1, 1, 0));
      if (first_reach_[point] != SegmentGrid::k_nowhere) {
        starts_[point] = transfers_.of(stretch(Stretch::Begin::start, point, first_reach_[point], rule.first_run, 0));
      }
      if (later_reach_[point] != SegmentGrid::k_nowhere) {
        resumes_[point] =
            transfers_.of(stretch(Stretch::Begin::resume, point, later_reach_[point], rule.later_run, rule.restart));
      }
    }
  }

  [[nodiscard]] Stretch stretch(Stretch::Begin begin, std::size_t from, std::size_t end, std::int64_t shortest,
                                std::int64_t restart) const {
    return {.begin = begin,
            .progress = grid_.between(from, end) - restart,
            .last_cell = grid_.length(end - 1),
            .least_cut = std::max<std::int64_t>(1, shortest - grid_.between(from, end - 1))};
  }

  [[nodiscard]] Move start_at(std::size_t point) const { return {point, first_reach_[point], all(starts_, point), 0}; }
  [[nodiscard]] Move cell_at(std::size_t point) const { return {point, point + 1, all(cells_, point), 0}; }
  [[nodiscard]] Move resume_at(std::size_t point) const {
    return {point, later_reach_[point], all(resumes_, point), price_.resume_weight * grid_.value(point)};
  }
  [[nodiscard]] static std::span<const Transfer> all(const Lists& lists, std::size_t point) {
    return lists[point] == nullptr ? std::span<const Transfer>{} : std::span<const Transfer>{*lists[point]};
  }

  /// Gives a place in each row to the layers that some start leads to.
  void lay_out_rows() {
    const std::vector<bool> reachable = transfers_.keep_reachable();
    bases_.resize(layers_.layers().size());
    for (std::size_t layer = 0; layer < bases_.size(); ++layer) {
      bases_[layer] = row_size_;
      if (reachable[layer]) row_size_ += layers_.layers()[layer].count;
    }
    // One piece of memory: two large ones are given back to the system, and fetched from it again, at each question.
    costs_ = std::make_unique_for_overwrite<Cost[]>(2 * (grid_.cells() + 1) * row_size_);
    for (std::size_t layer = 0; layer < bases_.size(); ++layer) {
      if (reachable[layer] && layers_.layers()[layer].offset == 0) finished_.push_back(bases_[layer]);
    }
  }

  /// The costs at a point: of all layers if paused, then of all layers if running.
  [[nodiscard]] Cost* row(std::size_t point, bool running) const {
    return costs_.get() + (2 * point + (running ? 1 : 0)) * row_size_;
  }

  /// The cost of taking a transfer of a move to index `index` of its layer, and of what follows.
  [[nodiscard]] Cost cost_of(const Move& move, const Transfer& transfer, std::int64_t index) const {
    return row(move.end, transfer.cut == 0)[bases_[transfer.to] + static_cast<std::size_t>(index)] +
           run_cost(move, transfer.cut);
  }

  /// The cost of running from a move's begin to its end, or to the cut in its last cell.
  [[nodiscard]] Cost run_cost(const Move& move, std::int64_t cut) const {
    const std::int64_t to_end =
        cut == 0 ? grid_.integral_to(move.end) : grid_.integral_to(move.end - 1) + cut * grid_.value(move.end - 1);
    return price_.integral_weight * (to_end - grid_.integral_to(move.begin)) + move.fixed_cost;
  }

  void fill_last_row() {
    Cost* const last = row(grid_.cells(), false);
    std::fill(last, last + 2 * row_size_, k_unreachable);
    for (const std::size_t nothing_left : finished_) last[nothing_left] = last[row_size_ + nothing_left] = 0;
  }

  void fill_row(std::size_t point) {
    // Whoever is paused may wait, and whoever runs may pause for at least one cell.
    const Cost* const next_paused = row(point + 1, false);
    std::copy(next_paused, next_paused + row_size_, row(point, false));
    std::copy(next_paused, next_paused + row_size_, row(point, true));
    relax(cell_at(point), row(point, true));
    relax(resume_at(point), row(point, false));
  }

  void relax(const Move& move, Cost* costs) const {
    for (const Transfer& transfer : move.transfers) {
      const auto here = static_cast<std::int64_t>(layers_.layers()[transfer.from].count);
      const auto there = static_cast<std::int64_t>(layers_.layers()[transfer.to].count);
      const std::int64_t first = std::max<std::int64_t>(0, -transfer.shift);
      const std::int64_t last = std::min(here, there - transfer.shift);
      const Cost* const from = row(move.end, transfer.cut == 0) + bases_[transfer.to] + first + transfer.shift;
      lower_to(costs + bases_[transfer.from] + first, from, run_cost(move, transfer.cut),
               static_cast<std::size_t>(last - first));
    }
  }

  [[nodiscard]] bool done(const State& state) const {
    return state.index == 0 && layers_.layers()[state.layer].offset == 0;
  }

  /// The state behind the first transfer of a move that explains the cost of a state; nothing if none does.
  [[nodiscard]] std::optional<State> after(const Move& move, const State& state, Cost cost) const {
    for (const Transfer& transfer : move.transfers) {
      const std::int64_t index = state.index + transfer.shift;
      const bool inside = index >= 0 && index < static_cast<std::int64_t>(layers_.layers()[transfer.to].count);
      if (transfer.from != state.layer || !inside || cost_of(move, transfer, index) != cost) continue;
      const Instant reached =
          transfer.cut == 0 ? grid_.point(move.end) : grid_.point(move.end - 1) + Duration{transfer.cut};
      return State{move.end, transfer.to, index, transfer.cut == 0, reached};
    }
    return std::nullopt;
  }

  const SegmentGrid& grid_;
  const AmountLayers& layers_;
  SegmentPrice<Cost> price_;
  std::vector<std::size_t> first_reach_;
  std::vector<std::size_t> later_reach_;
  Transfers transfers_;
  Lists starts_;  // by the point where they begin, as are the others; null where they are not possible
  Lists cells_;
  Lists resumes_;
  std::vector<std::size_t> bases_;     // of each layer in a row
  std::vector<std::size_t> finished_;  // where "nothing left" stands in a row
  std::size_t row_size_ = 0;
  std::unique_ptr<Cost[]> costs_;
};

}  // namespace valle::scheduler
