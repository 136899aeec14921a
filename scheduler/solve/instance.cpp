// SPDX-License-Identifier: Apache-2.0
#include "scheduler/solve/instance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "scheduler/solve/ledger.hpp"
#include "scheduler/solve/resources.hpp"

namespace valle::scheduler::solving {
namespace {

class Builder {
 public:
  Builder(const Problem& problem, Instance& out) : problem_{problem}, out_{out}, table_{problem} {}

  void run(Objective objective) {
    out_.slots = problem_.slots;
    out_.sites = problem_.sites.size();
    out_.slot_seconds = problem_.slot.count();
    build_objective(objective);
    table_.put_into(out_);
    build_tasks();
  }

 private:
  void build_objective(Objective objective) {
    out_.energy.assign(out_.sites * (out_.slots + 1), 0);
    out_.transfer.assign(out_.cells(), 0);
    double least = std::numeric_limits<double>::max(), most = std::numeric_limits<double>::lowest();
    for (std::size_t q = 0; q < out_.sites; ++q) {
      const Site& site = problem_.sites[q];
      for (std::size_t t = 0; t < out_.slots; ++t) {
        double intensity = static_cast<double>(site.intensity[t].base());
        // mg/kWh for a mWh; a transfer has no price of its own
        out_.transfer[q * out_.slots + t] = intensity / 1e6 * static_cast<double>(site.energy_per_gb.base());
        if (objective == Objective::carbon_and_cost && problem_.eur_per_tonne > 0) {
          intensity += static_cast<double>(site.price[t].base()) / problem_.eur_per_tonne;
        }
        const double of_slot =
            intensity / 1e6 * number(site.pue) * static_cast<double>(out_.slot_seconds) / 3600;  // mg for one mW
        const std::size_t i = q * (out_.slots + 1) + t;
        out_.energy[i + 1] = out_.energy[i] + of_slot;
        least = std::min(least, of_slot);
        most = std::max(most, of_slot);
        dirtiest_ = std::max(dirtiest_, std::fabs(of_slot));
      }
    }
    out_.spread = std::max(0.0, most - least);
  }

  // --- tasks ------------------------------------------------------------------------------------------------------

  void build_tasks() {
    std::set<int> priorities;
    for (const Job& job : problem_.jobs) priorities.insert(job.priority);
    int level = 0;
    for (const int priority : priorities) levels_[priority] = level++;

    std::map<std::string_view, std::size_t> groups;  // group → position in jobs_of
    std::vector<std::vector<std::size_t>> jobs_of;
    for (std::size_t j = 0; j < problem_.jobs.size(); ++j) {
      const Job& job = problem_.jobs[j];
      if (job.fixed) continue;
      if (!job.group.empty()) {
        const auto [place, is_new] = groups.try_emplace(job.group, jobs_of.size());
        if (!is_new) {
          jobs_of[place->second].push_back(j);
          continue;
        }
      }
      jobs_of.push_back({j});
    }
    for (const std::vector<std::size_t>& jobs : jobs_of)
      add_ways(jobs);  // ways first: a way and its footprint share an index
    std::size_t next = 0;
    for (const std::vector<std::size_t>& jobs : jobs_of) {
      add_task(next, jobs.size());
      next += jobs.size();
    }
  }

  void add_ways(const std::vector<std::size_t>& jobs) {
    for (const std::size_t j : jobs) {
      const Job& job = problem_.jobs[j];
      out_.members.push_back({.job = j,
                              .first_way = size32(out_.ways),
                              .ways = size32(job.modes),
                              .transfer_gb = job.transfer_gb,
                              .home = job.home_site,
                              .end = window_end(job)});
      for (const Mode& mode : job.modes) {
        const std::int64_t slot = problem_.slot.count(), seconds = mode.duration.count();
        const std::int64_t length = (seconds + slot - 1) / slot;
        const auto latest_to_end_by = [&](Instant end) {
          const std::int64_t spare = (end - mode.duration - problem_.start).count();
          return spare < 0 ? -1 : static_cast<std::int32_t>(spare / slot);
        };
        const Instant end = horizon_of(problem_).end;
        out_.ways.push_back({.power = static_cast<double>(mode.power.base()),
                             .length = static_cast<std::int32_t>(length),
                             .last = static_cast<double>(seconds - (length - 1) * slot) / static_cast<double>(slot),
                             .seconds = seconds,
                             .latest = latest_to_end_by(std::min(job.finish_by, end)),
                             .latest_in_horizon = latest_to_end_by(end),
                             .held = {},
                             .opening = {}});
        RunLoads run = table_.loads_of(job, mode, length);
        out_.ways.back().held = add_loads(run.held);
        out_.ways.back().opening = add_loads(run.at_start);
        add_footprint({std::move(run)});
      }
    }
  }

  std::int32_t window_end(const Job& job) const {
    const std::int64_t seconds = (std::min(job.finish_by, horizon_of(problem_).end) - problem_.start).count();
    const std::int64_t slot = problem_.slot.count();
    return static_cast<std::int32_t>(std::max<std::int64_t>(0, (seconds + slot - 1) / slot));
  }

  Loads add_loads(const std::vector<Load>& loads) {
    const Loads range{size32(out_.loads), size32(loads)};
    out_.loads.insert(out_.loads.end(), loads.begin(), loads.end());
    return range;
  }

  /// Cuts runs with one start into extents that do not overlap, each with the sum of the loads in it.
  void add_footprint(const std::vector<RunLoads>& runs) {
    std::set<std::int32_t> cuts{0};
    for (const RunLoads& run : runs) {
      cuts.insert(run.length);
      if (!run.at_start.empty()) cuts.insert(1);
    }
    Footprint footprint{size32(out_.extents), 0};
    for (auto cut = cuts.begin(); std::next(cut) != cuts.end(); ++cut) {
      std::map<std::uint32_t, std::int64_t> sums;
      for (const RunLoads& run : runs) {
        for (const Load& load : run.held) {
          if (run.length > *cut) sums[load.resource] += load.amount;
        }
        for (const Load& load : run.at_start) {
          if (*cut == 0) sums[load.resource] += load.amount;
        }
      }
      std::vector<Load> loads;
      for (const auto& [resource, amount] : sums) loads.push_back({resource, static_cast<Count>(amount)});
      out_.extents.push_back({*cut, *std::next(cut) - *cut, add_loads(loads)});
      ++footprint.extents;
    }
    out_.footprints.push_back(footprint);
  }

  void add_task(std::size_t first_member, std::size_t count) {
    Task task{.first_member = static_cast<std::uint32_t>(first_member),
              .members = static_cast<std::uint32_t>(count),
              .first_option = size32(out_.options),
              .options = 0,
              .first = 0,
              .latest = -1,
              .sites = ~std::uint64_t{0},
              .home = out_.members[first_member].home,
              .level = 0,
              .penalty = 0,
              .interruptible = -1};
    std::uint32_t modes = 1;
    for (const Member& member : out_.members_of(task)) {
      const Job& job = problem_.jobs[member.job];
      std::uint64_t allowed = 0;
      for (const std::size_t q : job.sites) allowed |= std::uint64_t{1} << q;
      task.sites &= allowed;
      const std::int64_t first = (first_start(problem_, job) - problem_.start) / problem_.slot;
      task.first =
          std::max(task.first, static_cast<std::int32_t>(std::min(first, std::int64_t{ProblemLimits::k_slots})));
      task.level = std::max(task.level, levels_[job.priority]);
      if (job.interruption) {
        task.interruptible = static_cast<std::int32_t>(out_.pauses.size());
        out_.pauses.push_back(pause_rule(job));
      }
      modes = std::max(modes, member.ways);
    }
    for (std::uint32_t mode = 0; mode < modes; ++mode) add_option(task, mode);
    out_.tasks.push_back(task);
  }

  PauseRule pause_rule(const Job& job) const {
    const Interruption& rule = *job.interruption;
    return {.min_run = rule.min_run.count(),
            .restart = rule.restart.count(),
            .restart_energy = static_cast<double>(rule.restart_energy.base()),
            .most_pauses = rule.max_pauses.value_or(ProblemLimits::k_pauses),
            .end = (std::min(job.finish_by, horizon_of(problem_).end) - problem_.start).count()};
  }

  /// All members in the same mode, or in their last one if they have fewer.
  void add_option(Task& task, std::uint32_t mode) {
    Option option{
        .footprint = 0, .first_chosen = size32(out_.chosen), .latest = INT32_MAX, .latest_in_horizon = INT32_MAX};
    std::vector<RunLoads> runs;
    for (const Member& member : out_.members_of(task)) {
      const std::uint32_t chosen = std::min(mode, member.ways - 1);
      const Job& job = problem_.jobs[member.job];
      out_.chosen.push_back(member.first_way + chosen);
      const Way& way = out_.ways[member.first_way + chosen];
      option.latest = std::min(option.latest, way.latest);
      option.latest_in_horizon = std::min(option.latest_in_horizon, way.latest_in_horizon);
      if (task.members > 1) runs.push_back(table_.loads_of(job, job.modes[chosen], way.length));
    }
    option.footprint = task.members > 1 ? size32(out_.footprints) : out_.chosen.back();
    if (task.members > 1) add_footprint(runs);
    task.latest = std::max(task.latest, option.latest);
    task.penalty = std::max(task.penalty, penalty_of(task, option));
    out_.options.push_back(option);
    ++task.options;
  }

  /// Five times what the dirtiest slots would cost, and more for each level of priority.
  double penalty_of(const Task& task, const Option& option) const {
    double sum = 0;
    for (const std::uint32_t way : out_.ways_of(task, option)) sum += out_.ways[way].power * out_.ways[way].length;
    return 5 * sum * (dirtiest_ + 1e-9) * std::pow(4.0, std::min(task.level, 8));
  }

  template <class T>
  static std::uint32_t size32(const std::vector<T>& list) {
    return static_cast<std::uint32_t>(list.size());
  }

  const Problem& problem_;
  Instance& out_;
  ResourceTable table_;
  std::map<int, int> levels_;
  double dirtiest_ = 0;  // objective of one mW in the worst slot
};

}  // namespace

Instance::Instance(const Problem& problem, Objective objective) { Builder{problem, *this}.run(objective); }

double Instance::cost(const Member& member, const Way& way, std::size_t site, std::int32_t start) const {
  const double* sums = energy.data() + site * (slots + 1);
  const auto first = static_cast<std::size_t>(start), last = first + static_cast<std::size_t>(way.length) - 1;
  const double run = way.power * ((1 - way.last) * sums[last] + way.last * sums[last + 1] - sums[first]);
  return site == member.home ? run : run + member.transfer_gb * transfer[site * slots + first];
}

double Instance::cost(const Task& task, const Option& option, std::size_t site, std::int32_t start) const {
  double sum = 0;
  const std::span<const Member> group = members_of(task);
  const std::span<const std::uint32_t> chosen_ways = ways_of(task, option);
  for (std::size_t m = 0; m < group.size(); ++m) sum += cost(group[m], ways[chosen_ways[m]], site, start);
  return sum;
}

}  // namespace valle::scheduler::solving
