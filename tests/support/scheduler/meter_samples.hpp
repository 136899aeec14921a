// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <utility>

#include "scheduler/energy/sample.hpp"

namespace valle::tests {

/// A Wednesday morning at 08:00 UTC.
inline constexpr std::int64_t k_eight = 1802246400;

inline scheduler::Moment after_eight(double seconds) {
  return scheduler::Moment{std::chrono::seconds{k_eight}} + scheduler::milliseconds_of(seconds);
}

/// Samples by seconds after eight.
inline scheduler::Samples samples(std::initializer_list<std::pair<double, double>> rows) {
  scheduler::Samples all;
  for (const auto& [seconds, value] : rows) all.push_back({after_eight(seconds), value});
  return all;
}

inline scheduler::Span first_seconds(double seconds) { return {after_eight(0), after_eight(seconds)}; }

inline scheduler::Interval seconds_after_eight(int from, int to) {
  const scheduler::Instant eight{std::chrono::seconds{k_eight}};
  return {eight + std::chrono::seconds{from}, eight + std::chrono::seconds{to}};
}

}  // namespace valle::tests
