// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scheduler/model/reading.hpp"

namespace valle::service::app {

struct PriceStep {
  scheduler::Interval interval;
  scheduler::EnergyPrice value;
  friend bool operator==(const PriceStep&, const PriceStep&) = default;
};

/// Day-ahead prices of one zone from one source. Immutable.
class PriceSeries final {
 public:
  /// Takes steps in any order; where two overlap, the one with the later start counts from there on.
  PriceSeries(scheduler::Zone zone, std::string source, std::vector<PriceStep> steps);

  [[nodiscard]] const scheduler::Zone& zone() const { return zone_; }
  [[nodiscard]] const std::string& source() const { return source_; }
  [[nodiscard]] std::span<const PriceStep> steps() const { return steps_; }
  /// Steps that overlap the interval.
  [[nodiscard]] std::span<const PriceStep> within(scheduler::Interval interval) const;
  /// The mean over the interval, weighted by time, rounded to the base unit; nothing unless every second is known.
  [[nodiscard]] std::optional<scheduler::EnergyPrice> mean(scheduler::Interval interval) const;

 private:
  scheduler::Zone zone_;
  std::string source_;
  std::vector<PriceStep> steps_;  // ascending, without overlap
};

}  // namespace valle::service::app
