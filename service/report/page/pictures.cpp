// SPDX-License-Identifier: Apache-2.0
#include "service/report/page/pictures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "scheduler/units/units.hpp"
#include "service/report/page/svg.hpp"

namespace valle::service::report {
namespace {

using scheduler::Wide;
using Anchor = Svg::Anchor;

constexpr double k_width = 760;
constexpr double k_left = 56;  // room for the numbers of a vertical axis
constexpr double k_right = k_width - 8;

double kilograms(Wide milligrams) { return static_cast<double>(milligrams) / 1e6; }
double kwh_of(Wide milliwatt_hours) { return static_cast<double>(milliwatt_hours) / 1e6; }

/// The axis' lines and numbers, and what they count above them.
void draw_axis(Svg& svg, const Axis& axis, const LocalText& local, std::string_view name) {
  const int shown = axis.step >= 1 ? (axis.step == std::floor(axis.step) ? 0 : 1)
                                   : std::min(6, static_cast<int>(std::ceil(-std::log10(axis.step) - 1e-9)) + 1);
  for (int i = 0; i <= axis.steps; ++i) {
    const double value = axis.low + axis.step * i;
    svg.line({k_left, axis.y(value)}, {k_right, axis.y(value)}, std::abs(value) < axis.step / 2 ? "zero" : "grid");
    svg.text({k_left - 6, axis.y(value) + 4}, local.number(std::llround(value * 1e6), 6, shown), Anchor::end);
  }
  svg.text({0, axis.top - 10}, name);
}

/// Colour and name of each series in a row from the right.
void draw_legend(Svg& svg, double y, const std::vector<std::string>& names) {
  double x = k_right;
  for (std::size_t i = names.size(); i-- > 0;) {
    svg.text({x, y}, names[i], Anchor::end);
    x -= 7.0 * static_cast<double>(names[i].size()) + 8;
    svg.rectangle({x - 10, y - 9}, 10, 10, colour(i));
    x -= 24;
  }
}

/// Where the week's instants lie.
struct TimeScale {
  scheduler::Interval bounds;
  [[nodiscard]] double x(scheduler::Instant t) const {
    return k_left + (k_right - k_left) * static_cast<double>((t - bounds.begin).count()) /
                        static_cast<double>(bounds.length().count());
  }
};

void draw_days(Svg& svg, const WeeklyReport& report, const TimeScale& scale, const LocalText& local, double top,
               double bottom) {
  for (std::size_t day = 0; day < report.days.size(); ++day) {
    const auto& interval = report.days[day];
    svg.line({scale.x(interval.begin), top}, {scale.x(interval.begin), bottom}, "grid");
    svg.text({(scale.x(interval.begin) + scale.x(interval.end)) / 2, bottom + 16}, local.words().weekdays[day % 7],
             Anchor::middle);
  }
}

void draw_intensity(Svg& svg, const WeeklyReport& report, const TimeScale& scale, const LocalText& local) {
  double highest = 0;
  std::vector<std::string> names;
  for (const ZoneOfReport& zone : report.grid.zones) {
    names.push_back(zone.zone.name());
    for (const scheduler::Step& step : zone.steps) {
      if (!step.interval.overlap(report.bounds).empty()) highest = std::max(highest, grams_per_kwh(step.value));
    }
  }
  const Axis axis = axis_of(0, highest, 28, 190);
  draw_axis(svg, axis, local, local.words().intensity_axis);
  draw_legend(svg, 14, names);
  for (std::size_t i = 0; i < report.grid.zones.size(); ++i) {
    std::vector<Point> corners;
    scheduler::Instant last = report.bounds.begin;
    for (const scheduler::Step& step : report.grid.zones[i].steps) {
      const auto seen = step.interval.overlap(report.bounds);
      if (seen.empty()) continue;
      if (seen.begin > last) corners.push_back({0, std::numeric_limits<double>::quiet_NaN()});
      corners.push_back({scale.x(seen.begin), axis.y(grams_per_kwh(step.value))});
      corners.push_back({scale.x(seen.end), axis.y(grams_per_kwh(step.value))});
      last = seen.end;
    }
    svg.path(corners, colour(i));
  }
  draw_days(svg, report, scale, local, axis.top, axis.bottom);
}

void draw_energy(Svg& svg, const WeeklyReport& report, const TimeScale& scale, const LocalText& local) {
  const auto& by_site = report.pictures->energy_by_hour;
  std::vector<std::string> names;
  for (const SiteOfReport& site : report.grid.sites) names.push_back(site.name);
  std::size_t hours = 0;
  for (const auto& site : by_site) hours = std::max(hours, site.size());
  double highest = 0;
  for (std::size_t hour = 0; hour < hours; ++hour) {
    double sum = 0;
    for (const auto& site : by_site) sum += hour < site.size() ? kwh_of(site[hour].base()) : 0;
    highest = std::max(highest, sum);
  }
  const Axis axis = axis_of(0, highest, 248, 360);
  draw_axis(svg, axis, local, local.words().energy_axis);
  draw_legend(svg, 234, names);
  for (std::size_t hour = 0; hour < hours; ++hour) {
    const auto begin = report.bounds.begin + std::chrono::hours{hour};
    const double left = scale.x(begin);
    const double width = std::max(0.5, scale.x(begin + std::chrono::hours{1}) - left - 0.4);
    double sum = 0;
    for (std::size_t site = 0; site < by_site.size(); ++site) {
      if (hour >= by_site[site].size() || by_site[site][hour].base() <= 0) continue;
      const double below = sum;
      sum += kwh_of(by_site[site][hour].base());
      // A site is drawn in the colour of its zone's line.
      const std::size_t series = site < report.grid.sites.size() ? report.grid.sites[site].zone : site;
      svg.rectangle({left, axis.y(sum)}, width, axis.y(below) - axis.y(sum), colour(series));
    }
  }
  draw_days(svg, report, scale, local, axis.top, axis.bottom);
}

struct OwnerBar {
  std::string_view name;
  Wide saved;
};

/// The owners that weigh most, the others as one.
std::vector<OwnerBar> owner_bars(const WeeklyReport& report, const Words& words) {
  constexpr std::size_t most = 12;
  std::vector<OwnerBar> bars;
  for (const auto& [name, totals] : report.sums.groups()) {
    if (totals.jobs > totals.not_assessed)
      bars.push_back({name.empty() ? words.no_owner : name, totals.saved().base()});
  }
  const auto size = [](const OwnerBar& bar) { return bar.saved < 0 ? -bar.saved : bar.saved; };
  std::stable_sort(bars.begin(), bars.end(), [&](const auto& a, const auto& b) { return size(a) > size(b); });
  if (bars.size() > most) {
    OwnerBar others{words.other_owners, 0};
    for (std::size_t i = most - 1; i < bars.size(); ++i) others.saved += bars[i].saved;
    bars.resize(most - 1);
    bars.push_back(others);
  }
  return bars;
}

/// At most 26 characters of a name, cut where one begins.
std::string shortened(std::string_view name) {
  std::size_t characters = 0, end = 0;
  for (; end < name.size(); ++end) {
    if ((name[end] & 0xC0) == 0x80) continue;
    if (++characters > 26) return std::string{name.substr(0, end)} + "…";
  }
  return std::string{name};
}

std::string horizontal_bars(const std::vector<OwnerBar>& bars, const LocalText& local, std::string_view title) {
  constexpr double names = 210, values = 90, row = 24;
  Svg svg{k_width, row * static_cast<double>(bars.size()) + 8, title};
  double low = 0, high = 0;
  for (const OwnerBar& bar : bars) {
    low = std::min(low, kilograms(bar.saved));
    high = std::max(high, kilograms(bar.saved));
  }
  const double room = k_width - names - values - (low < 0 ? values : 0);
  const double per_kilogram = high - low > 0 ? room / (high - low) : 0;
  const double zero = names + (low < 0 ? values : 0) - low * per_kilogram;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const double y = 4 + row * static_cast<double>(i);
    const double length = kilograms(bars[i].saved) * per_kilogram;
    svg.text({0, y + 15}, shortened(bars[i].name));
    svg.rectangle({std::min(zero, zero + length), y + 3}, std::abs(length), row - 8, colour(length < 0 ? 1 : 2));
    svg.text({zero + length + (length < 0 ? -6 : 6), y + 15}, local.mass(bars[i].saved),
             length < 0 ? Anchor::end : Anchor::start);
  }
  svg.line({zero, 0}, {zero, row * static_cast<double>(bars.size()) + 8}, "zero");
  return std::move(svg).finished();
}

}  // namespace

std::string week_picture(const WeeklyReport& report, const LocalText& local) {
  Svg svg{k_width, 384, local.words().week_picture};
  const TimeScale scale{report.bounds};
  draw_intensity(svg, report, scale, local);
  draw_energy(svg, report, scale, local);
  return std::move(svg).finished();
}

std::string day_picture(const WeeklyReport& report, const LocalText& local) {
  Svg svg{k_width, 230, local.words().day_picture};
  const auto& saved = report.pictures->saved_by_day;
  double low = 0, high = 0;
  for (const auto& day : saved) {
    low = std::min(low, kilograms(day.base()));
    high = std::max(high, kilograms(day.base()));
  }
  const Axis axis = axis_of(low, high, 28, 200);
  draw_axis(svg, axis, local, "kg CO₂e");
  const double width = (k_right - k_left) / static_cast<double>(std::max<std::size_t>(1, saved.size()));
  for (std::size_t day = 0; day < saved.size(); ++day) {
    const double value = kilograms(saved[day].base());
    const double left = k_left + width * static_cast<double>(day);
    svg.rectangle({left + width * 0.2, axis.y(std::max(0.0, value))}, width * 0.6, std::abs(axis.y(value) - axis.y(0)),
                  colour(value < 0 ? 1 : 2));
    svg.text({left + width / 2, axis.y(std::max(0.0, value)) - 5}, local.mass(saved[day].base()), Anchor::middle);
    svg.text({left + width / 2, 218}, local.words().weekdays[day % 7], Anchor::middle);
  }
  return std::move(svg).finished();
}

std::string owner_picture(const WeeklyReport& report, const LocalText& local) {
  return horizontal_bars(owner_bars(report, local.words()), local, local.words().owner_picture);
}

std::string split_picture(const WeeklyReport& report, const LocalText& local) {
  const auto& totals = report.sums.totals();
  const Words& words = local.words();
  return horizontal_bars({{words.by_time, totals.by_time.base()},
                          {words.by_place, totals.by_place.base()},
                          {words.by_efficiency, totals.by_efficiency.base()}},
                         local, words.split);
}

std::string wait_picture(const WeeklyReport& report, const LocalText& local) {
  Svg svg{k_width, 246, local.words().wait_picture};
  const auto& waits = report.pictures->waits;
  const std::int64_t most = waits.empty() ? 0 : *std::max_element(waits.begin(), waits.end());
  Axis axis = axis_of(0, static_cast<double>(most), 28, 200);
  if (axis.step < 1)
    axis = {.low = 0, .step = 1, .steps = static_cast<int>(std::max<std::int64_t>(1, most)), .top = 28, .bottom = 200};
  draw_axis(svg, axis, local, local.words().jobs_axis);
  const double width = (k_right - k_left) / static_cast<double>(std::max<std::size_t>(1, waits.size()));
  for (std::size_t bar = 0; bar < waits.size(); ++bar) {
    const bool late = bar + 1 == waits.size();
    const double left = k_left + width * static_cast<double>(bar);
    const double top = axis.y(static_cast<double>(waits[bar]));
    svg.rectangle({left + width * 0.1, top}, width * 0.8, axis.bottom - top, colour(late ? 1 : 0));
    if (waits[bar] > 0) svg.text({left + width / 2, top - 5}, local.count(waits[bar]), Anchor::middle);
    svg.text({left + width / 2, 217},
             late ? std::string{local.words().late} : std::to_string(bar * 10) + "–" + std::to_string(bar * 10 + 10),
             Anchor::middle);
  }
  svg.text({(k_left + k_right) / 2, 239}, local.words().wait_axis, Anchor::middle);
  return std::move(svg).finished();
}

}  // namespace valle::service::report
