// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scheduler/model/reading.hpp"

namespace valle::scheduler {

struct PriceStep {
  Interval interval;
  EnergyPrice value;
  friend bool operator==(const PriceStep&, const PriceStep&) = default;
};

/// Day-ahead prices of one zone from one source. Immutable.
class PriceSeries final {
 public:
  /// Takes steps in any order; where two overlap, the one with the later start counts from there on.
  PriceSeries(Zone zone, std::string source, std::vector<PriceStep> steps);

  [[nodiscard]] const Zone& zone() const { return zone_; }
  [[nodiscard]] const std::string& source() const { return source_; }
  [[nodiscard]] std::span<const PriceStep> steps() const { return steps_; }
  /// Steps that overlap the interval.
  [[nodiscard]] std::span<const PriceStep> within(Interval interval) const;
  /// The mean over the interval, weighted by time, rounded to the base unit; nothing unless every second is known.
  [[nodiscard]] std::optional<EnergyPrice> mean(Interval interval) const;

 private:
  Zone zone_;
  std::string source_;
  std::vector<PriceStep> steps_;  // ascending, without overlap
};

}  // namespace valle::scheduler
