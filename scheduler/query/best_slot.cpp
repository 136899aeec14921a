// SPDX-License-Identifier: Apache-2.0
#include "scheduler/query/best_slot.hpp"

#include <algorithm>

#include "scheduler/query/start_search.hpp"

namespace valle::scheduler {
namespace {

/// A start in some zone with its cost ∫ intensity dt · PUE in mg·s/kWh · ppm, negated while the costliest is looked
/// for.
struct Candidate {
  Start start;
  Wide cost;
};

bool better(const Candidate& a, const Candidate& b) {
  if (a.cost != b.cost) return a.cost < b.cost;
  if (a.start.at != b.start.at) return a.start.at < b.start.at;
  return a.start.zone < b.start.zone;
}

std::optional<Candidate> candidate_in(std::span<const ZoneOption> zones, std::size_t zone, const Interval& window,
                                      Duration duration, Extreme extreme) {
  const auto start = extreme_start(*zones[zone].series, window, duration, extreme);
  if (!start) return std::nullopt;
  const Wide cost = Wide{start->integral} * zones[zone].pue.base();
  return Candidate{.start = {zone, start->at, IntensitySeconds::of_base(start->integral)},
                   .cost = extreme == Extreme::cheapest ? cost : -cost};
}

std::optional<Start> extreme_of_zones(const Interval& window, Duration duration, std::span<const ZoneOption> zones,
                                      Extreme extreme) {
  std::optional<Candidate> best;
  for (std::size_t zone = 0; zone < zones.size(); ++zone) {
    const auto candidate = candidate_in(zones, zone, window, duration, extreme);
    if (candidate && (!best || better(*candidate, *best))) best = candidate;
  }
  return best ? std::optional{best->start} : std::nullopt;
}

Slot slot_of(const SlotQuestion& question, const Start& start) {
  const Interval interval{start.at, start.at + question.duration};
  const Ratio pue = question.zones[start.zone].pue;
  return {.zone = start.zone,
          .interval = interval,
          .segments = {interval},
          .integral = start.integral,
          .mean = mean_of(start.integral, question.duration),
          .energy = question.energy,
          .facility_energy = at_facility(question.energy, pue),
          .emissions = emissions_of(question.energy, pue, start.integral, question.duration)};
}

/// Part of the window of one zone and the best start in it. A chosen start splits its part in two that keep their
/// distance from it, so all starts that are left are those of some part.
struct Part {
  Interval window;
  Candidate best;
};

class OptionSearch {
 public:
  explicit OptionSearch(const SlotQuestion& question)
      : question_{question}, apart_{std::max(question.options_apart, Duration{1})} {
    for (std::size_t zone = 0; zone < question.zones.size(); ++zone) add(zone, question.window);
  }

  /// The best start that keeps its distance from all taken before.
  std::optional<Start> take() {
    const auto best =
        std::ranges::min_element(parts_, [](const Part& a, const Part& b) { return better(a.best, b.best); });
    if (best == parts_.end()) return std::nullopt;
    const Part part = *best;
    parts_.erase(best);
    const Start& start = part.best.start;
    add(start.zone, {part.window.begin, start.at - apart_ + question_.duration});
    add(start.zone, {start.at + apart_, part.window.end});
    return start;
  }

 private:
  void add(std::size_t zone, const Interval& window) {
    const auto best = candidate_in(question_.zones, zone, window, question_.duration, Extreme::cheapest);
    if (best) parts_.push_back({window, *best});
  }

  const SlotQuestion& question_;
  Duration apart_;
  std::vector<Part> parts_;
};

}  // namespace

std::optional<Start> best_start(Interval window, Duration duration, std::span<const ZoneOption> zones) {
  return extreme_of_zones(window, duration, zones, Extreme::cheapest);
}

std::optional<Slot> slot_at(const SlotQuestion& question, std::size_t zone, Instant start) {
  require(zone < question.zones.size(), "zone index beyond the question");
  require(question.duration > Duration{0}, "a run lasts at least a second");
  const auto integral = question.zones[zone].series->integral({start, start + question.duration});
  if (!integral) return std::nullopt;
  return slot_of(question, {zone, start, *integral});
}

SlotAnswer best_slot(const SlotQuestion& question) {
  SlotAnswer answer;
  OptionSearch search{question};
  while (answer.options.size() < question.options) {
    const auto start = search.take();
    if (!start) break;
    answer.options.push_back(slot_of(question, *start));
  }
  const auto worst = extreme_of_zones(question.window, question.duration, question.zones, Extreme::costliest);
  if (worst) answer.worst = slot_of(question, *worst);
  return answer;
}

}  // namespace valle::scheduler
