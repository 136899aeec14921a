// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "scheduler/energy/reading.hpp"

namespace valle::scheduler {

struct GaugeTerms {
  Span ran;
  double scrape_seconds = 15;  ///< T, where the samples themselves don't tell
  double limit_watts = 700;    ///< higher readings are none
  double idle_watts = 0;       ///< what the thing draws at least
};

/// Energy of a power gauge (dcgm: one second of fifteen) in watts: the time-weighted mean × the run's seconds. Gaps of
/// more than two intervals are not bridged. Nothing promised: a load in step with the scrapes is read up to 65 % wrong
/// at any length and no formula of the samples can see it, so the uncertainty is the whole range from idle to limit.
/// Nothing if no sample lies in the run.
[[nodiscard]] std::optional<Reading> read_mean_power(std::span<const Sample> watts, const GaugeTerms& terms);

/// Energy of a gauge whose value is the mean since the scrape before (Scaphandre), in watts: each value × the time
/// since the previous sample, the first × one interval, and the last value carried to the end. Never a trapezoid.
[[nodiscard]] std::optional<Reading> read_held_power(std::span<const Sample> watts, const GaugeTerms& terms);

}  // namespace valle::scheduler
