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
  if (chosen.own && chosen.own->ground->grade == "poor") return Grade::poor;
  if (chosen.own && chosen.own->ground->grade == "fair") return Grade::fair;
  return coverage.estimated > Duration{0} ? Grade::estimated : Grade::good;
}

/// The own forecast behind the series: its tail, or all of it.
std::optional<OwnTail> own_in(const KnownSeries& known, const std::shared_ptr<const IntensitySeries>& series) {
  if (series == known.combined && known.tail) return known.tail;
  if (!known.is_own() || series->empty() || !known.issued_at || !known.ground) return {};
  return OwnTail{series->extent(), *known.issued_at, known.ground};
}

/// What of the window is told by the source, and what is an own forecast.
void split(ChosenSeries& chosen, const KnownSeries& known, const IntensitySeries& series, const OwnTail& own,
           Interval window) {
  const Interval inside = window.overlap(own.interval);
  if (inside.empty() || series.within(inside).empty()) return;
  chosen.own = OwnPart{inside, own.issued_at, own.ground};
  Coverage told = coverage_of(series, {window.begin, inside.begin});
  const Coverage behind = coverage_of(series, {inside.end, window.end});
  told.measured += behind.measured;
  told.forecast += behind.forecast;
  if (told.forecast == Duration{0} || !known.issued_at) {
    chosen.issued_at = own.issued_at;
  } else {
    chosen.issued_at = std::min(*known.issued_at, own.issued_at);
  }
  if (told.measured + told.forecast == Duration{0}) chosen.source = store::k_own_source;
}

}  // namespace

std::string source_at(const KnownSeries& known, Instant t) {
  return known.tail && known.tail->interval.contains(t) ? store::k_own_source : known.key.source;
}

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
    case Grade::fair: return "fair";
    case Grade::poor: return "poor";
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
  if (const auto own = own_in(known, series)) split(chosen, known, *series, *own, window);
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
