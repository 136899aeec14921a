// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "scheduler/query/best_slot.hpp"
#include "scheduler/query/segment_search.hpp"

namespace valle::scheduler {
namespace {

using Segments = std::vector<Interval>;

/// A schedule in one zone with its cost: ∫ · integral weight + resumed intensities · resume weight, times PUE.
struct Option {
  Wide cost;
  std::size_t zone;
  Segments segments;
};

WorkRule rule_of(const SlotQuestion& question, const Interruption& interruption) {
  const std::int64_t duration = question.duration.count();
  const std::int64_t restart = interruption.restart.count();
  const std::int64_t least_run = std::clamp<std::int64_t>(interruption.min_run.count(), 1, duration);
  return {.duration = duration,
          .restart = restart,
          .first_run = least_run,
          .later_run = std::max(least_run, restart + 1),
          .max_pauses = interruption.max_pauses ? std::optional<std::int64_t>{std::max(0, *interruption.max_pauses)}
                                                : std::nullopt};
}

/// Carbon is energy / duration · ∫ + restart energy · resumed intensities; as integers, after the common divisor.
SegmentPrice<Wide> price_of(const SlotQuestion& question, const Interruption& interruption) {
  const std::int64_t energy = question.energy.base();
  const std::int64_t restart_energy = interruption.restart_energy.base();
  if (restart_energy == 0) return {.integral_weight = 1, .resume_weight = 0};
  const std::int64_t common = std::gcd(energy, restart_energy);
  const Wide per_resume = Wide{restart_energy / common} * question.duration.count();
  return {.integral_weight = energy / common, .resume_weight = per_resume};
}

/// Whether every cost on the grid fits 64 bits, however often the job pauses.
bool fits_64_bits(const SegmentGrid& grid, const SegmentPrice<Wide>& price) {
  Wide resumed = 0;
  for (std::size_t cell = 0; cell < grid.cells(); ++cell) resumed += grid.known(cell) ? grid.value(cell) : 0;
  constexpr Wide most = Wide{SegmentSearch<std::int64_t>::k_unreachable};
  const Wide integral = grid.integral_to(grid.cells());
  const auto product_fits = [&](Wide a, Wide b) { return a == 0 || b <= most / a; };
  if (!product_fits(price.integral_weight, integral) || !product_fits(price.resume_weight, resumed)) return false;
  return price.integral_weight * integral + price.resume_weight * resumed < most;
}

Duration apart_of(const SlotQuestion& question) { return std::max(question.options_apart, Duration{1}); }

/// The cheapest points, each without those nearer than `options_apart` to one taken before; up to `options` of them.
template <class Cost>
std::vector<std::size_t> best_points(const SegmentGrid& grid, const std::vector<Cost>& costs,
                                     const SlotQuestion& question) {
  const Duration apart = apart_of(question);
  std::vector<std::size_t> taken;
  while (taken.size() < question.options) {
    Cost least = SegmentSearch<Cost>::k_unreachable;
    std::size_t best = costs.size();
    for (std::size_t point = 0; point < costs.size(); ++point) {
      if (costs[point] >= least) continue;
      const bool near = std::ranges::any_of(
          taken, [&](std::size_t t) { return std::chrono::abs(grid.point(t) - grid.point(point)) < apart; });
      if (near) continue;
      least = costs[point];
      best = point;
    }
    if (best == costs.size()) break;
    taken.push_back(best);
  }
  return taken;
}

template <class Cost>
std::vector<Segments> traced(const SegmentGrid& grid, const AmountLayers& layers, const WorkRule& rule,
                             SegmentPrice<Cost> price, const SlotQuestion& question) {
  const SegmentSearch<Cost> search{grid, layers, rule, price};
  std::vector<Cost> costs(grid.cells());
  for (std::size_t point = 0; point < costs.size(); ++point) costs[point] = search.cost_from(point);
  std::vector<Segments> schedules;
  for (const std::size_t point : best_points(grid, costs, question)) schedules.push_back(search.trace(point));
  return schedules;
}

/// The best schedules on a grid, pauses and all; nothing if there are too many ways.
std::optional<std::vector<Segments>> broken_schedules(const SegmentGrid& grid, const WorkRule& rule,
                                                      const SegmentPrice<Wide>& price, const SlotQuestion& question) {
  const auto layers = AmountLayers::make(grid, rule);
  if (!layers) return std::nullopt;
  if (!fits_64_bits(grid, price)) return traced(grid, *layers, rule, price, question);
  const SegmentPrice<std::int64_t> narrow_price{narrow(price.integral_weight), narrow(price.resume_weight)};
  return traced(grid, *layers, rule, narrow_price, question);
}

/// The best runs without a pause that begin at a point of the grid.
std::vector<Segments> unbroken_schedules(const SegmentGrid& grid, const IntensitySeries& series,
                                         const SlotQuestion& question) {
  std::vector<std::int64_t> costs(grid.cells(), SegmentSearch<std::int64_t>::k_unreachable);
  const auto run_from = [&](std::size_t point) {
    return Interval{grid.point(point), grid.point(point) + question.duration};
  };
  for (std::size_t point = 0; point < grid.cells() && run_from(point).end <= question.window.end; ++point) {
    const auto integral = series.integral(run_from(point));
    if (integral) costs[point] = integral->base();
  }
  std::vector<Segments> schedules;
  for (const std::size_t point : best_points(grid, costs, question)) schedules.push_back({run_from(point)});
  return schedules;
}

/// The means of whole blocks in the window that begin and end on step boundaries.
IntensitySeries in_blocks(const IntensitySeries& series, const Interval& window, Duration block) {
  std::vector<Step> steps;
  for (const Step& step : series.within(window)) steps.push_back(step);
  const IntensitySeries means = resample(IntensitySeries::of(std::move(steps)), Instant{}, block);
  std::vector<Step> blocks;
  for (const Step& mean : means.steps()) {
    const Interval& whole = mean.interval;
    const bool in_window = whole.overlap(window) == whole;
    if (in_window && series.at(whole.begin)->interval.begin == whole.begin &&
        series.at(whole.end - Duration{1})->interval.end == whole.end) {
      blocks.push_back(mean);
    }
  }
  return IntensitySeries::of(std::move(blocks));
}

/// Good schedules where there are too many ways to try all: those without a pause, and the best of the finest blocks of
/// steps that can be searched. All keep the rule.
std::vector<Segments> coarse_schedules(const SegmentGrid& grid, const IntensitySeries& series, const WorkRule& rule,
                                       const SegmentPrice<Wide>& price, const SlotQuestion& question) {
  std::vector<Segments> schedules = unbroken_schedules(grid, series, question);
  for (const int hours : {1, 2, 4, 8, 24}) {
    const SegmentGrid blocks{in_blocks(series, question.window, std::chrono::hours{hours}), question.window};
    if (blocks.cells() == 0) continue;
    const auto broken = broken_schedules(blocks, rule, price, question);
    if (!broken || broken->empty()) continue;
    schedules.insert(schedules.end(), broken->begin(), broken->end());
    break;
  }
  return schedules;
}

/// The best schedules in one zone, at least as many as there are options. Sets `exact` to false if not all were tried.
std::vector<Segments> schedules_in(const SlotQuestion& question, const IntensitySeries& series, const WorkRule& rule,
                                   const SegmentPrice<Wide>& price, bool& exact) {
  const SegmentGrid grid{series, question.window};
  if (grid.cells() == 0) return {};
  if (rule.max_pauses == 0) return unbroken_schedules(grid, series, question);
  if (auto schedules = broken_schedules(grid, rule, price, question)) return *std::move(schedules);
  exact = false;
  return coarse_schedules(grid, series, rule, price, question);
}

/// ∫ over the segments, and the sum of the intensities of the resumed steps.
struct Sums {
  IntensitySeconds integral{};
  Wide resumed = 0;
};

Sums sums_of(const IntensitySeries& series, const Segments& segments) {
  Sums sums;
  for (const Interval& segment : segments) {
    sums.integral += series.integral(segment).value();
    if (segment != segments.front()) sums.resumed += series.at(segment.begin)->value.base();
  }
  return sums;
}

Slot slot_of(const SlotQuestion& question, const Interruption& interruption, std::size_t zone,
             const Segments& segments) {
  const ZoneOption& option = question.zones[zone];
  const Sums sums = sums_of(*option.series, segments);
  const auto pauses = static_cast<std::int64_t>(segments.size()) - 1;
  const std::int64_t seconds = question.duration.count();
  const Wide repeated = divide_rounded(Wide{question.energy.base()} * interruption.restart.count() * pauses, seconds);
  const Energy energy = question.energy + Energy::of_base(narrow(repeated)) + interruption.restart_energy * pauses;
  // mg·s/kWh · mWh on both sides; as in `emissions_of`, in one rounding.
  const Wide carbon = Wide{question.energy.base()} * sums.integral.base() +
                      Wide{interruption.restart_energy.base()} * seconds * sums.resumed;
  const Wide scale = Wide{seconds} * 1'000'000 * k_one.base();
  return {.zone = zone,
          .interval = {segments.front().begin, segments.back().end},
          .segments = segments,
          .integral = sums.integral,
          .mean = mean_of(sums.integral, question.duration + interruption.restart * pauses),
          .energy = energy,
          .facility_energy = at_facility(energy, option.pue),
          .emissions = Emissions::of_base(narrow(divide_rounded(carbon * option.pue.base(), scale)))};
}

}  // namespace

SlotAnswer best_interruptible_slot(const SlotQuestion& question, const Interruption& interruption) {
  require(question.duration > Duration{0}, "a run lasts at least a second");
  require(interruption.restart >= Duration{0}, "a restart takes no negative time");
  const WorkRule rule = rule_of(question, interruption);
  const SegmentPrice<Wide> price = price_of(question, interruption);
  SlotAnswer answer;
  std::vector<Option> options;
  for (std::size_t zone = 0; zone < question.zones.size(); ++zone) {
    const auto& [series, pue] = question.zones[zone];
    for (Segments& segments : schedules_in(question, *series, rule, price, answer.exact)) {
      const Sums sums = sums_of(*series, segments);
      const Wide cost = price.integral_weight * sums.integral.base() + price.resume_weight * sums.resumed;
      options.push_back({cost * pue.base(), zone, std::move(segments)});
    }
  }
  // Stable, so that the order of the zones decides last.
  std::ranges::stable_sort(options, [](const Option& a, const Option& b) {
    return a.cost != b.cost ? a.cost < b.cost : a.segments.front().begin < b.segments.front().begin;
  });
  for (const Option& option : options) {
    const bool near = std::ranges::any_of(answer.options, [&](const Slot& better) {
      return better.zone == option.zone &&
             std::chrono::abs(better.interval.begin - option.segments.front().begin) < apart_of(question);
    });
    if (near || answer.options.size() == question.options) continue;
    answer.options.push_back(slot_of(question, interruption, option.zone, option.segments));
  }
  return answer;
}

}  // namespace valle::scheduler
