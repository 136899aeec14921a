// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "scheduler/query/best_slot.hpp"
#include "scheduler/query/segment_search.hpp"

namespace valle::scheduler {
namespace {

/// A schedule in one zone. `cost` = ∫ · integral weight + resumed intensities · resume weight, without PUE.
struct Schedule {
  Wide cost;
  std::vector<Interval> segments;
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
  const Wide most = Wide{SegmentSearch<std::int64_t>::k_unreachable};
  const Wide integral = grid.integral_to(grid.cells());
  const auto product_fits = [most](Wide a, Wide b) { return a == 0 || b <= most / a; };
  if (!product_fits(price.integral_weight, integral) || !product_fits(price.resume_weight, resumed)) return false;
  return price.integral_weight * integral + price.resume_weight * resumed < most;
}

/// The cheapest points, each without those nearer than `options_apart` to one taken before; up to `options` of them.
template <class Cost>
std::vector<std::size_t> best_points(const SegmentGrid& grid, const std::vector<Cost>& costs,
                                     const SlotQuestion& question) {
  const Duration apart = std::max(question.options_apart, Duration{1});
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
std::vector<Schedule> broken_schedules(const SegmentGrid& grid, const AmountLayers& layers, const WorkRule& rule,
                                       SegmentPrice<Cost> price, const SlotQuestion& question) {
  const SegmentSearch<Cost> search{grid, layers, rule, price};
  std::vector<Cost> costs(grid.cells());
  for (std::size_t point = 0; point < costs.size(); ++point) costs[point] = search.cost_from(point);
  std::vector<Schedule> schedules;
  for (const std::size_t point : best_points(grid, costs, question)) {
    schedules.push_back({costs[point], search.trace(point)});
  }
  return schedules;
}

/// Runs without a pause that begin at a point of the grid.
std::vector<Schedule> unbroken_schedules(const SegmentGrid& grid, const IntensitySeries& series, Wide integral_weight,
                                         const SlotQuestion& question) {
  std::vector<Wide> costs(grid.cells(), SegmentSearch<Wide>::k_unreachable);
  const auto run_from = [&](std::size_t point) {
    return Interval{grid.point(point), grid.point(point) + question.duration};
  };
  for (std::size_t point = 0; point < grid.cells() && run_from(point).end <= question.window.end; ++point) {
    const auto integral = series.integral(run_from(point));
    if (integral) costs[point] = integral_weight * integral->base();
  }
  std::vector<Schedule> schedules;
  for (const std::size_t point : best_points(grid, costs, question)) {
    schedules.push_back({costs[point], {run_from(point)}});
  }
  return schedules;
}

/// The best schedules in one zone, at most as many as there are options. Sets `exact` to false if it had to give up
/// pauses.
std::vector<Schedule> schedules_in(const SlotQuestion& question, const IntensitySeries& series, const WorkRule& rule,
                                   const SegmentPrice<Wide>& price, bool& exact) {
  const SegmentGrid grid{series, question.window};
  if (grid.cells() == 0) return {};
  if (rule.max_pauses == 0) return unbroken_schedules(grid, series, price.integral_weight, question);
  const AmountLayers layers{grid, rule};
  if (layers.amounts() > k_most_interruptible_states / (2 * (grid.cells() + 1))) {
    exact = false;
    return unbroken_schedules(grid, series, price.integral_weight, question);
  }
  if (!fits_64_bits(grid, price)) return broken_schedules(grid, layers, rule, price, question);
  const SegmentPrice<std::int64_t> narrow_price{narrow(price.integral_weight), narrow(price.resume_weight)};
  return broken_schedules(grid, layers, rule, narrow_price, question);
}

Slot slot_of(const SlotQuestion& question, const Interruption& interruption, std::size_t zone,
             const std::vector<Interval>& segments) {
  const ZoneOption& option = question.zones[zone];
  const auto pauses = static_cast<std::int64_t>(segments.size()) - 1;
  IntensitySeconds integral;
  Wide resumed = 0;
  for (const Interval& segment : segments) {
    integral += option.series->integral(segment).value();
    if (segment != segments.front()) resumed += option.series->at(segment.begin)->value.base();
  }
  const std::int64_t seconds = question.duration.count();
  const Wide repeated = divide_rounded(Wide{question.energy.base()} * interruption.restart.count() * pauses, seconds);
  const Energy energy = question.energy + Energy::of_base(narrow(repeated)) + interruption.restart_energy * pauses;
  // mg·s/kWh · mWh on both sides; as in `emissions_of`, in one rounding.
  const Wide carbon =
      Wide{question.energy.base()} * integral.base() + Wide{interruption.restart_energy.base()} * seconds * resumed;
  const Wide scale = Wide{seconds} * 1'000'000 * k_one.base();
  return {.zone = zone,
          .interval = {segments.front().begin, segments.back().end},
          .segments = segments,
          .integral = integral,
          .mean = mean_of(integral, question.duration + interruption.restart * pauses),
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
  struct Option {
    Wide cost;
    std::size_t zone;
    std::vector<Interval> segments;
  };
  SlotAnswer answer;
  std::vector<Option> options;
  for (std::size_t zone = 0; zone < question.zones.size(); ++zone) {
    const ZoneOption& option = question.zones[zone];
    for (Schedule& schedule : schedules_in(question, *option.series, rule, price, answer.exact)) {
      options.push_back({schedule.cost * option.pue.base(), zone, std::move(schedule.segments)});
    }
  }
  // Stable, so that the order of the zones decides last. Each zone has brought as many as could be wanted of it.
  std::ranges::stable_sort(options, [](const Option& a, const Option& b) {
    return a.cost != b.cost ? a.cost < b.cost : a.segments.front().begin < b.segments.front().begin;
  });
  for (std::size_t i = 0; i < std::min(question.options, options.size()); ++i) {
    answer.options.push_back(slot_of(question, interruption, options[i].zone, options[i].segments));
  }
  return answer;
}

}  // namespace valle::scheduler
