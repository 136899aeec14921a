// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "scheduler/solve/dual.hpp"
#include "scheduler/solve/state.hpp"

namespace valle::scheduler::solving {

struct MarketOptions {
  int sweeps = 120;
  std::uint64_t seed = 1;
  double first_step = 0.2;       ///< how strongly prices react at first
  double last_step = 0.003;      ///< the last reaction, as a share of the first
  double constant_share = 0.1;   ///< of the sweeps at the first step
  const Prices* warm = nullptr;  ///< prices to begin with
};

/// Clears the market for capacity: job after job takes its cheapest run at prices that rise where too much is asked for
/// (an augmented Lagrangian, block by block; after each sweep prices become the new base undamped while the reaction
/// falls geometrically). The tasks end in `state` near the optimum and nearly within capacity, a start plan. Returns
/// the best prices seen and the bound that they prove for `tasks` (penalties of tasks included). `state` holds the
/// tasks' first guess on entry, or nothing.
struct MarketResult {
  Prices prices;
  double bound;
};
[[nodiscard]] MarketResult clear_market(State& state, const TaskList& tasks, const MarketOptions& options,
                                        Parallel& parallel, const std::stop_token& stop);

}  // namespace valle::scheduler::solving
