// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "scheduler/forecast/timeline.hpp"

namespace valle::scheduler::forecast {

/// What a forecast is worth to jobs of constant power that take `length` whole hours and may start at any whole hour
/// within `slack`. Sums in g/kWh · h; ratios are made of sums, never averaged.
class DecisionScore {
 public:
  DecisionScore(Hour length, Hour slack) : length_{length}, slack_{slack} {}

  [[nodiscard]] Hour length() const { return length_; }
  [[nodiscard]] Hour slack() const { return slack_; }

  /// The start, in hours from now, that the forecast prefers among 0…`slack`; the earliest on ties. Needs
  /// slack + length values.
  [[nodiscard]] Hour preferred_start(const std::vector<double>& forecast, Hour slack) const;
  /// Can a job submitted at `issue` be counted? All its hours must be in the data.
  [[nodiscard]] bool countable(const Timeline& timeline, Hour issue) const;
  /// A job submitted at `issue`, decided once by `forecast`. Left out where not countable.
  void add(const Timeline& timeline, Hour issue, const std::vector<double>& forecast);
  /// A job submitted at `issue` that began `start` hours later.
  void add_start(const Timeline& timeline, Hour issue, Hour start);

  [[nodiscard]] double emitted() const { return emitted_; }
  /// What was saved against starting at once, in % of what could have been saved; 100 where there was nothing to save.
  [[nodiscard]] double share_percent() const;

 private:
  [[nodiscard]] double cost(const Timeline& timeline, Hour begin) const;

  Hour length_;
  Hour slack_;
  double at_once_ = 0;
  double emitted_ = 0;
  double least_ = 0;
};

}  // namespace valle::scheduler::forecast
