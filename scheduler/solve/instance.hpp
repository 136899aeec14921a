// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "scheduler/model/plan.hpp"
#include "scheduler/model/problem.hpp"

// The problem in the form in which it is searched: slots and sites as numbers, amounts as small integers, carbon as
// doubles in prefix sums, jobs that must start together as one task. Nothing here is reported: see `Ledger`.
namespace valle::scheduler::solving {

/// An amount of a resource in granules: the largest unit of which all demands are multiples. Exact, unless amounts
/// differ by more than a billion; then demands are rounded up and capacities down.
using Count = std::int32_t;

/// So much of one resource in each slot of an extent.
struct Load {
  std::uint32_t resource;
  Count amount;
};

/// A range of `Instance::loads`.
struct Loads {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// Consecutive slots of a run, relative to its start, that hold the same loads.
struct Extent {
  std::int32_t offset;
  std::int32_t length;
  Loads loads;
};

/// What a run without a pause holds from its start on: extents that do not overlap.
struct Footprint {
  std::uint32_t first_extent;
  std::uint32_t extents;
};

/// One job in one mode, run without a pause. Its own footprint has the same index.
struct Way {
  double power;                    ///< mW
  std::int32_t length;             ///< slots that it touches
  double last;                     ///< share of the last slot in which it runs, in (0, 1]
  std::int64_t seconds;            ///< its duration
  std::int32_t latest;             ///< the last start that keeps its deadline and the horizon; < 0: none
  std::int32_t latest_in_horizon;  ///< whatever the deadline
  Loads held;                      ///< in every slot that it touches
  Loads opening;                   ///< besides, in the first slot of each piece
};

struct Member {
  std::size_t job;
  std::uint32_t first_way;
  std::uint32_t ways;
  double transfer_gb;
  std::size_t home;
  std::int32_t end;  ///< the slot after the last one of its window
};

/// One way to run all members of a task together: a way of each, and their joint footprint.
struct Option {
  std::uint32_t footprint;
  std::uint32_t first_chosen;  ///< the way of each member, in `chosen`
  std::int32_t latest;
  std::int32_t latest_in_horizon;
};

/// What is decided at once: a job, or the jobs of a group.
struct Task {
  std::uint32_t first_member;
  std::uint32_t members;
  std::uint32_t first_option;
  std::uint32_t options;
  std::int32_t first;          ///< the earliest start
  std::int32_t latest;         ///< the latest start of any option; < first: none
  std::uint64_t sites;         ///< bit q: may run at site q
  std::size_t home;            ///< of the first member
  int level;                   ///< 0 for the smallest priority of the problem, 1 for the next, …
  double penalty;              ///< objective-equivalent of leaving it out, for the search
  std::int32_t interruptible;  ///< its number among the interruptible tasks, or -1
};

/// How a task may pause: the rule of `Interruption`, in seconds.
struct PauseRule {
  std::int64_t min_run;
  std::int64_t restart;
  double restart_energy;  ///< mWh
  int most_pauses;
  std::int64_t end;  ///< of the window, in seconds from the problem's start
};

/// What the search minimises.
enum class Objective { carbon, carbon_and_cost };

struct Instance {
  Instance(const Problem& problem, Objective objective);

  std::size_t slots = 0, sites = 0, resources = 0;
  std::int64_t slot_seconds = 3600;

  std::vector<std::string> resource_names;  ///< empty: the power that starts in a slot, in mW
  std::vector<std::int64_t> granules;       ///< of each resource, in thousandths
  std::vector<Count> capacity;              ///< [resource][site][slot]: what fixed jobs leave free
  std::vector<double> energy;               ///< [site][slots + 1]: prefix sums of the objective of one mW, PUE included
  std::vector<double> transfer;             ///< [site][slot]: objective of moving one GB there in that slot
  double spread = 0;                        ///< most minus least objective of one mW in one slot

  std::vector<Load> loads;
  std::vector<Extent> extents;
  std::vector<Footprint> footprints;
  std::vector<Way> ways;
  std::vector<Member> members;
  std::vector<std::uint32_t> chosen;
  std::vector<Option> options;
  std::vector<Task> tasks;
  std::vector<PauseRule> pauses;  ///< of interruptible tasks

  struct FixedJob {
    std::size_t job;
    FixedStart at;
  };
  std::vector<FixedJob> fixed;

  [[nodiscard]] std::size_t cells() const { return sites * slots; }
  [[nodiscard]] std::size_t cell(std::size_t resource, std::size_t site, std::size_t slot) const {
    return (resource * sites + site) * slots + slot;
  }
  [[nodiscard]] std::span<const Extent> extents_of(std::uint32_t footprint) const {
    return {extents.data() + footprints[footprint].first_extent, footprints[footprint].extents};
  }
  [[nodiscard]] std::span<const Load> loads_of(const Extent& extent) const { return loads_of(extent.loads); }
  [[nodiscard]] std::span<const Load> loads_of(const Loads& range) const {
    return {loads.data() + range.first, range.count};
  }
  [[nodiscard]] std::span<const Member> members_of(const Task& task) const {
    return {members.data() + task.first_member, task.members};
  }
  [[nodiscard]] std::span<const Option> options_of(const Task& task) const {
    return {options.data() + task.first_option, task.options};
  }
  /// The way of each member under an option.
  [[nodiscard]] std::span<const std::uint32_t> ways_of(const Task& task, const Option& option) const {
    return {chosen.data() + option.first_chosen, task.members};
  }

  /// Objective of one way of a member at a site and start.
  [[nodiscard]] double cost(const Member& member, const Way& way, std::size_t site, std::int32_t start) const;
  /// Objective of a task under an option.
  [[nodiscard]] double cost(const Task& task, const Option& option, std::size_t site, std::int32_t start) const;
};

/// Calls `visit(site)` for each bit of a mask, ascending.
template <class Visit>
void for_each_site(std::uint64_t mask, Visit visit) {
  for (; mask != 0; mask &= mask - 1) visit(static_cast<std::size_t>(std::countr_zero(mask)));
}

}  // namespace valle::scheduler::solving
