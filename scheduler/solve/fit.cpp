// SPDX-License-Identifier: Apache-2.0
#include "scheduler/solve/fit.hpp"

namespace valle::scheduler::solving {
namespace {

Fit make_fit(const Instance& instance, const Task& task, std::size_t site, std::uint32_t option, std::int32_t start,
             double key) {
  const Option& chosen = instance.options_of(task)[option];
  Fit fit{.spot = {.site = static_cast<std::int32_t>(site),
                   .start = start,
                   .option = option,
                   .cost = instance.cost(task, chosen, site, start)},
          .pattern = {},
          .key = key};
  if (task.interruptible >= 0) fit.pattern = without_pause(instance, task, chosen);
  return fit;
}

/// The first start with room in a range, or -1.
std::int32_t first_free(const State& state, std::span<const Extent> extents, std::size_t site, StartRange starts,
                        StartScratch& scratch) {
  mark_full(state, extents, site, starts, scratch);
  for (std::int32_t i = 0; i < starts.count; ++i) {
    if (scratch.full[static_cast<std::size_t>(i)] == 0) return starts.first + i;
  }
  return -1;
}

/// A share of the prices, or of none.
auto share_of_prices(const double* prices, double share) {
  return [=](const Load& load) {
    return [prices, share, amount = load.amount](std::size_t cell) {
      return prices == nullptr ? 0.0 : share * amount * prices[cell];
    };
  };
}

}  // namespace

std::optional<Fit> cheapest_fit(const State& state, std::size_t task_index, const Guide& guide, StartScratch& scratch) {
  const Instance& instance = state.instance();
  const Task& task = instance.tasks[task_index];
  double least = 0;
  std::int32_t at = -1;
  std::size_t best_site = 0;
  std::uint32_t best_option = 0;
  for_each_site(task.sites, [&](std::size_t site) {
    for (std::uint32_t o = 0; o < task.options; ++o) {
      const Option& option = instance.options_of(task)[o];
      const StartRange starts = starts_of(task, option);
      if (starts.count == 0) continue;
      const std::span<const Extent> extents = instance.extents_of(option.footprint);
      put_costs(instance, task, option, site, starts, scratch);
      if (guide.prices != nullptr && guide.share > 0) {
        const double* prices = guide.prices->of_cell.data();
        add_prices(instance, extents, site, starts, share_of_prices(prices, guide.share), scratch);
      }
      mark_full(state, extents, site, starts, scratch);
      for (std::int32_t i = 0; i < starts.count; ++i) {
        const auto n = static_cast<std::size_t>(i);
        if (scratch.full[n] > 0 || (at >= 0 && scratch.value[n] >= least)) continue;
        least = scratch.value[n];
        at = starts.first + i;
        best_site = site;
        best_option = o;
      }
    }
  });
  std::optional<PiecesChoice> pieces;
  if (task.interruptible >= 0) {
    const double* prices = guide.prices != nullptr ? guide.prices->of_cell.data() : nullptr;
    pieces = cheapest_pieces(instance, task, share_of_prices(prices, guide.share), &state, scratch.pieces);
  }
  if (pieces && (at < 0 || pieces->fit.value < least)) return fit_of(instance, task, *pieces);
  if (at < 0) return {};
  return make_fit(instance, task, best_site, best_option, at, least);
}

std::optional<Fit> earliest_fit(const State& state, std::size_t task_index, StartScratch& scratch) {
  const Instance& instance = state.instance();
  const Task& task = instance.tasks[task_index];
  std::int32_t at = -1;
  std::size_t best_site = 0;
  std::uint32_t best_option = 0;
  const auto look = [&](std::size_t site) {
    for (std::uint32_t o = 0; o < task.options; ++o) {
      const Option& option = instance.options_of(task)[o];
      StartRange starts = starts_of(task, option);
      if (at >= 0) starts.count = std::min(starts.count, at - starts.first);  // earlier ones only
      if (starts.count <= 0) continue;
      const std::int32_t start = first_free(state, instance.extents_of(option.footprint), site, starts, scratch);
      if (start < 0) continue;
      at = start;
      best_site = site;
      best_option = o;
    }
  };
  const std::uint64_t home = std::uint64_t{1} << task.home;
  if ((task.sites & home) != 0) look(task.home);
  for_each_site(task.sites & ~home, look);
  if (at < 0) return {};
  return make_fit(instance, task, best_site, best_option, at, at);
}

bool fits_alone(const State& empty, std::size_t task, StartScratch& scratch) {
  if (earliest_fit(empty, task, scratch)) return true;
  return empty.instance().tasks[task].interruptible >= 0 && cheapest_fit(empty, task, {}, scratch);
}

Fit fit_of(const Instance& instance, const Task& task, const PiecesChoice& choice) {
  const Way& way = instance.ways[instance.ways_of(task, instance.options_of(task)[choice.option])[0]];
  Fit fit{.spot = {.site = static_cast<std::int32_t>(choice.site), .start = choice.fit.start, .option = choice.option},
          .pattern = pattern_of(way, choice.fit.pieces),
          .key = choice.fit.value};
  fit.spot.cost = pattern_cost(instance, task, way, fit.pattern, choice.site, choice.fit.start);
  return fit;
}

bool has_room(const State& state, std::size_t task_index, const Fit& fit) {
  const Instance& instance = state.instance();
  const Task& task = instance.tasks[task_index];
  const std::span<const Extent> extents =
      task.interruptible >= 0 ? std::span<const Extent>{fit.pattern.extents}
                              : instance.extents_of(instance.options_of(task)[fit.spot.option].footprint);
  for (const Extent& extent : extents) {
    for (const Load& load : instance.loads_of(extent)) {
      const Count* free = state.free(load.resource, static_cast<std::size_t>(fit.spot.site)) + fit.spot.start;
      for (std::int32_t t = extent.offset; t < extent.offset + extent.length; ++t) {
        if (free[t] < load.amount) return false;
      }
    }
  }
  return true;
}

Fit fit_in(const State& state, std::size_t task) {
  Fit fit{.spot = state.spot(task), .pattern = {}, .key = state.spot(task).cost};
  if (state.instance().tasks[task].interruptible >= 0) fit.pattern = state.pattern(task);
  return fit;
}

double plain_cost(const Instance& instance, std::size_t task_index, const Fit& fit) {
  const Task& task = instance.tasks[task_index];
  const Option& option = instance.options_of(task)[fit.spot.option];
  const auto site = static_cast<std::size_t>(fit.spot.site);
  if (task.interruptible < 0) return instance.cost(task, option, site, fit.spot.start);
  return pattern_cost(instance, task, instance.ways[instance.ways_of(task, option)[0]], fit.pattern, site,
                      fit.spot.start);
}

void place(State& state, std::size_t task, const Fit& fit) { state.place(task, fit.spot, &fit.pattern); }

Pattern without_pause(const Instance& instance, const Task& task, const Option& option) {
  const Way& way = instance.ways[instance.ways_of(task, option)[0]];
  return pattern_of(way, {{0, way.length, way.seconds}});
}

}  // namespace valle::scheduler::solving
