// SPDX-License-Identifier: Apache-2.0
#include "scheduler/series/intensity_series.hpp"

#include <algorithm>
#include <string>
#include <tuple>

namespace valle::scheduler {
namespace {

constexpr std::uint8_t k_forecast_mark = 1;
constexpr std::uint8_t k_estimated_mark = 2;

constexpr Instant k_first_instant = std::chrono::sys_days{std::chrono::year{1970} / 1 / 1};
constexpr Instant k_past_last_instant = std::chrono::sys_days{std::chrono::year{2262} / 1 / 1};

std::string in_words(const Interval& interval) {
  return format_instant(interval.begin) + " to " + format_instant(interval.end);
}

/// A total order that puts exact repetitions side by side.
bool earlier(const Step& a, const Step& b) {
  const auto key = [](const Step& s) {
    return std::tuple{s.interval.begin, s.interval.end, s.value, s.kind, s.estimated};
  };
  return key(a) < key(b);
}

Result<void> validate(const Step& step) {
  if (step.interval.begin < k_first_instant || step.interval.end > k_past_last_instant) {
    return refuse(Errc::invalid_request, "a step lies in the years 1970 to 2261");
  }
  if (step.interval.empty()) {
    return refuse(Errc::invalid_request, "a step ends after it begins, unlike " + in_words(step.interval));
  }
  if (step.value < CarbonIntensity{} || step.value > IntensitySeries::k_largest_value) {
    return refuse(Errc::invalid_request,
                  "an intensity lies in 0 to 1000000 g/kWh, unlike that of " + in_words(step.interval));
  }
  return {};
}

}  // namespace

Result<IntensitySeries> IntensitySeries::make(std::vector<Step> steps) {
  for (const Step& step : steps) {
    if (auto valid = validate(step); !valid) return tl::unexpected{std::move(valid).error()};
  }
  if (!std::ranges::is_sorted(steps, earlier)) std::ranges::sort(steps, earlier);
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  const auto overlap =
      std::ranges::adjacent_find(steps, [](const Step& a, const Step& b) { return b.interval.begin < a.interval.end; });
  if (overlap != steps.end()) {
    return refuse(Errc::invalid_request, "two steps overlap: " + in_words(overlap->interval) + " and " +
                                             in_words(std::next(overlap)->interval));
  }
  IntensitySeries series;
  const auto opens_run = [](const Step& a, const Step& b) { return a.interval.end < b.interval.begin; };
  std::size_t entries = steps.empty() ? 0 : steps.size() + 1;
  for (std::size_t i = 1; i < steps.size(); ++i) entries += opens_run(steps[i - 1], steps[i]) ? 1 : 0;
  series.boundaries_.reserve(entries);
  series.prefix_.reserve(entries);
  series.values_.reserve(entries);
  series.marks_.reserve(entries);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i == 0 || opens_run(steps[i - 1], steps[i])) series.open_run(steps[i].interval.begin);
    series.append(steps[i]);
  }
  series.runs_.shrink_to_fit();
  return series;
}

IntensitySeries IntensitySeries::of(std::vector<Step> steps) {
  auto series = make(std::move(steps));
  require(series.has_value(), "malformed steps in the program");
  return *std::move(series);
}

void IntensitySeries::open_run(Instant begin) {
  runs_.push_back({.interval = {begin, begin},
                   .first = step_count(),
                   .count = 0,
                   .step_length = Duration{0},
                   .offset = boundaries_.size()});
  boundaries_.push_back(begin);
  prefix_.push_back(0);
  values_.push_back(0);
  marks_.push_back(0);
}

/// Puts a step behind the open run, at whose end it begins.
void IntensitySeries::append(const Step& step) {
  Run& run = runs_.back();
  const Duration length = step.interval.length();
  if (run.count == 0) {
    run.step_length = length;
  } else if (run.step_length != length) {
    run.step_length = Duration{0};
  }
  ++run.count;
  run.interval.end = step.interval.end;
  values_.back() = static_cast<std::int32_t>(step.value.base());
  marks_.back() = static_cast<std::uint8_t>((step.kind == ReadingKind::forecast ? k_forecast_mark : 0) |
                                            (step.estimated ? k_estimated_mark : 0));
  prefix_.push_back(prefix_.back() + integral_of(step.value, length).base());
  boundaries_.push_back(step.interval.end);
  values_.push_back(0);
  marks_.push_back(0);
}

static_assert(std::random_access_iterator<StepRange::Iterator>);

Step StepRange::Iterator::operator*() const { return series_->step(static_cast<std::size_t>(index_)); }

Step IntensitySeries::step(std::size_t index) const {
  require(index < step_count(), "step index beyond the series");
  const auto after = std::ranges::upper_bound(runs_, index, {}, &Run::first);
  const Run& run = *std::prev(after);
  const std::size_t at = run.offset + (index - run.first);
  return {.interval = {boundaries_[at], boundaries_[at + 1]},
          .value = CarbonIntensity::of_base(values_[at]),
          .kind = (marks_[at] & k_forecast_mark) != 0 ? ReadingKind::forecast : ReadingKind::measured,
          .estimated = (marks_[at] & k_estimated_mark) != 0};
}

Interval IntensitySeries::extent() const {
  if (runs_.empty()) return {};
  return {runs_.front().interval.begin, runs_.back().interval.end};
}

std::size_t IntensitySeries::irregular_step_index(const Run& run, Instant t) const {
  const std::span<const Instant> begins = boundaries(run).first(run.count);
  return static_cast<std::size_t>(std::ranges::upper_bound(begins, t) - begins.begin()) - 1;
}

/// The run that holds `t`, its end excluded.
const IntensitySeries::Run* IntensitySeries::run_at(Instant t) const {
  const auto after = std::ranges::upper_bound(runs_, t, {}, [](const Run& run) { return run.interval.begin; });
  if (after == runs_.begin()) return nullptr;
  const Run& run = *std::prev(after);
  return run.interval.contains(t) ? &run : nullptr;
}

std::optional<Step> IntensitySeries::at(Instant t) const {
  const Run* run = run_at(t);
  if (run == nullptr) return std::nullopt;
  return step(run->first + step_index(*run, t));
}

std::optional<IntensitySeconds> IntensitySeries::integral(Interval interval) const {
  if (interval.empty()) return IntensitySeconds{};
  const Run* run = run_at(interval.begin);
  if (run == nullptr || run->interval.end < interval.end) return std::nullopt;
  return IntensitySeconds::of_base(integral_to(*run, interval.end) - integral_to(*run, interval.begin));
}

std::span<const IntensitySeries::Run> IntensitySeries::runs_within(Interval interval) const {
  if (interval.empty()) return {};
  const auto first =
      std::ranges::upper_bound(runs_, interval.begin, {}, [](const Run& run) { return run.interval.end; });
  const auto last =
      std::ranges::lower_bound(first, runs_.end(), interval.end, {}, [](const Run& run) { return run.interval.begin; });
  return {first, last};
}

StepRange IntensitySeries::within(Interval interval) const& {
  const std::span<const Run> runs = runs_within(interval);
  if (runs.empty()) return {*this, 0, 0};
  const Run& first = runs.front();
  const Run& last = runs.back();
  const Instant from = std::max(interval.begin, first.interval.begin);
  const Instant last_second = std::min(interval.end, last.interval.end) - Duration{1};
  return {*this, first.first + step_index(first, from), last.first + step_index(last, last_second) + 1};
}

std::vector<Interval> IntensitySeries::gaps(Interval interval) const {
  std::vector<Interval> gaps;
  Instant known_to = interval.begin;
  for (const Run& run : runs_within(interval)) {
    if (known_to < run.interval.begin) gaps.push_back({known_to, run.interval.begin});
    known_to = run.interval.end;
  }
  if (known_to < interval.end) gaps.push_back({known_to, interval.end});
  return gaps;
}

}  // namespace valle::scheduler
