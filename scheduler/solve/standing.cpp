// SPDX-License-Identifier: Apache-2.0
#include "scheduler/solve/standing.hpp"

#include <algorithm>

namespace valle::scheduler::solving {
namespace {

class Reader {
 public:
  Reader(const Problem& problem, const Instance& instance, const Incumbent& incumbent)
      : problem_{problem}, instance_{instance}, incumbent_{incumbent} {}

  [[nodiscard]] std::optional<Fit> fit_of_task(const Task& task) const {
    const Standing* first = standing_of(instance_.members[task.first_member]);
    if (first == nullptr || first->segments.empty() || first->site >= instance_.sites) return {};
    const auto start = slot_at(first->segments.front().begin);
    if ((task.sites >> first->site & 1) == 0 || !start || *start < task.first) return {};
    for (std::uint32_t o = 0; o < task.options; ++o) {
      if (const Option& option = instance_.options_of(task)[o]; is_of(task, option, *first)) {
        const Spot spot{static_cast<std::int32_t>(first->site), *start, o, 0};
        return task.interruptible >= 0 ? in_pieces(task, option, *first, spot) : without_a_pause(task, option, spot);
      }
    }
    return {};
  }

 private:
  [[nodiscard]] const Standing* standing_of(const Member& member) const {
    if (member.job >= incumbent_.of_job.size() || !incumbent_.of_job[member.job]) return nullptr;
    return &*incumbent_.of_job[member.job];
  }

  [[nodiscard]] std::optional<std::int32_t> slot_at(Instant instant) const {
    const Duration since = instant - problem_.start;
    if (since < Duration{0} || since % problem_.slot != Duration{0}) return {};
    if (since >= problem_.slot * static_cast<std::int64_t>(problem_.slots)) return {};
    return static_cast<std::int32_t>(since / problem_.slot);
  }

  /// Whether all members stand together, each in its mode of the option.
  [[nodiscard]] bool is_of(const Task& task, const Option& option, const Standing& first) const {
    const std::span<const Member> members = instance_.members_of(task);
    const std::span<const std::uint32_t> ways = instance_.ways_of(task, option);
    for (std::size_t m = 0; m < members.size(); ++m) {
      const Standing* standing = standing_of(members[m]);
      if (standing == nullptr || standing->segments.empty() || standing->site != first.site) return false;
      if (standing->segments.front().begin != first.segments.front().begin) return false;
      if (standing->mode != ways[m] - members[m].first_way) return false;
    }
    return true;
  }

  [[nodiscard]] std::optional<Fit> without_a_pause(const Task& task, const Option& option, Spot spot) const {
    if (spot.start > option.latest) return {};
    spot.cost = instance_.cost(task, option, static_cast<std::size_t>(spot.site), spot.start);
    return Fit{.spot = spot, .pattern = {}, .key = spot.cost};
  }

  [[nodiscard]] std::optional<Fit> in_pieces(const Task& task, const Option& option, const Standing& standing,
                                             Spot spot) const {
    const Way& way = instance_.ways[instance_.ways_of(task, option)[0]];
    const PauseRule& rule = instance_.pauses[static_cast<std::size_t>(task.interruptible)];
    const auto pauses = static_cast<std::int64_t>(standing.segments.size()) - 1;
    std::vector<Piece> pieces;
    std::int64_t seconds = 0;
    int broken = 0;
    for (const Interval& segment : standing.segments) {
      const auto begin = slot_at(segment.begin);
      const std::int64_t run = segment.length().count();
      if (!begin || run <= 0 || (segment.end - problem_.start).count() > rule.end) return {};
      if (run < std::min(rule.min_run, way.seconds)) return {};
      const std::int64_t slot = instance_.slot_seconds;
      pieces.push_back({*begin - spot.start, static_cast<std::int32_t>((run + slot - 1) / slot), run});
      seconds += run;
      broken += run % slot != 0;
    }
    if (broken > 1) return {};  // the grid was another one
    if (pauses > rule.most_pauses || seconds != way.seconds + pauses * rule.restart) return {};
    Fit fit{.spot = spot, .pattern = pattern_of(way, std::move(pieces)), .key = 0};
    fit.spot.cost = pattern_cost(instance_, task, way, fit.pattern, static_cast<std::size_t>(spot.site), spot.start);
    return fit;
  }

  const Problem& problem_;
  const Instance& instance_;
  const Incumbent& incumbent_;
};

}  // namespace

std::vector<std::optional<Fit>> standing_fits(const Problem& problem, const Instance& instance,
                                              const Incumbent& incumbent) {
  const Reader reader{problem, instance, incumbent};
  std::vector<std::optional<Fit>> fits;
  fits.reserve(instance.tasks.size());
  for (const Task& task : instance.tasks) fits.push_back(reader.fit_of_task(task));
  return fits;
}

}  // namespace valle::scheduler::solving
