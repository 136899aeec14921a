// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "scheduler/forecast/timeline.hpp"

namespace valle::scheduler::forecast {

/// Factors of the mean that hold for the hours ahead up to `until`.
struct BandPart {
  Hour until = 0;
  double low = 1;
  double high = 1;
  friend bool operator==(const BandPart&, const BandPart&) = default;
};

/// How far values have come to lie from their forecasts, as factors, by horizon: of ten values, one came below `low`,
/// one above `high`. Learnt from forecasts whose hours have passed; wide where too few have.
class Band {
 public:
  /// Half to twice the forecast: what is believed where nothing is known.
  Band();
  /// Counts what came of a forecast issued for `issue` on, in hours up to and with `last` that were measured.
  void add(const Timeline& timeline, Hour issue, std::span<const double> forecast, Hour last);
  /// Takes the quantiles of what was counted. A horizon that saw too little is as wide as the one before it, the first
  /// as wide as by default; a later horizon is never surer than an earlier one.
  void settle();

  /// No surer than `other` either.
  void widen_to(const Band& other);

  /// The factors for the first `hours` hours, low ≤ 1 ≤ high.
  [[nodiscard]] std::vector<BandPart> parts(Hour hours) const;

 private:
  static constexpr std::size_t k_buckets = 8;
  [[nodiscard]] static std::size_t bucket_of(Hour ahead);

  std::array<std::vector<double>, k_buckets> ratios_;
  std::array<std::pair<double, double>, k_buckets> factors_;
};

}  // namespace valle::scheduler::forecast
