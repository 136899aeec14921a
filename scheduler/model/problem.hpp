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
  std::optional<Power> ramp = {};          ///< most that the planned power may rise from one slot to the next
  Energy energy_per_gb{};                  ///< network energy of moving one GB to this site
  std::vector<EnergyPrice> price = {};     ///< one a slot, or empty
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

/// Where and when a job runs already, or has been promised to run. It is never moved, and it is there whatever its
/// window and the capacity say; it runs in its first mode and without a pause. What of it lies outside the horizon
/// counts neither energy nor carbon, as no intensity is known there; so some of it must lie inside.
struct FixedStart {
  std::size_t site;  ///< one of the job's sites
  Instant start;     ///< may lie before the problem's start, and between two boundaries
  friend bool operator==(const FixedStart&, const FixedStart&) = default;
};

struct Job {
  std::string id;
  Instant earliest_start;
  Instant finish_by;
  std::vector<Mode> modes;  ///< at least one; the first may have an empty name: the job's own duration and power
  std::vector<ResourceDemand> demand;  ///< held in every slot that the job touches
  std::vector<std::size_t> sites;      ///< allowed, in the user's order; at least one
  std::size_t home_site;               ///< baseline: where it would have run at once
  int priority = 0;                    ///< larger is placed first when not all fit
  std::optional<Interruption> interruption = {};
  std::optional<FixedStart> fixed = {};
  std::string group = {};  ///< jobs of a group start together at one site; empty: alone
  double transfer_gb = 0;  ///< moved if the job does not run at home
  friend bool operator==(const Job&, const Job&) = default;
};

/// A joint planning question: place every job once, in its window, at an allowed site, within capacity; first as few
/// jobs unplaced as possible (larger priority first, lexicographic), then least carbon.
///
/// - Slots are `start + t · slot`. Starts are slot boundaries; a job holds its demand in every slot that it touches and
/// its
///   carbon counts the fraction of the last one. earliest_start is rounded up to a boundary; a run ends by finish_by,
///   to the second, and inside the horizon.
/// - Carbon of a run: ∫ power · PUE · intensity. Moving `transfer_gb` to a site that is not home adds the network's
/// energy
///   at the intensity of the site in the run's first slot, without PUE; a fixed job has been moved already.
/// - Where fixed jobs alone hold more than the capacity, nothing else may hold that resource; it is no fault of the
/// plan.
/// - An interruptible job runs by the rule of `Interruption`: segments begin on boundaries and end on one or at
/// finish_by, but
///   for one that may end inside a slot.
/// - Ramp: from each slot to the next, and into the first from what fixed jobs drew just before it, the power of the
///   jobs at a site (before PUE, in every slot that they touch) rises by at most `ramp`, except where only fixed jobs
///   rise.
/// - With eur_per_tonne > 0 the objective is carbon + energy cost / eur_per_tonne.
struct Problem {
  Instant start;
  Duration slot{3600};
  std::size_t slots = 0;
  std::vector<Site> sites;
  std::vector<Job> jobs;
  double eur_per_tonne = 0;  ///< weight of cost against carbon; 0: carbon alone
  [[nodiscard]] Instant end() const { return start + slot * static_cast<std::int64_t>(slots); }
  friend bool operator==(const Problem&, const Problem&) = default;
};

/// What a problem may hold at most.
struct ProblemLimits {
  static constexpr std::size_t k_jobs = 200'000;
  static constexpr std::size_t k_sites = 64;
  static constexpr std::size_t k_slots = 20'000;
  static constexpr std::size_t k_resources = 16;  ///< different names in the whole problem
  static constexpr std::size_t k_modes = 16;      ///< of one job
  static constexpr std::size_t k_name = 253;      ///< characters of an id or a name
  static constexpr Duration k_slot = std::chrono::days{7};
  static constexpr Duration k_duration = std::chrono::days{366};
  static constexpr Instant k_last_instant{std::chrono::seconds{9'214'646'400}};         ///< 2262-01-01T00:00:00Z
  static constexpr Amount k_amount = Amount::of_base(1'000'000'000'000'000);            ///< 1e12 of a resource
  static constexpr Power k_power = Power::of_base(1'000'000'000'000);                   ///< 1e9 W
  static constexpr Energy k_energy = Energy::of_base(1'000'000'000'000'000);            ///< 1e9 kWh
  static constexpr Energy k_energy_per_gb = Energy::of_base(10'000'000);                ///< 10 kWh
  static constexpr CarbonIntensity k_intensity = CarbonIntensity::of_base(10'000'000);  ///< 10,000 g/kWh
  static constexpr EnergyPrice k_price = EnergyPrice::of_base(100'000'000'000);         ///< 100,000 EUR/MWh
  static constexpr Ratio k_pue = Ratio::of_base(16'000'000);
  static constexpr double k_transfer_gb = 1e9;
  static constexpr double k_eur_per_tonne_low = 0.001;  ///< 0 apart: carbon alone
  static constexpr double k_eur_per_tonne_high = 1e6;
  static constexpr int k_priority = 1'000'000;
  static constexpr int k_pauses = 10'000;
};

/// Checks that a problem can be walked: counts agree, indexes exist, ids are unique, numbers are in range, sums stay
/// within 64 bits. Pointers in errors are those of the contract's JSON (`/jobs/3/sites/0`). A problem without jobs,
/// sites or slots is fine; a job that can't be placed is a result of planning, not an error.
[[nodiscard]] Result<void> validate(const Problem& problem);

}  // namespace valle::scheduler
