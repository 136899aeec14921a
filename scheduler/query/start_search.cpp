// SPDX-License-Identifier: Apache-2.0
#include "scheduler/query/start_search.hpp"

#include <algorithm>

#include "scheduler/query/kernels.hpp"

namespace valle::scheduler {
namespace {

using Run = IntensitySeries::Run;

/// Looks for the extreme start in one run after the other. Costs are negated to look for the costliest, so that
/// less is always better; of equal costs the earliest start stays.
class StartSearch {
 public:
  StartSearch(const IntensitySeries& series, Duration duration, Extreme extreme)
      : series_{series}, duration_{duration}, sign_{extreme == Extreme::cheapest ? 1 : -1} {}

  void scan(const Run& run, const Interval& window) {
    const Instant first = std::max(window.begin, run.interval.begin);
    const Instant last = std::min(window.end, run.interval.end) - duration_;
    if (last < first) return;
    if (run.step_length > Duration{0}) {
      scan_regular(run, first, last);
    } else {
      scan_irregular(run, first, last);
    }
  }

  [[nodiscard]] std::optional<StartCost> found() const {
    if (!found_) return std::nullopt;
    return StartCost{best_.at, sign_ * best_.integral};
  }

 private:
  void offer(Instant at, std::int64_t signed_cost) {
    if (found_ && (signed_cost > best_.integral || (signed_cost == best_.integral && at >= best_.at))) return;
    best_ = {at, signed_cost};
    found_ = true;
  }

  /// A moment in a run of one step length.
  struct Place {
    std::int64_t step;
    std::int64_t rest;  ///< seconds into it
  };

  /// With one step length the run from step k ends `tail` seconds into step k + whole, so each kind of kink is one
  /// pass over the prefix sums with two fixed offsets.
  void scan_regular(const Run& run, Instant first, Instant last) {
    const std::int64_t length = run.step_length.count();
    const std::int64_t whole = duration_.count() / length;
    const std::int64_t tail = duration_.count() % length;
    const std::int64_t into_first = (first - run.interval.begin).count();
    const std::int64_t into_last = (last - run.interval.begin).count();
    const Place from{into_first / length, into_first % length};
    const Place to{into_last / length, into_last % length};
    if (from.rest != 0) offer_edge(run, first, from, whole, tail);
    // Starts on a boundary, which end `tail` into a step.
    scan_comb(run, from.step + (from.rest > 0 ? 1 : 0), to.step,
              {.offset = 0, .reach = whole, .lag = whole, .weight = tail});
    if (tail > 0) {
      // Ends on a boundary, which begin `length − tail` into a step and miss that part of it.
      const std::int64_t offset = length - tail;
      scan_comb(run, from.step + (from.rest > offset ? 1 : 0), to.step - (to.rest < offset ? 1 : 0),
                {.offset = offset, .reach = whole + 1, .lag = 0, .weight = -offset});
    }
    if (to.rest != 0) offer_edge(run, last, to, whole, tail);
  }

  /// Starts `offset` seconds into each step; the run from step k costs prefix[k + reach] − prefix[k] + weight · the
  /// value of step k + lag.
  struct Comb {
    std::int64_t offset;
    std::int64_t reach;
    std::int64_t lag;
    std::int64_t weight;
  };

  void scan_comb(const Run& run, std::int64_t first_step, std::int64_t last_step, const Comb& comb) {
    if (last_step < first_step) return;
    const std::int64_t* low = series_.prefix(run).data() + first_step;
    const std::int64_t* high = low + comb.reach;
    if (sign_ < 0) std::swap(low, high);
    const auto count = static_cast<std::size_t>(last_step - first_step + 1);
    const Least least = comb.weight == 0
                            ? least_difference(high, low, count)
                            : least_difference(high, low, series_.values(run).data() + first_step + comb.lag,
                                               sign_ * comb.weight, count);
    const std::int64_t step = first_step + static_cast<std::int64_t>(least.index);
    offer(run.interval.begin + run.step_length * step + Duration{comb.offset}, least.value);
  }

  void offer_edge(const Run& run, Instant start, const Place& place, std::int64_t whole, std::int64_t tail) {
    const std::int64_t* prefix = series_.prefix(run).data() + place.step;
    const std::int32_t* values = series_.values(run).data() + place.step;
    const std::int64_t beyond = place.rest + tail - run.step_length.count();  // of the step k + whole
    const std::int64_t to_end = beyond < 0    ? prefix[whole] + (place.rest + tail) * values[whole]
                                : beyond == 0 ? prefix[whole + 1]
                                              : prefix[whole + 1] + beyond * values[whole + 1];
    offer(start, sign_ * (to_end - prefix[0] - place.rest * values[0]));
  }

  void scan_irregular(const Run& run, Instant first, Instant last) {
    const auto offer_start = [&](Instant start) {
      offer(start, sign_ * (series_.integral_to(run, start + duration_) - series_.integral_to(run, start)));
    };
    offer_start(first);
    scan_starts_on_boundaries(run, first, last);
    scan_ends_on_boundaries(run, first, last);
    offer_start(last);
  }

  void scan_starts_on_boundaries(const Run& run, Instant first, Instant last) {
    const auto boundaries = series_.boundaries(run);
    const auto prefix = series_.prefix(run);
    const auto values = series_.values(run);
    std::size_t end_step = series_.step_index(run, first + duration_);
    for (auto k = index_from(boundaries, first); k < run.count && boundaries[k] <= last; ++k) {
      const Instant end = boundaries[k] + duration_;
      while (end_step + 1 < run.count && boundaries[end_step + 1] <= end) ++end_step;
      const std::int64_t to_end = prefix[end_step] + (end - boundaries[end_step]).count() * values[end_step];
      offer(boundaries[k], sign_ * (to_end - prefix[k]));
    }
  }

  void scan_ends_on_boundaries(const Run& run, Instant first, Instant last) {
    const auto boundaries = series_.boundaries(run);
    const auto prefix = series_.prefix(run);
    const auto values = series_.values(run);
    std::size_t first_step = series_.step_index(run, first);
    for (auto k = index_from(boundaries, first + duration_); k <= run.count && boundaries[k] <= last + duration_; ++k) {
      const Instant start = boundaries[k] - duration_;
      while (boundaries[first_step + 1] <= start) ++first_step;
      const std::int64_t to_start = prefix[first_step] + (start - boundaries[first_step]).count() * values[first_step];
      offer(start, sign_ * (prefix[k] - to_start));
    }
  }

  /// The first boundary at or after `t`.
  static std::size_t index_from(std::span<const Instant> boundaries, Instant t) {
    return static_cast<std::size_t>(std::ranges::lower_bound(boundaries, t) - boundaries.begin());
  }

  const IntensitySeries& series_;
  Duration duration_;
  std::int64_t sign_;
  StartCost best_{};  // with the signed cost
  bool found_ = false;
};

}  // namespace

std::optional<StartCost> extreme_start(const IntensitySeries& series, Interval window, Duration duration,
                                       Extreme extreme) {
  require(duration > Duration{0}, "a run lasts at least a second");
  StartSearch search{series, duration, extreme};
  for (const Run& run : series.runs_within(window)) search.scan(run, window);
  return search.found();
}

}  // namespace valle::scheduler
