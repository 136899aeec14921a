// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "scheduler/energy/sample.hpp"

namespace valle::scheduler {

/// Powers between neighbouring samples.
struct Rates {
  std::size_t count = 0;
  double least_watts = 0;
  double most_watts = 0;
  double last_watts = 0;
};

/// Of running totals. Pairs closer than `base_seconds` give no rate: over a few milliseconds it would be anything.
[[nodiscard]] Rates rates_of(std::span<const Sample> totals, double base_seconds);

/// How well the ends of a run are known.
struct ReadingErrors {
  double unseen_seconds = 0;  ///< g: without measurement, so carried by a rate
  double stamp_seconds = 0;   ///< σ: by which the ends' stamps may be wrong
  double mean_watts = 0;      ///< r: energy ÷ run time
  double limit_watts = 0;     ///< what the board or node can draw
  double floor_watts = 0;     ///< what it draws at least: a board's idle power, else 0
};

/// Half width that holds the truth for 95 % of runs: U = g · R + σ · P. With fewer than 20 rates their range says
/// little, so R = max(limit − r, r − floor) and P = limit; from 20 on R = 1.5 · (r_max − r_min), P = r_max.
[[nodiscard]] double uncertainty_joules(const Rates& rates, const ReadingErrors& errors);

}  // namespace valle::scheduler
