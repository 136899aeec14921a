// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "scheduler/forecast/boosted_trees.hpp"
#include "scheduler/forecast/features.hpp"
#include "scheduler/forecast/ridge.hpp"
#include "scheduler/forecast/track_record.hpp"

namespace valle::scheduler::forecast {

/// Nothing older than this is learnt from.
inline constexpr Hour k_longest_training = 400 * 24;

/// A window's forecast from the held-out time, for bands.
struct Backcast {
  Instant begin{};  ///< of the first hour
  std::vector<double> forecast;
  friend bool operator==(const Backcast&, const Backcast&) = default;
};

/// Predicts the coming window from what has been learnt of a zone's past, as the mean of three: a ridge regression on
/// the order of its hours, one on its values, and boosted trees on its values. The ridges have coefficients of their
/// own for each local hour, with and without a known price. Order is all that a start needs; it is stretched to the
/// spread of the values, so that the result is a mean in g/kWh. The second ridge gives the level.
class ShapeModel {
 public:
  /// Learns from windows that had ended by `before`, at most the last 400 days. Nothing if there are fewer than sixty
  /// days. Needs some 1 s and 80 MB for 400 days with prices.
  [[nodiscard]] static std::optional<ShapeModel> train(const Timeline& timeline, Hour before);

  /// k_window values, g/kWh, never below zero.
  [[nodiscard]] std::vector<double> forecast(const Timeline& timeline, const AsOf& known) const;

  /// Forecasts of the last fifth of the training time by the same recipe, learnt from the first four fifths.
  [[nodiscard]] const std::vector<Backcast>& held_out() const { return held_out_; }
  /// What those forecasts were worth to standard jobs, beside the untrained ones.
  [[nodiscard]] const TrackRecord& record() const { return record_; }

 private:
  ShapeModel() = default;
  static constexpr std::size_t k_groups = 48;
  [[nodiscard]] static std::size_t group_of(const Timeline& timeline, const AsOf& known, Hour hour);
  void standardise(std::vector<double>& row) const;
  void solve(const std::vector<RidgeSums>& sums);

  BoostedTrees trees_;
  std::vector<double> means_;
  std::vector<double> deviations_;
  std::array<RidgeSums::Solution, k_groups> solutions_;
  std::vector<Backcast> held_out_;
  TrackRecord record_;
};

}  // namespace valle::scheduler::forecast
