// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "scheduler/solve/dual.hpp"
#include "scheduler/solve/state.hpp"

namespace valle::scheduler::solving {

/// Of each task of an instance: the largest share that it takes of any resource's mean capacity at any of its sites.
[[nodiscard]] std::vector<double> shares_of_site(const Instance& instance);

struct TierOptions {
  std::vector<double> limits{0.25, 0.08, 0.025};  ///< of shares of a site, descending
  int sweeps = 60;                                ///< of the market for the tasks below
  std::int64_t moves_a_task = 2000;
  std::size_t keep = 64;  ///< candidates
  std::uint64_t seed = 1;
};

struct TieredStart {
  State state;
  double value;  ///< cost of the settled tasks and the bound of the others: what this choice can lead to
};

/// A start plan by size: tasks that are large against a site are settled first, at prices for the room that they take
/// from the smaller ones (which act as a fluid), and compete for capacity among themselves only; then the market clears
/// for the others on what is left. `market` is the market's answer for all tasks, the first guess.
[[nodiscard]] TieredStart tiered_start(const State& market, const TaskList& tasks, const Prices& prices,
                                       const TierOptions& options, const std::stop_token& stop);

}  // namespace valle::scheduler::solving
