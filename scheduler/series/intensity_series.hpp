// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "scheduler/model/reading.hpp"

namespace valle::scheduler {

/// One known step of a series: a constant intensity over [interval.begin, interval.end).
struct Step {
  Interval interval;
  CarbonIntensity value;
  ReadingKind kind = ReadingKind::measured;
  bool estimated = false;
  friend bool operator==(const Step&, const Step&) = default;
};

/// The intensity of one zone under one identity as a piecewise constant function of time: steps of any regular or
/// irregular length, ascending, without overlap; where no step lies there is a gap, never a value. Prefix sums
/// give the exact integral over any seconds. Immutable, so safe to read from any thread.
class IntensitySeries {
 public:
  /// A stretch of steps without a gap between them: steps [first, first + count). `step_length` is zero where the
  /// steps differ in length. Prefix sums restart at each run.
  struct Run {
    Interval interval;
    std::size_t first;
    std::size_t count;
    Duration step_length;
  };

  IntensitySeries() = default;

  /// Takes steps in any order. Refuses empty or backward intervals and overlaps, naming both instants
  /// (`Errc::invalid_request`). An exact repetition is dropped.
  [[nodiscard]] static Result<IntensitySeries> make(std::vector<Step> steps);

  [[nodiscard]] bool empty() const { return steps_.empty(); }
  [[nodiscard]] std::span<const Step> steps() const { return steps_; }
  [[nodiscard]] std::span<const Run> runs() const { return runs_; }
  /// First known second to the end of the last step; empty interval if there are no steps.
  [[nodiscard]] Interval extent() const;

  /// For a run: count + 1 boundaries and the integral from the run's start to each of them, in mg·s/kWh.
  [[nodiscard]] std::span<const Instant> boundaries(const Run& run) const;
  [[nodiscard]] std::span<const std::int64_t> prefix(const Run& run) const;

  /// The value in force at `t`: the step with begin ≤ t < end. Nothing in a gap.
  [[nodiscard]] const Step* at(Instant t) const;
  /// Exact ∫ over the interval; nothing unless every second of it is known.
  [[nodiscard]] std::optional<IntensitySeconds> integral(Interval interval) const;
  /// Steps that overlap the interval.
  [[nodiscard]] std::span<const Step> within(Interval interval) const;
  /// Maximal half-open stretches of the interval without a value.
  [[nodiscard]] std::vector<Interval> gaps(Interval interval) const;

 private:
  std::vector<Step> steps_;
  std::vector<Run> runs_;
  std::vector<Instant> boundaries_;       // run after run, count + 1 each
  std::vector<std::int64_t> prefix_;      // parallel to boundaries_
  // The boundaries of run r begin at runs_[r].first + r.
};

/// One series from several, each second from the first layer that knows it: measured before forecast, the asked
/// source before the next. Steps are cut where layers meet.
[[nodiscard]] IntensitySeries overlay(std::span<const IntensitySeries* const> layers);

/// Means over a regular grid `origin + k · step`. A slot is there only if every second of it is known: an hour is never
/// averaged from the part that happens to be there. A slot is estimated if any part of it is, forecast if any part is.
[[nodiscard]] IntensitySeries resample(const IntensitySeries& series, Instant origin, Duration step);

}  // namespace valle::scheduler
