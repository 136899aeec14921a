// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "scheduler/solve/prices.hpp"
#include "scheduler/solve/starts.hpp"

// Single placements within hard capacity: the step that every constructive method repeats.
namespace valle::scheduler::solving {

struct Fit {
  Spot spot;
  Pattern pattern;  ///< of interruptible tasks
  double key;       ///< what was minimised: cost and priced capacity, or the start
};

/// Prices to respect beside the cost itself.
struct Guide {
  const Prices* prices = nullptr;  ///< none: cost alone
  double share = 1;                ///< of the prices
};

/// The cheapest run of a task that is not placed, among all that have room. Ties: the earlier site, option and start.
[[nodiscard]] std::optional<Fit> cheapest_fit(const State& state, std::size_t task, const Guide& guide,
                                              StartScratch& scratch);

/// The earliest start that has room, without a pause; at home first, then at sites by number; options in order.
[[nodiscard]] std::optional<Fit> earliest_fit(const State& state, std::size_t task, StartScratch& scratch);

/// Whether there is room for the task anywhere, with pauses if it may.
[[nodiscard]] bool fits_alone(const State& empty, std::size_t task, StartScratch& scratch);

/// Whether a run of a task that is not placed has room.
[[nodiscard]] bool has_room(const State& state, std::size_t task, const Fit& fit);

/// How a placed task runs, to be placed again.
[[nodiscard]] Fit fit_in(const State& state, std::size_t task);

/// The objective of a task that runs so, whatever cost the fit has.
[[nodiscard]] double plain_cost(const Instance& instance, std::size_t task, const Fit& fit);

/// Places what was found.
void place(State& state, std::size_t task, const Fit& fit);

/// A run in pieces, with its true cost; `key` is what was minimised.
[[nodiscard]] Fit fit_of(const Instance& instance, const Task& task, const PiecesChoice& choice);

/// The pattern of an interruptible task that runs through.
[[nodiscard]] Pattern without_pause(const Instance& instance, const Task& task, const Option& option);

}  // namespace valle::scheduler::solving
