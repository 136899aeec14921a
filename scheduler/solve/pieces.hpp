// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "scheduler/solve/state.hpp"

// Runs in pieces: the cheapest way to pause an interruptible task, by dynamic programming over slots.
namespace valle::scheduler::solving {

/// What running costs in each slot of a window that begins at `first`.
struct PieceCosts {
  std::int32_t first = 0;      ///< slot of the problem
  std::vector<double> energy;  ///< objective of running through the slot
  std::vector<double> room;    ///< price of what is held in the slot, however long the task runs in it
  std::vector<double> open;    ///< more for a piece that begins in the slot: the price of what starts hold
  std::vector<double> resume;  ///< objective of the restart energy in the slot
  std::vector<double> move;    ///< objective of moving the data there for a run that starts in the slot
  std::vector<bool> blocked;   ///< no room to run
  std::vector<bool> closed;    ///< no room to begin
  std::size_t whole = 0;       ///< slots that lie wholly in the window
  std::int64_t tail = 0;       ///< seconds of the window in the slot after these; the arrays hold it too if > 0
  [[nodiscard]] std::size_t size() const { return energy.size(); }
};

/// Fills in everything that does not depend on prices or room: energy, resumption and the window.
void put_piece_costs(const Instance& instance, const Task& task, const Way& way, std::size_t site, PieceCosts& costs);

/// Blocks slots in which the state has no room for the loads of `way`.
void block_full(const State& state, const Way& way, std::size_t site, PieceCosts& costs);

/// Adds `price(load)(cell)` of what a way holds.
template <class Price>
void price_room(const Instance& instance, const Way& way, std::size_t site, const Price& price, PieceCosts& costs) {
  const auto add = [&](const Loads& loads, std::vector<double>& sums) {
    for (const Load& load : instance.loads_of(loads)) {
      const std::size_t cell = instance.cell(load.resource, site, static_cast<std::size_t>(costs.first));
      const auto of_cell = price(load);
      for (std::size_t t = 0; t < costs.size(); ++t) sums[t] += of_cell(cell + t);
    }
  };
  add(way.held, costs.room);
  add(way.opening, costs.open);
}

struct PiecesFit {
  double value;
  std::int32_t start;
  std::vector<Piece> pieces;
};

/// Searches with tables of its own, one a thread. Of windows that need more than `k_most_states` for
/// their duration only the cleanest stretch is searched that does not.
class PieceSearch {
 public:
  static constexpr std::size_t k_most_states = 1'000'000;

  /// The cheapest run that pauses (or might have); nothing if there is none. A piece ends on a boundary, but for one;
  /// where a restart takes time, or pauses are limited, at most `k_counted_pauses` are tried.
  [[nodiscard]] std::optional<PiecesFit> cheapest(const Instance& instance, const Task& task, const Way& way,
                                                  const PieceCosts& costs);
  static constexpr int k_counted_pauses = 4;

 private:
  /// One table.
  struct Question {
    std::size_t full;                   // slots
    std::int64_t rest;                  // seconds of the one slot that is not run through; 0: none
    bool counted;                       // pauses are told apart, up to pause_layers_ - 1 of them
    bool exact;                         // it must be that many: with a restart time fewer would leave time over
    std::size_t first_run, later_run;   // shortest pieces, in full slots
    bool first_is_rest, later_is_rest;  // whether the rest may be a piece by itself
  };
  /// Pauses so far (0 if they are not counted), whether the rest has been run, full slots so far.
  struct Key {
    std::size_t pauses, rest_done, full;
  };

  void solve(const Question& question, const PieceCosts& costs);
  void from_paused(const Question& question, const PieceCosts& costs, std::size_t t, const Key& key);
  void from_running(const Question& question, const PieceCosts& costs, std::size_t t, const Key& key);
  [[nodiscard]] std::optional<PiecesFit> best_end(const Question& question, const PieceCosts& costs) const;
  [[nodiscard]] PiecesFit trace(const Question& question, const PieceCosts& costs, std::size_t t, Key key,
                                bool running) const;
  [[nodiscard]] std::size_t at(std::size_t t, const Key& key) const {
    return ((t * pause_layers_ + key.pauses) * 2 + key.rest_done) * (full_ + 1) + key.full;
  }
  /// What running through `length` slots from `t` on costs, or one slot for the rest; nothing where that can't be.
  [[nodiscard]] std::optional<double> run_cost(const PieceCosts& costs, std::size_t t, std::size_t length) const;
  [[nodiscard]] std::optional<double> rest_cost(const Question& question, const PieceCosts& costs, std::size_t t) const;

  /// How a state was reached best.
  enum class Step : std::uint8_t { none, fresh, wait, begin_first, begin_later, go_on, stop, finish_rest, rest_alone };
  struct Cell {
    double value;
    Step step;
  };
  static void reach(Cell& cell, double value, Step step);

  std::size_t pause_layers_ = 1, full_ = 0;
  std::int64_t slot_seconds_ = 3600;
  std::vector<Cell> paused_, running_;
  std::vector<double> through_;       // prefix sums of energy + room
  std::vector<std::size_t> blocked_;  // prefix counts
};

/// Buffers of one thread.
struct PieceScratch {
  PieceCosts costs;
  PieceSearch search;
};

struct PiecesChoice {
  std::size_t site;
  std::uint32_t option;
  PiecesFit fit;
};

/// The cheapest run in pieces over all sites and modes of an interruptible task, each load at `price(load)(cell)`;
/// inside the room that `within` has left, if given.
template <class Price>
std::optional<PiecesChoice> cheapest_pieces(const Instance& instance, const Task& task, const Price& price,
                                            const State* within, PieceScratch& scratch) {
  std::optional<PiecesChoice> best;
  for_each_site(task.sites, [&](std::size_t site) {
    for (std::uint32_t o = 0; o < task.options; ++o) {
      const Way& way = instance.ways[instance.ways_of(task, instance.options_of(task)[o])[0]];
      if (way.latest < task.first) continue;
      put_piece_costs(instance, task, way, site, scratch.costs);
      price_room(instance, way, site, price, scratch.costs);
      if (within != nullptr) block_full(*within, way, site, scratch.costs);
      auto fit = scratch.search.cheapest(instance, task, way, scratch.costs);
      if (fit && (!best || fit->value < best->fit.value)) best = PiecesChoice{site, o, *std::move(fit)};
    }
  });
  return best;
}

/// The pattern of these pieces, with what they hold.
[[nodiscard]] Pattern pattern_of(const Way& way, std::vector<Piece> pieces);

/// Objective of a pattern at a site and start, transfers and restarts included.
[[nodiscard]] double pattern_cost(const Instance& instance, const Task& task, const Way& way, const Pattern& pattern,
                                  std::size_t site, std::int32_t start);

}  // namespace valle::scheduler::solving
