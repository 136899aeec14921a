// SPDX-License-Identifier: Apache-2.0
#include "scheduler/energy/proportion.hpp"

#include <algorithm>

namespace valle::scheduler {
namespace {

double seconds_of_overlap(const Span& a, const Span& b) {
  const Moment from = std::max(a.begin, b.begin);
  const Moment to = std::min(a.end, b.end);
  return from < to ? seconds_between(from, to) : 0;
}

/// Seconds of `span` that nobody had the board.
double free_seconds(const Span& span, std::span<const Tenant> tenants) {
  std::vector<Span> taken;
  for (const Tenant& tenant : tenants) {
    if (overlap(span, tenant.ran))
      taken.push_back({std::max(span.begin, tenant.ran.begin), std::min(span.end, tenant.ran.end)});
  }
  std::sort(taken.begin(), taken.end(), [](const Span& a, const Span& b) { return a.begin < b.begin; });
  double seconds = 0;
  Moment until = span.begin;
  for (const Span& part : taken) {
    if (part.begin > until) seconds += seconds_between(until, part.begin);
    until = std::max(until, part.end);
  }
  if (until < span.end) seconds += seconds_between(until, span.end);
  return seconds;
}

/// The intervals between points, and what each tenant draws of its own.
class Board {
 public:
  Board(const BoardPoints& points, const BoardQuestion& question) : question_{question} {
    // A slow collector's new value arose somewhere between two scrapes: on average half an interval before.
    const bool slow = points.spacing_seconds > 1.5 * points.scrape_seconds;
    const auto shift = slow ? milliseconds_of(points.scrape_seconds / 2) : std::chrono::milliseconds{0};
    points_ = points.totals;
    for (Sample& point : points_) point.at -= shift;
    idle_watts_ = question.facts.idle_watts.value_or(least_rate());
    for (const Tenant& tenant : question.tenants) rates_.push_back(rate_of(tenant));
  }

  Portion portion() const {
    Portion portion;
    portion.reaches_start = !points_.empty() && points_.front().at <= question_.ran.begin;
    portion.reaches_end = !points_.empty() && points_.back().at >= question_.ran.end;
    portion.curve.push_back({question_.ran.begin, 0});
    for (std::size_t i = 1; i < points_.size(); ++i) {
      const Span span{points_[i - 1].at, points_[i].at};
      if (!overlap(span, question_.ran)) continue;
      add_part(portion, span, points_[i].value - points_[i - 1].value);
    }
    return portion;
  }

 private:
  void add_part(Portion& portion, const Span& span, double joules) const {
    double own = 0;
    double all = free_seconds(span, question_.tenants) * idle_watts_;
    bool shared = false;
    for (std::size_t k = 0; k < question_.tenants.size(); ++k) {
      const Tenant& tenant = question_.tenants[k];
      const double weight = seconds_of_overlap(span, tenant.ran) * rates_[k];
      all += weight;
      if (tenant.pod == question_.pod)
        own += weight;
      else
        shared = shared || overlap({std::max(span.begin, question_.ran.begin), std::min(span.end, question_.ran.end)},
                                   tenant.ran);
    }
    const double part = all > 0 ? joules * own / all : 0;
    portion.joules += part;
    if (shared) portion.shared_joules += part;
    portion.curve.push_back({std::min(span.end, question_.ran.end), portion.joules});
  }

  [[nodiscard]] double least_rate() const {
    std::optional<double> least;
    for (std::size_t i = 1; i < points_.size(); ++i) {
      const double watts =
          (points_[i].value - points_[i - 1].value) / seconds_between(points_[i - 1].at, points_[i].at);
      if (!least || watts < *least) least = watts;
    }
    return least.value_or(0);
  }

  /// Mean power between the points inside a tenant's run; where there are not two, of the intervals that touch it, less
  /// the idle energy beside it.
  [[nodiscard]] double rate_of(const Tenant& tenant) const {
    const Sample* first = nullptr;
    const Sample* last = nullptr;
    double touching = 0;
    double beside = 0;
    double seconds = 0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (points_[i].at >= tenant.ran.begin && points_[i].at <= tenant.ran.end) {
        if (first == nullptr) first = &points_[i];
        last = &points_[i];
      }
      if (i == 0) continue;
      const Span span{points_[i - 1].at, points_[i].at};
      if (!overlap(span, tenant.ran)) continue;
      touching += points_[i].value - points_[i - 1].value;
      beside += free_seconds(span, question_.tenants) * idle_watts_;
      seconds += seconds_of(span) - free_seconds(span, question_.tenants);
    }
    if (first != last) return (last->value - first->value) / seconds_between(first->at, last->at);
    if (seconds <= 0) return idle_watts_;
    return std::max(idle_watts_, (touching - beside) / seconds);
  }

  const BoardQuestion& question_;
  Samples points_;
  double idle_watts_ = 0;
  std::vector<double> rates_;  // one a tenant
};

}  // namespace

Portion in_proportion(const BoardPoints& points, const BoardQuestion& question) {
  return Board{points, question}.portion();
}

}  // namespace valle::scheduler
