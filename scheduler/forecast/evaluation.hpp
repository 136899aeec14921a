// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "scheduler/forecast/forecaster.hpp"

namespace valle::scheduler::forecast {

/// Errors of the hours [from, to) ahead.
struct HorizonError {
  Hour from = 0;
  Hour to = 0;
  double absolute = 0;  ///< mean |F − A|, g/kWh
  double percent = 0;   ///< mean |F − A| / A in %, A floored at 1 g/kWh
};

/// Shares of the clairvoyant saving in %, for jobs of `length` hours with `slack`.
struct JobShare {
  Hour length = 0;
  Hour slack = 0;
  double once = 0;       ///< decided once, at submission
  double replanned = 0;  ///< asked anew each hour: start as soon as now is the best remaining start
  /// A job that may pause at each hour, asked anew each hour: run while now is among the cleanest hours that it still
  /// needs. Against the cleanest hours that came, paused at will.
  double interruptible = 0;
};

struct MethodScore {
  std::string method;
  std::vector<HorizonError> errors;
  std::vector<JobShare> shares;
};

struct Evaluation {
  std::size_t issues = 0;
  std::vector<MethodScore> methods;  ///< own, untrained, profile-level, profile, lag-24, lag-168
  double inside_band_percent = 0;    ///< measured values between low and high of own forecasts; 80 is right
};

/// Scores own forecasts and those that need no training over issue times from `window.begin` on, one every three hours
/// as far as `window.end`; each uses what was known then (`Knowledge::replayed`). Jobs and hours that the data do not
/// reach are left out. `progress` hears the share that is done. A year of one zone takes some seconds.
[[nodiscard]] Evaluation evaluate(Forecaster& forecaster, Interval window,
                                  const std::function<void(double)>& progress = {});

}  // namespace valle::scheduler::forecast
