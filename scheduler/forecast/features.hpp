// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "scheduler/forecast/timeline.hpp"
#include "scheduler/forecast/untrained.hpp"

namespace valle::scheduler::forecast {

/// Hours that the trained model forecasts: 48 h of slack and a job of six hours.
inline constexpr Hour k_window = 54;
/// Hours of history before `AsOf::last` that features need.
inline constexpr Hour k_feature_history = k_slope_history + 24;

/// What is known about each hour of one window at its issue. Intensities are divided by the mean of the last 24 known
/// hours, so that a level shift stays inside the range that was trained; prices are differences and ranks besides their
/// plain value, since they may be zero or negative. NaN where something is not known.
class WindowFeatures {
 public:
  /// Needs known.last ≥ k_feature_history; hours [issue, issue + k_window) may lie beyond the data.
  WindowFeatures(const Timeline& timeline, const AsOf& known);

  [[nodiscard]] static std::size_t count(const Timeline& timeline);
  /// Appends the `count` features of the hour `ahead` of the issue.
  void append(Hour ahead, std::vector<double>& row) const;

  [[nodiscard]] double level() const { return level_; }  ///< mean of the last 24 known hours, floored away from zero
  /// Profile and residual over the window: what the model corrects.
  [[nodiscard]] const std::vector<double>& usual() const { return usual_; }

 private:
  void append_history(Hour ahead, std::vector<double>& row) const;
  void append_calendar(Hour ahead, std::vector<double>& row) const;
  void append_price(Hour ahead, std::vector<double>& row) const;

  const Timeline& timeline_;
  AsOf known_;
  double level_;
  std::vector<double> usual_;
  std::vector<double> profile_;
  double residual_1_ = 0, residual_6_ = 0, residual_24_ = 0;
  Hour known_prices_ = 0;
  PriceSlope slope_;
  std::pair<double, double> line_7_{}, line_28_{};
  double price_mean_ = 0, price_deviation_ = 1;
};

}  // namespace valle::scheduler::forecast
