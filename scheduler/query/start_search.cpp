// SPDX-License-Identifier: Apache-2.0
#include "scheduler/query/start_search.hpp"

#include <algorithm>

#include "scheduler/query/least_difference.hpp"

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
    offer_edge(run, first);
    if (run.step_length > Duration{0}) {
      scan_regular(run, first, last);
    } else {
      scan_starts_on_boundaries(run, first, last);
      scan_ends_on_boundaries(run, first, last);
    }
    if (first < last) offer_edge(run, last);
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

  void offer_edge(const Run& run, Instant start) {
    offer(start, sign_ * (series_.integral_to(run, start + duration_) - series_.integral_to(run, start)));
  }

  /// With one step length the run from boundary k ends `rest` seconds into step k + whole, so each kind of kink is one
  /// pass over the prefix sums with two fixed offsets.
  void scan_regular(const Run& run, Instant first, Instant last) {
    const Duration step = run.step_length;
    const auto whole = static_cast<std::size_t>(duration_ / step);
    const Duration rest = duration_ % step;
    scan_comb(run, first, last, Duration{0}, whole, {.lag = whole, .weight = rest.count()});
    // Runs that end on a boundary begin `step − rest` after one, and miss that part of their first step.
    if (rest > Duration{0})
      scan_comb(run, first, last, step - rest, whole + 1, {.lag = 0, .weight = (rest - step).count()});
  }

  /// A correction of `weight` · the value of step k + lag.
  struct Partial {
    std::size_t lag;
    std::int64_t weight;
  };

  /// The starts `boundary k + offset` in [first, last]: cost prefix[k + reach] − prefix[k] + the partial step.
  void scan_comb(const Run& run, Instant first, Instant last, Duration offset, std::size_t reach, Partial partial) {
    const Duration step = run.step_length;
    const Duration from = std::max(first - run.interval.begin - offset, Duration{0});
    const Duration to = last - run.interval.begin - offset;
    if (to < from) return;
    const auto k = static_cast<std::size_t>((from + step - Duration{1}) / step);
    const auto k_last = static_cast<std::size_t>(to / step);
    if (k_last < k) return;
    const std::int64_t* low = series_.prefix(run).data() + k;
    const std::int64_t* high = low + reach;
    if (sign_ < 0) std::swap(low, high);
    const std::size_t count = k_last - k + 1;
    const Least least = partial.weight == 0 ? least_difference(high, low, count)
                                            : least_difference(high, low, series_.values(run).data() + k + partial.lag,
                                                               sign_ * partial.weight, count);
    offer(run.interval.begin + offset + step * static_cast<std::int64_t>(k + least.index), least.value);
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
