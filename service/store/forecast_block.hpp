// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/units/time.hpp"

namespace valle::service::store {

/// One step of a forecast: of intensity in mg/kWh, of demand, wind or sun in mW.
struct ForecastStep {
  scheduler::Interval interval;
  std::int64_t value = 0;
  bool estimated = false;
  friend bool operator==(const ForecastStep&, const ForecastStep&) = default;
};

/// Packs steps, ascending, into bytes: about three a step on a regular grid. Equal steps give equal bytes.
///
/// The format: for each step a variable-length number (7 bits a byte, low bits first, the high bit says that more
/// follow) that holds, from the low bits up: 1 bit "off the grid", 1 bit "estimated", and the zigzag difference of the
/// value to the step before. A step on the grid begins where the one before ended and is as long; one off the grid is
/// followed by the zigzag difference of its begin to that end, and by its length. Before the first step: end 0, length
/// 0, value 0.
[[nodiscard]] std::string pack_forecast(const std::vector<ForecastStep>& steps);

/// Nothing if the bytes are damaged.
[[nodiscard]] std::optional<std::vector<ForecastStep>> unpack_forecast(std::string_view bytes);

}  // namespace valle::service::store
