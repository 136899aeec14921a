// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "scheduler/model/problem.hpp"
#include "scheduler/solve/solve.hpp"
#include "service/app/intensity_book.hpp"
#include "service/app/job.hpp"
#include "service/runtime/config.hpp"

namespace valle::service::app {

/// What somebody else holds of a site's resource until about that time.
struct Reservation {
  std::string site;
  std::string resource;
  scheduler::Amount amount;
  scheduler::Instant until{};
  friend bool operator==(const Reservation&, const Reservation&) = default;
};

/// All that a plan is made from, at one instant. Plain values: a decision reads nothing else.
struct PlanningSnapshot {
  scheduler::Instant now{};
  std::vector<Job> jobs;  ///< active ones, in order of submission
  std::shared_ptr<const IntensityBook> book;
  std::vector<runtime::SiteConfig> sites;
  runtime::PlanningConfig planning;
  std::vector<Reservation> reservations = {};  ///< by others than `jobs`
  /// What a job demands in place of its request's demand, by its id: of jobs that draw on what they share with others.
  std::unordered_map<std::string, std::vector<scheduler::ResourceDemand>> demands = {};
  std::shared_ptr<const scheduler::SlotPrices> prices = {};  ///< of the plan in force; none: they are found anew
};

/// Completes a snapshot that has everything else by what is observed: capacities, reservations, demands. From any
/// thread; does not wait.
using ObserveSnapshot = std::function<void(PlanningSnapshot&)>;

/// What is known about the slots that lie ahead: the part of a problem that the jobs do not change.
struct PlanningGrid {
  scheduler::Instant start{};  ///< the boundary at or before now
  scheduler::Duration slot{3600};
  std::size_t slots = 0;               ///< up to the last slot known anywhere, within the horizon
  std::vector<scheduler::Site> sites;  ///< in the order of the configuration
  std::vector<std::vector<scheduler::CarbonIntensity>> means;  ///< by site: without what risk adds; empty without risk
  std::vector<std::vector<bool>> known;                        ///< by site, then slot: is its whole intensity known?
  std::vector<std::optional<scheduler::Duration>> age;         ///< of each site's numbers
  [[nodiscard]] scheduler::Instant end() const { return start + slot * static_cast<std::int64_t>(slots); }
  [[nodiscard]] bool all_known() const;
};
[[nodiscard]] PlanningGrid grid_of(const PlanningSnapshot& snapshot);

/// Which waiting jobs keep the slot that they have.
enum class Hold { none, planned };

/// A problem with the jobs of a snapshot, those that can't be planned apart.
struct PlanningProblem {
  scheduler::Problem problem;
  std::vector<std::size_t> job_of;  ///< problem's job → snapshot's job
  struct Apart {
    std::size_t job;  ///< index into the snapshot
    std::string reason;
  };
  std::vector<Apart> not_yet;
};

/// Released and running jobs are there as fixed; so are, with `Hold::planned`, waiting jobs with a slot (except
/// interruptible ones, and members of a group of which one has none), and those that were sent off without a plan.
/// Fixed jobs that lie wholly outside the grid's slots are left out: they neither hold nor emit anything there.
/// Slots of unknown intensity are closed to jobs that are free, by a resource that they lack. Time goes on: a job
/// starts no earlier than now, and one that should have ended is taken to need one more slot.
[[nodiscard]] PlanningProblem problem_of(const PlanningSnapshot& snapshot, const PlanningGrid& grid, Hold hold);

}  // namespace valle::service::app
