// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/model/zone.hpp"
#include "scheduler/units/time.hpp"
#include "scheduler/units/units.hpp"

namespace valle::scheduler {

/// Measured rows describe hours that have ended; they may be estimated by the provider, and are revised.
/// Forecast rows are kept by the instant at which they were issued.
enum class ReadingKind { measured, forecast };
[[nodiscard]] std::string_view to_text(ReadingKind kind);

/// One value of grid carbon intensity as a provider gave it, after the door's checks.
struct IntensityReading {
  SeriesIdentity identity;
  Interval interval;
  CarbonIntensity value;
  ReadingKind kind = ReadingKind::measured;
  bool estimated = false;              ///< the provider itself marks it as estimated
  std::string estimation_method = {};  ///< the provider's word, kept as it is; empty if none
  /// measured: the provider's last revision of this row; forecast: the instant of issue. Missing: when it was read.
  Instant updated_at{};
  friend bool operator==(const IntensityReading&, const IntensityReading&) = default;
};

/// A day-ahead price. May be zero or negative.
struct PriceReading {
  Zone zone;
  Interval interval;
  EnergyPrice value;
  Instant updated_at{};
  friend bool operator==(const PriceReading&, const PriceReading&) = default;
};

/// A forecast of demand, wind or sun of one zone, used as an input of forecasting.
enum class GridQuantity { demand, wind, solar };
[[nodiscard]] std::string_view to_text(GridQuantity quantity);
struct GridForecastReading {
  Zone zone;
  GridQuantity quantity;
  Interval interval;
  Power value;  ///< mean over the interval
  Instant updated_at{};
  friend bool operator==(const GridForecastReading&, const GridForecastReading&) = default;
};

/// Why a row was not taken. Missing, zero, implausible, wrong, incomplete and stale stay apart.
enum class RejectionReason {
  missing,       ///< null or absent value
  zero,          ///< a value of exactly zero: an outage, not a clean hour
  implausible,   ///< negative, not finite or outside the zone's range
  not_a_number,  ///< a text, a boolean or an object in the place of the number
  wrong_zone,    ///< the answer speaks of another zone
  sandbox,       ///< random numbers of a provider's sandbox
  bad_time,      ///< unreadable or contradictory instant
  incomplete,    ///< a technology that carried the mix is missing in this hour
  unknown_unit,
  wrong_identity,  ///< a scope, basis or method that valle does not know
  stale,           ///< a forecast that the measured rows beside it have long contradicted
};
[[nodiscard]] std::string_view to_text(RejectionReason reason);

struct Rejection {
  std::optional<Instant> start;  ///< missing if the row's time itself is unreadable
  RejectionReason reason;
  std::string detail;
  friend bool operator==(const Rejection&, const Rejection&) = default;
};

/// What one provider answer yielded. Rows are ascending and do not repeat a start within one (identity, kind).
struct Harvest {
  std::vector<IntensityReading> intensity = {};
  std::vector<PriceReading> prices = {};
  std::vector<GridForecastReading> grid_forecasts = {};
  std::vector<Rejection> rejected = {};
  std::size_t duplicates = 0;  ///< rows dropped because an equal one was there
};

}  // namespace valle::scheduler
