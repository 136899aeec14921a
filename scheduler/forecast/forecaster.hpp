// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/forecast/band.hpp"
#include "scheduler/forecast/shape_model.hpp"
#include "scheduler/forecast/timeline.hpp"
#include "scheduler/forecast/within_hour.hpp"
#include "scheduler/model/error.hpp"

namespace valle::scheduler::forecast {

/// How much a forecast rests on. `good`: the trained model, which beat the untrained forecast on its own recent past.
/// `fair`: the untrained forecast from at least a week of values, or a trained one in doubt: prices have been
/// missing for days, or the last day came quite differently from what was foreseen. `poor`: less than a week, values
/// that never move, or the newest older than a day, or an untrained one in doubt; the band is wide.
enum class ForecastGrade { good, fair, poor };
[[nodiscard]] std::string_view to_text(ForecastGrade grade);

struct OwnForecast {
  Instant begin;  ///< of the first hour, the one that holds the issue time
  ForecastGrade grade = ForecastGrade::poor;
  std::string reason;  ///< what the grade rests on, one sentence
  std::string model;   ///< what made it: `untrained`, or `trained/` and the instant before which it was learnt
  std::vector<ForecastHour> hours;
  std::vector<BandPart> band;  ///< by which factors `low` and `high` lie around the mean
  WithinHour within = {};      ///< of a series with steps shorter than an hour: how to make them; the bounds are theirs
  friend bool operator==(const OwnForecast&, const OwnForecast&) = default;
};

/// A model with the time that it serves, and what it has been worth since. Kept between forecasters of one zone whose
/// history grows. One thread at a time.
struct ServingModel {
  Instant before{};                 ///< learnt from what precedes this
  std::optional<ShapeModel> model;  ///< nothing: there was too little to learn from
  TrackRecord since;
};

/// Forecasts one zone from its own past and day-ahead prices. What is given for an issue time depends on nothing that
/// was not known then. One thread.
class Forecaster final {
 public:
  /// Trains models on first use. A model serves for the four weeks (counted from 1970) in which the issue time lies,
  /// learnt from what precedes them, so that the same question always gets the same answer.
  explicit Forecaster(HourlyHistory history) : timeline_{std::move(history)} {}
  /// Trains nothing: `serving` serves, whatever its time; null: the untrained forecast does.
  Forecaster(HourlyHistory history, std::shared_ptr<ServingModel> serving)
      : timeline_{std::move(history)}, serving_{std::move(serving)}, trains_{false} {}

  /// Before which instant the model was learnt that serves at `issued_at`.
  [[nodiscard]] static Instant learnt_before(Instant issued_at);
  /// Hours of history before `learnt_before` that a model can use.
  static constexpr Hour k_useful_history = k_longest_training + k_feature_history + k_window;
  /// Takes some 1 s and 80 MB for 400 days with prices.
  [[nodiscard]] static std::shared_ptr<ServingModel> train(const Timeline& timeline, Instant before);

  [[nodiscard]] const Timeline& timeline() const { return timeline_; }

  /// `hours` in 1…k_longest_horizon from the hour of `issued_at` on. Refused with `no_intensity_data` where nothing was
  /// known, or nothing newer than two weeks.
  [[nodiscard]] Result<OwnForecast> forecast(Instant issued_at, Knowledge knowledge, Hour hours);
  /// Forecasts that were or would have been made within `issues`, some three to five a day, none by a model that had
  /// seen what came: those that a model's training held out, then those since it was learnt.
  [[nodiscard]] std::vector<Backcast> recent(Interval issues);
  /// The means alone: what evaluation asks many times.
  [[nodiscard]] std::vector<double> means(const AsOf& known, Hour hours);

 private:
  /// The model that serves; null where there is none, or it has lately been worse than none.
  [[nodiscard]] const ShapeModel* model_at(const AsOf& known);
  [[nodiscard]] bool was_no_worse_lately(const AsOf& known);
  [[nodiscard]] std::vector<double> means_by(const ShapeModel* model, const AsOf& known, Hour hours) const;
  [[nodiscard]] Band untrained_band(const AsOf& known, Hour hours) const;
  [[nodiscard]] Band trained_band(const AsOf& known, Hour hours, const ShapeModel& model) const;
  /// Why there is too little to trust any forecast; nothing if there is enough.
  [[nodiscard]] std::optional<std::string> poor_because(const AsOf& known) const;
  /// What makes a forecast less sure than such forecasts were: the grade is one lower and the band wider.
  struct Doubt {
    std::string reason;
    Band band;  ///< that the forecast's must not be narrower than
  };
  [[nodiscard]] std::optional<Doubt> doubt(const AsOf& known, Hour hours, const ShapeModel* model,
                                           const Band& band) const;

  Timeline timeline_;
  std::shared_ptr<ServingModel> serving_;
  bool trains_ = true;
};

}  // namespace valle::scheduler::forecast
