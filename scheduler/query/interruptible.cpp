// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <utility>

#include "scheduler/query/best_slot.hpp"
#include "scheduler/query/segment_search.hpp"
#include "scheduler/query/start_search.hpp"

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

/// The cheapest run without a pause among the starts that are still free, over all seconds of the window.
class UnbrokenStarts {
 public:
  UnbrokenStarts(const IntensitySeries& series, const SlotQuestion& question)
      : series_{series}, duration_{question.duration}, apart_{apart_of(question)} {
    add(question.window);
  }

  [[nodiscard]] std::optional<StartCost> cheapest() const {
    const auto best = std::ranges::min_element(free_, {}, [](const Free& free) {
      return std::pair{free.best.integral, free.best.at};
    });
    return best == free_.end() ? std::nullopt : std::optional{best->best};
  }

  /// Those nearer to `start` than options may be are free no more.
  void take(Instant start) {
    for (const Free& free : std::exchange(free_, {})) {
      const Instant last = free.window.end - duration_;
      add({free.window.begin, std::min(last, start - apart_) + duration_});
      add({std::max(free.window.begin, start + apart_), free.window.end});
    }
  }

 private:
  struct Free {
    Interval window;
    StartCost best;
  };
  void add(const Interval& window) {
    if (window.end - window.begin < duration_) return;
    const auto best = extreme_start(series_, window, duration_, Extreme::cheapest);
    if (best) free_.push_back({window, *best});
  }

  const IntensitySeries& series_;
  Duration duration_;
  Duration apart_;
  std::vector<Free> free_;
};

/// The start of a schedule: a point of the grid from which it is traced, or any second for a run without a pause.
struct Chosen {
  Instant start;
  std::optional<std::size_t> point;
};

/// The cheapest starts, each without those nearer than `options_apart` to one taken before; up to `options` of them.
/// `costs` are those of the points; there may be none.
template <class Cost>
std::vector<Chosen> best_starts(const SegmentGrid& grid, const std::vector<Cost>& costs, Cost integral_weight,
                                const IntensitySeries& series, const SlotQuestion& question) {
  const Duration apart = apart_of(question);
  UnbrokenStarts unbroken{series, question};
  std::vector<Chosen> taken;
  while (taken.size() < question.options) {
    Cost least = SegmentSearch<Cost>::k_unreachable;
    std::optional<Chosen> best;
    for (std::size_t point = 0; point < costs.size(); ++point) {
      if (costs[point] >= least) continue;
      const bool near = std::ranges::any_of(
          taken, [&](const Chosen& t) { return std::chrono::abs(t.start - grid.point(point)) < apart; });
      if (near) continue;
      least = costs[point];
      best = Chosen{grid.point(point), point};
    }
    if (const auto whole = unbroken.cheapest()) {
      const Cost cost = integral_weight * whole->integral;
      if (!best || cost < least || (cost == least && whole->at < best->start)) best = Chosen{whole->at, {}};
    }
    if (!best) break;
    unbroken.take(best->start);
    taken.push_back(*best);
  }
  return taken;
}

template <class Cost>
std::vector<Segments> traced(const SegmentGrid& grid, const IntensitySeries& series, const AmountLayers& layers,
                             const WorkRule& rule, SegmentPrice<Cost> price, const SlotQuestion& question) {
  const SegmentSearch<Cost> search{grid, layers, rule, price};
  std::vector<Cost> costs(grid.cells());
  for (std::size_t point = 0; point < costs.size(); ++point) costs[point] = search.cost_from(point);
  std::vector<Segments> schedules;
  for (const Chosen& chosen : best_starts(grid, costs, price.integral_weight, series, question)) {
    schedules.push_back(chosen.point ? search.trace(*chosen.point)
                                     : Segments{{chosen.start, chosen.start + question.duration}});
  }
  return schedules;
}

/// The best schedules on a grid, with or without pauses; nothing if there are too many ways.
std::optional<std::vector<Segments>> broken_schedules(const SegmentGrid& grid, const IntensitySeries& series,
                                                      const WorkRule& rule, const SegmentPrice<Wide>& price,
                                                      const SlotQuestion& question, SlotAnswer& answer) {
  const auto layers = AmountLayers::make(grid, rule);
  if (!layers) return std::nullopt;
  answer.work += layers->work();
  if (!fits_64_bits(grid, price)) return traced(grid, series, *layers, rule, price, question);
  const SegmentPrice<std::int64_t> narrow_price{narrow(price.integral_weight), narrow(price.resume_weight)};
  return traced(grid, series, *layers, rule, narrow_price, question);
}

/// The best runs without a pause.
std::vector<Segments> unbroken_schedules(const SegmentGrid& grid, const IntensitySeries& series,
                                         const SlotQuestion& question) {
  std::vector<Segments> schedules;
  for (const Chosen& chosen : best_starts<std::int64_t>(grid, {}, 1, series, question)) {
    schedules.push_back({{chosen.start, chosen.start + question.duration}});
  }
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
                                       const SegmentPrice<Wide>& price, const SlotQuestion& question,
                                       SlotAnswer& answer) {
  std::vector<Segments> schedules = unbroken_schedules(grid, series, question);
  for (const int hours : {1, 2, 4, 8, 24}) {
    const SegmentGrid blocks{in_blocks(series, question.window, std::chrono::hours{hours}), question.window};
    if (blocks.cells() == 0) continue;
    const auto broken = broken_schedules(blocks, series, rule, price, question, answer);
    if (!broken || broken->empty()) continue;
    schedules.insert(schedules.end(), broken->begin(), broken->end());
    break;
  }
  return schedules;
}

/// The best schedules in one zone, at least as many as there are options. Notes in the answer if not all were tried,
/// and the work.
std::vector<Segments> schedules_in(const SlotQuestion& question, const IntensitySeries& series, const WorkRule& rule,
                                   const SegmentPrice<Wide>& price, SlotAnswer& answer) {
  const SegmentGrid grid{series, question.window};
  if (grid.cells() == 0) return {};
  if (rule.max_pauses == 0) return unbroken_schedules(grid, series, question);
  if (auto schedules = broken_schedules(grid, series, rule, price, question, answer)) return *std::move(schedules);
  answer.exact = false;
  return coarse_schedules(grid, series, rule, price, question, answer);
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
    for (Segments& segments : schedules_in(question, *series, rule, price, answer)) {
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
