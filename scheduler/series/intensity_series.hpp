// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "scheduler/series/step_range.hpp"

namespace valle::scheduler {

/// The intensity of one zone under one identity as a piecewise constant function of time: steps of any regular or
/// irregular length, ascending, without overlap; where no step lies there is a gap, never a value. Prefix sums
/// give the exact integral over any seconds. Immutable, so safe to read from any thread. 21 bytes a step.
class IntensitySeries {
 public:
  /// A stretch of steps without a gap between them: steps [first, first + count). `step_length` is zero where the
  /// steps differ in length. Prefix sums restart at each run.
  struct Run {
    Interval interval;
    std::size_t first;
    std::size_t count;
    Duration step_length;
    std::size_t offset;  ///< where the run's boundaries begin among those of all runs
    friend bool operator==(const Run&, const Run&) = default;
  };

  /// The largest value that a series holds, 1000 kg/kWh: far beyond what passes the door, and small enough that the
  /// integral over all years of `parse_instant` fits 64 bits.
  static constexpr CarbonIntensity k_largest_value = CarbonIntensity::of_base(1'000'000'000);

  IntensitySeries() = default;

  /// Takes steps in any order. Refuses empty or backward intervals, overlaps (naming both instants), instants outside
  /// 1970…2261 and values outside 0…k_largest_value (`Errc::invalid_request`). An exact repetition is dropped.
  [[nodiscard]] static Result<IntensitySeries> make(std::vector<Step> steps);
  /// For steps that are valid by construction; others stop the program.
  [[nodiscard]] static IntensitySeries of(std::vector<Step> steps);

  [[nodiscard]] bool empty() const { return runs_.empty(); }
  [[nodiscard]] std::size_t step_count() const { return boundaries_.size() - runs_.size(); }
  /// Step `index` < step_count(), in order of time.
  [[nodiscard]] Step step(std::size_t index) const;
  /// All steps. The range must not outlive the series.
  [[nodiscard]] StepRange steps() const& { return {*this, 0, step_count()}; }
  StepRange steps() const&& = delete;
  [[nodiscard]] std::span<const Run> runs() const { return runs_; }
  /// First known second to the end of the last step; empty interval if there are no steps.
  [[nodiscard]] Interval extent() const;

  /// The value in force at `t`: the step with begin ≤ t < end. Nothing in a gap.
  [[nodiscard]] std::optional<Step> at(Instant t) const;
  /// Exact ∫ over the interval; nothing unless every second of it is known. Zero over an empty interval.
  [[nodiscard]] std::optional<IntensitySeconds> integral(Interval interval) const;
  /// Steps that overlap the interval, uncut. The range must not outlive the series.
  [[nodiscard]] StepRange within(Interval interval) const&;
  StepRange within(Interval interval) const&& = delete;
  /// Maximal half-open stretches of the interval without a value.
  [[nodiscard]] std::vector<Interval> gaps(Interval interval) const;

  /// For searches. Of a run: its count + 1 boundaries, the integral from its start to each of them in mg·s/kWh, and the
  /// value of each step in mg/kWh.
  [[nodiscard]] std::span<const Instant> boundaries(const Run& run) const {
    return std::span{boundaries_}.subspan(run.offset, run.count + 1);
  }
  [[nodiscard]] std::span<const std::int64_t> prefix(const Run& run) const {
    return std::span{prefix_}.subspan(run.offset, run.count + 1);
  }
  [[nodiscard]] std::span<const std::int32_t> values(const Run& run) const {
    return std::span{values_}.subspan(run.offset, run.count);
  }
  /// The runs that overlap the interval.
  [[nodiscard]] std::span<const Run> runs_within(Interval interval) const;
  /// Which of the run's steps holds `t`, counted from its first; the last step also for the run's end. `t` lies in the
  /// run.
  [[nodiscard]] std::size_t step_index(const Run& run, Instant t) const {
    const Duration since = t - run.interval.begin;
    if (run.step_length > Duration{0}) {
      return std::min(static_cast<std::size_t>(since / run.step_length), run.count - 1);
    }
    return irregular_step_index(run, t);
  }
  /// ∫ from the run's start to `t`, which lies in it or at its end, in mg·s/kWh.
  [[nodiscard]] std::int64_t integral_to(const Run& run, Instant t) const {
    const std::size_t at = run.offset + step_index(run, t);
    return prefix_[at] + (t - boundaries_[at]).count() * values_[at];
  }

  friend bool operator==(const IntensitySeries&, const IntensitySeries&) = default;

 private:
  [[nodiscard]] std::size_t irregular_step_index(const Run& run, Instant t) const;
  [[nodiscard]] const Run* run_at(Instant t) const;
  void append(const Step& step);
  void open_run(Instant begin);

  std::vector<Run> runs_;
  // Parallel, run after run, count + 1 entries each; the entry at a run's end has no value and no marks.
  std::vector<Instant> boundaries_;
  std::vector<std::int64_t> prefix_;
  std::vector<std::int32_t> values_;
  std::vector<std::uint8_t> marks_;
};

/// One series from several, each second from the first layer that knows it: measured before forecast, the asked
/// source before the next. Steps are cut where layers meet.
[[nodiscard]] IntensitySeries overlay(std::span<const IntensitySeries* const> layers);

/// Means over a regular grid `origin + k · step`, k of either sign, rounded to the nearest mg/kWh. A slot is there only
/// if every second of it is known: an hour is never averaged from the part that happens to be there. A slot is
/// estimated if any part of it is, forecast if any part is. `step` > 0.
[[nodiscard]] IntensitySeries resample(const IntensitySeries& series, Instant origin, Duration step);

}  // namespace valle::scheduler
