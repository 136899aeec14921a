// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/model/zone.hpp"
#include "scheduler/query/best_slot.hpp"
#include "scheduler/units/time.hpp"
#include "scheduler/units/units.hpp"

namespace valle::scheduler {

/// A count of a resource (GPUs, cores, …) in thousandths, so that 0.5 GPU is exact.
using Amount = Quantity<struct AmountTag>;

/// The capacity of one resource at one site: one amount a slot. A resource without an entry is unlimited.
struct ResourceCapacity {
  std::string resource;
  std::vector<Amount> per_slot;  ///< as long as the problem has slots
  friend bool operator==(const ResourceCapacity&, const ResourceCapacity&) = default;
};

struct Site {
  std::string name;
  Zone zone;
  Ratio pue = k_one;
  std::vector<ResourceCapacity> capacity;
  std::vector<CarbonIntensity> intensity;  ///< one a slot
  std::optional<Power> ramp;               ///< most that the planned power may rise from one slot to the next
  Energy energy_per_gb{};                  ///< network energy of moving one GB to this site
  std::vector<EnergyPrice> price;          ///< one a slot, or empty
  friend bool operator==(const Site&, const Site&) = default;
};

struct ResourceDemand {
  std::string resource;
  Amount amount;
  friend bool operator==(const ResourceDemand&, const ResourceDemand&) = default;
};

/// One way to run a job: a power cap changes power and duration together.
struct Mode {
  std::string name;
  Power power;
  Duration duration{};
  friend bool operator==(const Mode&, const Mode&) = default;
};

struct FixedStart {
  std::size_t site;
  Instant start;  ///< may lie before the problem's start: the job is running
  friend bool operator==(const FixedStart&, const FixedStart&) = default;
};

struct Job {
  std::string id;
  Instant earliest_start;
  Instant finish_by;
  std::vector<Mode> modes;              ///< at least one; a job without modes has one with an empty name
  std::vector<ResourceDemand> demand;   ///< held in every slot that the job touches
  std::vector<std::size_t> sites;       ///< allowed, in the user's order; at least one
  std::size_t home_site;                ///< baseline: where it would have run at once
  int priority = 0;                     ///< larger is placed first when not all fit
  std::optional<Interruption> interruption = {};
  std::optional<FixedStart> fixed = {};
  std::string group = {};               ///< jobs of a group start together at one site; empty: alone
  double transfer_gb = 0;               ///< moved if the job does not run at home
  friend bool operator==(const Job&, const Job&) = default;
};

/// A joint planning question: place every job once, in its window, at an allowed site, within capacity; first as few
/// jobs unplaced as possible (larger priority first, lexicographic), then least carbon.
///
/// Slots are `start + t · slot`. Starts are slot boundaries; a job holds its demand in every slot that it touches and its
/// carbon counts the fraction of the last one. earliest_start is rounded up to a boundary.
struct Problem {
  Instant start;
  Duration slot{3600};
  std::size_t slots = 0;
  std::vector<Site> sites;
  std::vector<Job> jobs;
  double eur_per_tonne = 0;  ///< weight of cost against carbon; 0: carbon alone
  friend bool operator==(const Problem&, const Problem&) = default;
};

/// Checks that a problem can be walked: counts agree, indexes exist, ids are unique, numbers are in range. Pointers in
/// errors are those of the contract's JSON (`/jobs/3/sites/0`).
[[nodiscard]] Result<void> validate(const Problem& problem);

}  // namespace valle::scheduler
