// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scheduler/solve/solve.hpp"

namespace valle::scheduler {

/// Why a job runs where it does.
struct PlacementReason {
  /// What the room that it holds is worth at the slots' prices: so much could others save in it.
  Emissions price{};
  struct Start {
    std::size_t site;
    Instant start;
    Emissions emissions;
    friend bool operator==(const Start&, const Start&) = default;
  };
  /// The cheapest other start that has room beside the jobs as they are planned.
  std::optional<Start> next_best = {};
  /// The start that it would have with the sites to itself, if that is cheaper: where there is no room for it.
  struct Blocked {
    Start wished;
    Instant slot;                   ///< the first of its slots that is full
    std::string resource;           ///< of which there is too little; empty: the site's power may not rise so fast
    std::vector<std::size_t> jobs;  ///< up to `k_most_named` that hold it there
    friend bool operator==(const Blocked&, const Blocked&) = default;
  };
  std::optional<Blocked> blocked = {};
  static constexpr std::size_t k_most_named = 5;
  friend bool operator==(const PlacementReason&, const PlacementReason&) = default;
};

/// One for each placement of the plan. A fixed job has none of it; runs in pieces have a price only, and a group speaks
/// as one: the emissions are those of all its jobs.
[[nodiscard]] std::vector<PlacementReason> explain(const Problem& problem, const Plan& plan, const SlotPrices& prices);

}  // namespace valle::scheduler
