// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "scheduler/units/time.hpp"

/// What meters say, before it becomes a figure. Here, and only here, energy is counted in joules and power in watts as
/// floating point: these are readings with an error, and the numbers become whole milliwatt-hours once, in `figure_of`.
namespace valle::scheduler {

using Moment = std::chrono::sys_time<std::chrono::milliseconds>;  ///< the resolution of scrape stamps

/// One reading of a series: its value at an instant, in the unit of the series. May be NaN or infinite.
struct Sample {
  Moment at;
  double value = 0;
  friend bool operator==(const Sample&, const Sample&) = default;
};

/// Ascending by time.
using Samples = std::vector<Sample>;

/// Half-open.
struct Span {
  Moment begin;
  Moment end;
  friend bool operator==(const Span&, const Span&) = default;
};

[[nodiscard]] inline double seconds_between(Moment from, Moment to) {
  return std::chrono::duration<double>(to - from).count();
}
[[nodiscard]] inline double seconds_of(const Span& span) { return seconds_between(span.begin, span.end); }
[[nodiscard]] inline Span span_of(const Interval& interval) { return {interval.begin, interval.end}; }
[[nodiscard]] inline bool overlap(const Span& a, const Span& b) { return a.begin < b.end && b.begin < a.end; }
[[nodiscard]] inline std::chrono::milliseconds milliseconds_of(double seconds) {
  return std::chrono::milliseconds{static_cast<std::int64_t>(seconds * 1000)};
}

/// Joins series of one observer whose stamps may interleave (a pod's states): ascending by time, then by value.
[[nodiscard]] Samples merged(std::span<const Sample> a, std::span<const Sample> b);

/// The median distance of neighbours in seconds; 0 with fewer than two samples.
[[nodiscard]] double median_spacing(std::span<const Sample> samples);

/// A stretch without measurement that is not bridged, and why.
struct Gap {
  Span span;
  std::string reason;
  friend bool operator==(const Gap&, const Gap&) = default;
};

/// A fingerprint of raw samples (64-bit FNV-1a over stamps and values), so that a figure can be checked later against
/// the same samples. Not a protection against forgery.
class Fingerprint {
 public:
  void add(std::span<const Sample> samples);
  [[nodiscard]] std::string text() const;  ///< 16 hexadecimal digits

 private:
  std::uint64_t state_ = 14695981039346656037ULL;
};

}  // namespace valle::scheduler
