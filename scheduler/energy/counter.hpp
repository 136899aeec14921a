// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "scheduler/energy/sample.hpp"

namespace valle::scheduler {

enum class CounterKind {
  born_at_zero,  ///< starts with what it counts (a pod): the first value is energy already used
  device,        ///< has counted for long: only differences mean anything
};

struct CounterTerms {
  CounterKind kind = CounterKind::born_at_zero;
  double limit_watts = 1000;                ///< what the board or node can draw
  std::optional<double> range_joules = {};  ///< where the counter wraps, if it does (published for RAPL domains)
  double slack_seconds = 60;                ///< by which a value may be older than its stamp
};

/// A counter that began anew between two samples.
struct Restart {
  Sample before;
  Sample after;
  friend bool operator==(const Restart&, const Restart&) = default;
};

/// A counter, read.
struct CounterReading {
  Samples totals = {};  ///< joules used up to each sample that was kept; of a device counter the first is 0
  std::vector<Restart> restarts = {};
  std::size_t wraps = 0;
  std::size_t dropped = 0;  ///< samples that can't be readings
  std::vector<Gap> gaps = {};

  [[nodiscard]] double joules() const { return totals.empty() ? 0 : totals.back().value; }
};

/// No reading of a counter is above this, whatever it counts: a kilowatt for thirty years. DCGM's blanks and numbers
/// that ran below zero are.
inline constexpr double k_largest_total_joules = 1e12;

/// How much more than the limit a rise may be before the sample is no reading. Generous, for a limit may be set too
/// low, and a figure must not shrink by that.
inline constexpr double k_implausible = 4;

/// Energy of a counter whose samples, of one observer, are in joules: differences, and after a drop the new value. A
/// sample that is not finite, negative, or higher than the limit lets it be is dropped and its neighbours are joined.
/// With a range a drop is a wrap if the limit allows it, and a pair of samples between which the counter may have gone
/// round more than once is a gap.
[[nodiscard]] CounterReading read_counter(std::span<const Sample> samples, const CounterTerms& terms);

/// What the restarts lost, at the mean rate of the rest: max(0, r · (tᵢ − tᵢ₋₁) − vᵢ) each. 0 where no rate is known.
[[nodiscard]] double lost_at_restarts(const CounterReading& reading);

}  // namespace valle::scheduler
