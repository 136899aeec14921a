// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "scheduler/series/intensity_series.hpp"

namespace valle::scheduler {

/// A zone in which the job may run: its intensity and the overhead of its building. The order of the options in a
/// question breaks ties. `series` is borrowed and must outlive the call.
struct ZoneOption {
  const IntensitySeries* series;
  Ratio pue = k_one;
};

/// Where a job may pause. The rule, exactly:
/// - Segments lie in the window and in known seconds, in time order, with a pause between each two. Each begins on a
///   step boundary or a window edge, and ends on one, but for at most one segment of the run, which may end inside a
///   step. A run without a pause may begin at any second, like that of a job that can't be interrupted.
/// - Each segment but the first repeats `restart` seconds of work at the job's power before it gets on, and gets on by
/// at
///   least a second. So the lengths of all segments add up to duration + pauses · restart.
/// - Each segment but the first costs `restart_energy` besides, at the intensity of the step in which it begins.
/// - Each segment is at least `min_run` long, or as long as the whole job where that is shorter.
struct Interruption {
  Duration min_run{0};      ///< shortest segment; 0: whatever the rule gives
  Duration restart{0};      ///< time lost at each resume
  Energy restart_energy{};  ///< energy lost at each resume, before PUE
  std::optional<int> max_pauses = {};
  friend bool operator==(const Interruption&, const Interruption&) = default;
};

/// One job, one window, several zones.
struct SlotQuestion {
  Interval window;      ///< the run lies wholly inside
  Duration duration{};  ///< > 0
  Energy energy{};      ///< of the whole run, before PUE, spread evenly
  std::span<const ZoneOption> zones;
  std::size_t options = 3;       ///< how many slots that differ are wanted
  Duration options_apart{3600};  ///< options in one zone differ by at least this much in their start
};

/// One possible run. `integral` is ∫ intensity over its segments, in mg·s/kWh, so that two runs compare exactly.
struct Slot {
  std::size_t zone;                ///< index into the question's zones
  Interval interval;               ///< first second to last
  std::vector<Interval> segments;  ///< one for a run without a pause
  IntensitySeconds integral{};
  CarbonIntensity mean{};    ///< of the grid over the segments, without PUE
  Energy energy{};           ///< before PUE, with restarts
  Energy facility_energy{};  ///< with PUE
  Emissions emissions{};
  friend bool operator==(const Slot&, const Slot&) = default;
};

struct SlotAnswer {
  std::vector<Slot> options;  ///< best first; empty: no zone knows `duration` seconds in a row inside the window
  std::optional<Slot> worst;  ///< the costliest start, the same zones and window
  /// False: an interruptible job could be cut in more ways than `k_most_interruptible_states` allows to try; the
  /// options keep the rule, but better ones may exist.
  bool exact = true;
  /// What the search for an interruptible job took, in comparisons of about half a nanosecond; 0 for others, which take
  /// one a step and option.
  std::size_t work = 0;
  friend bool operator==(const SlotAnswer&, const SlotAnswer&) = default;
};

/// The exact minimum of ∫ power · PUE · intensity over all real start times in the window. The cost of a start is
/// piecewise linear with kinks where the start or the end meets a step's boundary, so one of these or a window
/// edge is optimal. Ties: earliest start, then zone order; so for `worst`, too. Compared as integers, ∫ · PUE.
///
/// Option n + 1 is again the exact minimum over all real starts, without those that are less than `options_apart` (at
/// least a second) from the start of a better option in the same zone. Preconditions: duration > 0, energy ≥ 0, PUE >
/// 0.
[[nodiscard]] SlotAnswer best_slot(const SlotQuestion& question);

/// The best start alone, without building options: the hot path.
struct Start {
  std::size_t zone;
  Instant at;
  IntensitySeconds integral;
  friend bool operator==(const Start&, const Start&) = default;
};
[[nodiscard]] std::optional<Start> best_start(Interval window, Duration duration, std::span<const ZoneOption> zones);

/// What the search for one zone of an interruptible job may hold, in states of 8 or 16 bytes; it bounds the time, too,
/// to about 50 ms. Enough for a job of a week in a window of a week at quarters of an hour; passed by longer ones, and
/// where steps have odd lengths. Then blocks of 1, 2, 4, 8 or 24 hours are searched instead of steps.
inline constexpr std::size_t k_most_interruptible_states = 4'000'000;

/// The cheapest way to spread the job over segments inside the window under the rule of `Interruption`, exact, by
/// dynamic programming over the steps. Stays in one zone. Ties: earliest start, then zone order, then segments as long
/// as possible. `options` as for `best_slot`, over all starts that the rule allows; worst is left empty. Preconditions
/// as for `best_slot`.
[[nodiscard]] SlotAnswer best_interruptible_slot(const SlotQuestion& question, const Interruption& interruption);

/// The run that begins at `start` in zone `zone`, whatever the window; nothing if not every second is known.
[[nodiscard]] std::optional<Slot> slot_at(const SlotQuestion& question, std::size_t zone, Instant start);

}  // namespace valle::scheduler
