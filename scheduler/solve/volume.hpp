// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "scheduler/solve/dual.hpp"

namespace valle::scheduler::solving {

struct VolumeOptions {
  int iterations = 300;
  LeavingOut leaving_out = LeavingOut::never;
  double enough = 5e-6;  ///< ends when 120 iterations raise the bound by less than this share
};

struct BoundResult {
  Prices prices;
  double bound;
};

/// Raises a Lagrangian bound from given prices by the volume algorithm (Barahona & Anbil, 2000): steps along the
/// averaged violation of capacity, its length controlled by the gain of each step. `target` is the value aimed at,
/// above the bound of the first prices.
[[nodiscard]] BoundResult raise_bound(const Instance& instance, const TaskList& tasks, const Prices& first,
                                      double target, const VolumeOptions& options, Parallel& parallel,
                                      const std::stop_token& stop);

}  // namespace valle::scheduler::solving
