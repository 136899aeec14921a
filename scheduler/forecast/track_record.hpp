// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "scheduler/forecast/timeline.hpp"

namespace valle::scheduler::forecast {

/// How long a standard job runs and may wait, by which forecasts are compared.
inline constexpr Hour k_standard_length = 6;
inline constexpr Hour k_standard_slack = 24;

/// What standard jobs emitted by two kinds of forecast, in g/kWh · h of one kW.
struct Emitted {
  double trained = 0;
  double untrained = 0;
  friend bool operator==(const Emitted&, const Emitted&) = default;
};

/// What a trained model has been worth to standard jobs beside the untrained forecast, issue by issue. The model serves
/// only while it was no worse.
class TrackRecord {
 public:
  /// Counts the job that is submitted at the issue; left out where its hours are not all in the data. `trained` reaches
  /// as far as such a job may wait and run.
  void add(const Timeline& timeline, const AsOf& known, const std::vector<double>& trained);
  [[nodiscard]] bool has(Instant issue) const { return emitted_.contains(issue); }
  /// Sums over the issues of `interval`.
  [[nodiscard]] Emitted over(Interval interval) const;

 private:
  std::map<Instant, Emitted> emitted_;
};

}  // namespace valle::scheduler::forecast
