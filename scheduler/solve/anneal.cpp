// SPDX-License-Identifier: Apache-2.0
#include "scheduler/solve/anneal.hpp"

#include <algorithm>

#include "scheduler/solve/annealer.hpp"

namespace valle::scheduler::solving {
namespace {

/// The slots of each part in one round: an arc of the horizon, which is taken as a ring.
class Arcs {
 public:
  Arcs(std::vector<std::int32_t> cuts, std::size_t slots) : cuts_{std::move(cuts)}, part_of_slot_(slots) {
    for (std::size_t t = 0; t < slots; ++t) {
      const auto passed = std::upper_bound(cuts_.begin(), cuts_.end(), static_cast<std::int32_t>(t)) - cuts_.begin();
      part_of_slot_[t] = (static_cast<std::size_t>(passed) + cuts_.size() - 1) % cuts_.size();
    }
  }
  [[nodiscard]] std::size_t part_of(std::size_t slot) const { return part_of_slot_[slot]; }
  /// Whether a cut lies inside a run.
  [[nodiscard]] bool cut(std::int32_t start, std::int32_t span) const {
    const auto next = std::upper_bound(cuts_.begin(), cuts_.end(), start);
    return next != cuts_.end() && *next < start + span;
  }

 private:
  std::vector<std::int32_t> cuts_;  // ascending, one a part
  std::vector<std::size_t> part_of_slot_;
};

/// Boards that share the tasks of one layout.
class Parts {
 public:
  Parts(const Layout& layout, const Prices& prices, const Climate& climate, const AnnealOptions& options)
      : layout_{layout},
        slots_{static_cast<std::int32_t>(layout.instance().slots)},
        options_{options},
        free_{layout.free()},
        seats_(layout.instance().tasks.size()),
        boards_(std::max<std::size_t>(1, options.parts), Board{layout}),
        cutting_{options.seed + 0x5eed} {
    annealers_.reserve(boards_.size());
    for (std::size_t p = 0; p < boards_.size(); ++p) {
      annealers_.emplace_back(boards_[p], layout, prices, climate, options.seed + p * 0x9e37);
    }
    for (const std::uint32_t t : layout.tasks()) {
      seats_[t] = layout.first_seat(t);
      const std::size_t choices = layout.candidates().of(t).size();
      if (choices > 1 || (choices == 1 && seats_[t].place < 0)) movable_.push_back(t);
    }
    std::stable_sort(movable_.begin(), movable_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return climate.room[a] < climate.room[b]; });
  }

  void run(Parallel& parallel, const std::stop_token& stop) {
    if (boards_.size() > 1) {
      const int rounds = std::max(1, options_.rounds);
      for (int round = 0; round < rounds && !stop.stop_requested(); ++round) run_round(round, rounds, parallel, stop);
    } else {
      for (const std::uint32_t t : layout_.tasks()) boards_[0].take_over(t, seats_[t]);
      annealers_[0].set_tasks(movable_);
      annealers_[0].run(options_, {.moves = options_.moves}, stop);
      for (const std::uint32_t t : layout_.tasks()) seats_[t] = boards_[0].hand_over(t);
    }
  }

  void write_back(State& state) const {
    for (const std::uint32_t t : layout_.tasks()) sit_down(state, t, seats_[t], layout_.candidates());
  }

 private:
  void run_round(int round, int rounds, Parallel& parallel, const std::stop_token& stop) {
    const Arcs arcs = cut();
    const std::vector<TaskList> shares = deal(arcs, static_cast<std::size_t>(round));
    const auto all = static_cast<std::int64_t>(std::max<std::size_t>(1, movable_.size()));
    const std::int64_t moves = options_.moves / rounds;
    parallel.for_each(boards_.size(), [&](std::size_t p) {
      fence(arcs, p);
      for (const std::uint32_t t : shares[p]) boards_[p].take_over(t, seats_[t]);
      annealers_[p].set_tasks(shares[p]);
      annealers_[p].run(options_,
                        {.from = static_cast<double>(round) / rounds,
                         .to = static_cast<double>(round + 1) / rounds,
                         .moves = moves * static_cast<std::int64_t>(shares[p].size()) / all},
                        stop);
    });
    for (std::size_t p = 0; p < boards_.size(); ++p) {
      for (const std::uint32_t t : shares[p]) seats_[t] = boards_[p].hand_over(t);
    }
    for (std::size_t i = 0; i < free_.size(); ++i)
      free_[i] = boards_[arcs.part_of(i % layout_.instance().slots)].free()[i];
  }

  /// Arcs in which equally many tasks start, from a random one on.
  Arcs cut() {
    std::vector<std::size_t> starting(layout_.instance().slots + 1, 0);
    std::size_t all = 0;
    for (const std::uint32_t t : movable_) {
      if (seats_[t].place < 0) continue;
      ++starting[static_cast<std::size_t>(seats_[t].place % slots_)];
      ++all;
    }
    const double first = cutting_.unit();
    std::vector<std::int32_t> cuts;
    std::size_t slot = 0, passed = 0;
    for (std::size_t p = 0; p < boards_.size(); ++p) {
      const double quantile = (static_cast<double>(p) + first) / static_cast<double>(boards_.size());
      while (slot < layout_.instance().slots && static_cast<double>(passed) < quantile * static_cast<double>(all)) {
        passed += starting[slot++];
      }
      cuts.push_back(static_cast<std::int32_t>(slot));
    }
    return {std::move(cuts), layout_.instance().slots};
  }

  /// Each task that runs within one arc goes to its part; one that a cut runs through stands still.
  [[nodiscard]] std::vector<TaskList> deal(const Arcs& arcs, std::size_t round) const {
    std::vector<TaskList> shares(boards_.size());
    for (const std::uint32_t t : movable_) {
      const Seat& seat = seats_[t];
      if (seat.place < 0) {
        shares[(t + round) % shares.size()].push_back(t);
      } else if (const std::int32_t start = seat.place % slots_; !arcs.cut(start, layout_.span(seat.shape))) {
        shares[arcs.part_of(static_cast<std::size_t>(start))].push_back(t);
      }
    }
    return shares;
  }

  /// Lets a part see what is free in its arc, and nothing outside.
  void fence(const Arcs& arcs, std::size_t part) {
    const std::size_t slots = layout_.instance().slots;
    std::vector<bool> open(slots);
    for (std::size_t t = 0; t < slots; ++t) open[t] = arcs.part_of(t) == part;
    std::vector<Count>& free = boards_[part].free();
    for (std::size_t i = 0; i < free.size(); ++i) free[i] = open[i % slots] ? free_[i] : 0;
    annealers_[part].fence(std::move(open));
  }

  const Layout& layout_;
  std::int32_t slots_;
  const AnnealOptions& options_;
  std::vector<Count> free_;  // between rounds
  std::vector<Seat> seats_;
  std::vector<Board> boards_;
  std::vector<Annealer> annealers_;
  TaskList movable_;  // tasks with a choice, by room
  Random cutting_;
};

}  // namespace

void anneal(State& state, const TaskList& tasks, const Prices& prices, const Candidates& candidates,
            const AnnealOptions& options, Parallel& parallel, const std::stop_token& stop) {
  const Climate climate{state.instance(), tasks, prices};
  const Layout layout{state, tasks, candidates};
  Parts parts{layout, prices, climate, options};
  parts.run(parallel, stop);
  parts.write_back(state);
}

}  // namespace valle::scheduler::solving
