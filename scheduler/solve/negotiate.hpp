// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "scheduler/solve/dual.hpp"
#include "scheduler/solve/state.hpp"

namespace valle::scheduler::solving {

struct NegotiateOptions {
  int sweeps = 100;
  std::uint64_t seed = 1;
  double first_fine = 0.03, last_fine = 0.6;    ///< of overload, in units of a resource's typical price
  double first_share = 1.0, last_share = 0.8;   ///< of the prices
  double first_noise = 0.03, last_noise = 0.0;  ///< share of a task's cost
  double memory = 0.03;  ///< by which the price of a cell rises after each sweep that leaves it overloaded
};

/// A start plan by negotiated congestion, as routers of integrated circuits do: sweep after sweep each task is taken up
/// and put where cost, prices and fines for the overload that it causes are least; fines grow, and cells that stay
/// overloaded become dearer. Ends nearly within capacity.
[[nodiscard]] State negotiated_start(const Instance& instance, const TaskList& tasks, const Prices& prices,
                                     const NegotiateOptions& options, const std::stop_token& stop);

}  // namespace valle::scheduler::solving
