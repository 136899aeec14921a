// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/forecast/band.hpp"
#include "scheduler/forecast/shape_model.hpp"
#include "scheduler/forecast/timeline.hpp"
#include "scheduler/model/error.hpp"

namespace valle::scheduler::forecast {

/// How much a forecast rests on. `good`: the trained model, which beat the untrained forecast on its own recent past.
/// `fair`: the untrained forecast from at least a week of values. `poor`: less than a week, values that never move, or
/// the newest older than a day; the band is wide.
enum class ForecastGrade { good, fair, poor };
[[nodiscard]] std::string_view to_text(ForecastGrade grade);

/// One hour in g/kWh: the mean, and the bounds between which eight of ten values are expected.
struct ForecastHour {
  double mean = 0;
  double low = 0;
  double high = 0;
  friend bool operator==(const ForecastHour&, const ForecastHour&) = default;
};

struct OwnForecast {
  Instant begin;  ///< of the first hour, the one that holds the issue time
  ForecastGrade grade = ForecastGrade::poor;
  std::string reason;  ///< what the grade rests on, one sentence
  std::vector<ForecastHour> hours;
  friend bool operator==(const OwnForecast&, const OwnForecast&) = default;
};

/// Forecasts one zone from its own past and day-ahead prices. What is given for an issue time depends on nothing that
/// was not known then. A model serves for the four weeks (counted from 1970) in which the issue time lies, learnt from
/// what precedes them, so that the same question always gets the same answer; it is trained on first use and kept. One
/// thread.
class Forecaster final {
 public:
  explicit Forecaster(HourlyHistory history) : timeline_{std::move(history)} {}

  [[nodiscard]] const Timeline& timeline() const { return timeline_; }

  /// `hours` in 1…k_longest_horizon from the hour of `issued_at` on. Refused with `no_intensity_data` where nothing was
  /// known, or nothing newer than two weeks.
  [[nodiscard]] Result<OwnForecast> forecast(Instant issued_at, Knowledge knowledge, Hour hours);
  /// The means alone: what evaluation asks many times.
  [[nodiscard]] std::vector<double> means(const AsOf& known, Hour hours);

 private:
  /// The model that serves at `issue`; null where none can be trained or it does no better than none.
  [[nodiscard]] const ShapeModel* model_at(Hour issue);
  [[nodiscard]] Band untrained_band(const AsOf& known, Hour hours) const;
  [[nodiscard]] Band trained_band(const AsOf& known, Hour hours, const ShapeModel& model) const;
  [[nodiscard]] std::pair<ForecastGrade, std::string> grade(const AsOf& known, const ShapeModel* model) const;

  Timeline timeline_;
  std::optional<Hour> model_from_;
  std::optional<ShapeModel> model_;
};

}  // namespace valle::scheduler::forecast
