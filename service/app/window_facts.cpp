// SPDX-License-Identifier: Apache-2.0
#include "service/app/window_facts.hpp"

#include <algorithm>

namespace valle::service::app {
namespace {

using scheduler::Duration;
using scheduler::Instant;
using scheduler::IntensitySeries;
using scheduler::Interval;
using scheduler::Ratio;
using scheduler::ReadingKind;
using scheduler::Step;

/// How much of a window is known, and as what.
struct Coverage {
  Duration measured{0};
  Duration forecast{0};
  Duration estimated{0};
};

Coverage coverage_of(const IntensitySeries& series, Interval window) {
  Coverage coverage;
  for (const Step& step : series.within(window)) {
    const Duration part = step.interval.overlap(window).length();
    (step.kind == ReadingKind::measured ? coverage.measured : coverage.forecast) += part;
    if (step.estimated) coverage.estimated += part;
  }
  return coverage;
}

WindowKind kind_of(const Coverage& coverage) {
  if (coverage.forecast == Duration{0}) return WindowKind::measured;
  return coverage.measured == Duration{0} ? WindowKind::forecast : WindowKind::mixed;
}

Ratio estimated_share(const Coverage& coverage) {
  const Duration known = coverage.measured + coverage.forecast;
  if (known == Duration{0}) return {};
  return Ratio::of_base(scheduler::narrow(
      scheduler::divide_rounded(scheduler::Wide{coverage.estimated.count()} * scheduler::k_one.base(), known.count())));
}

Grade grade_of(const ChosenSeries& chosen, const Coverage& coverage, Interval window, Instant now) {
  if (chosen.source == k_sample_source) return Grade::sample;
  if (window.end > now && (!chosen.age || *chosen.age > k_stale_after)) return Grade::stale;
  return coverage.estimated > Duration{0} ? Grade::estimated : Grade::good;
}

}  // namespace

std::string_view to_text(WindowKind kind) {
  switch (kind) {
    case WindowKind::measured: return "measured";
    case WindowKind::forecast: return "forecast";
    case WindowKind::mixed: return "mixed";
  }
  return "";
}

std::string_view to_text(Grade grade) {
  switch (grade) {
    case Grade::good: return "good";
    case Grade::estimated: return "estimated";
    case Grade::stale: return "stale";
    case Grade::sample: return "sample";
  }
  return "";
}

ChosenSeries chosen_series(const KnownSeries& known, const std::shared_ptr<const IntensitySeries>& series,
                           std::size_t zone, Interval window, Instant now) {
  const Coverage coverage = coverage_of(*series, window);
  ChosenSeries chosen;
  chosen.zone = zone;
  chosen.source = known.key.source;
  chosen.series = series;
  chosen.kind = kind_of(coverage);
  chosen.issued_at = chosen.kind == WindowKind::measured ? known.updated_at : known.issued_at;
  if (chosen.issued_at) chosen.age = std::max(Duration{0}, now - *chosen.issued_at);
  chosen.known_until = series->extent().end;
  chosen.estimated = estimated_share(coverage);
  chosen.accounting = known.key.identity.accounting;
  chosen.grade = grade_of(chosen, coverage, window, now);
  chosen.attribution = known.attribution;
  return chosen;
}

std::optional<Step> newest_step(const IntensitySeries& measured, Instant now, Estimates estimates) {
  const auto steps = measured.steps();
  const auto begun = [&](const Step& step) { return step.interval.begin <= now; };
  auto count = static_cast<std::size_t>(std::ranges::partition_point(steps, begun) - steps.begin());
  for (; count > 0; --count) {
    const Step step = measured.step(count - 1);
    if (estimates == Estimates::with || !step.estimated) return step;
  }
  return {};
}

}  // namespace valle::service::app
