// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/account/realised.hpp"
#include "scheduler/account/run.hpp"
#include "scheduler/account/run_energy.hpp"
#include "scheduler/series/price_series.hpp"

namespace valle::scheduler {

/// A site as accounts need it.
struct SiteOfAccount {
  const RealisedIntensity* intensity = nullptr;  ///< never null
  const PriceSeries* prices = nullptr;           ///< null: none are known
  Ratio pue = k_one;                             ///< where a run did not freeze one
  std::size_t number = 0;                        ///< the caller's own, comes back in `SiteShare`
};
/// The site of a name; null if there is none.
using SitesOfAccount = std::function<const SiteOfAccount*(const std::string& name)>;

/// Why a run has no saving. Such runs are shown and counted, and are in no sum of emissions.
enum class Assessment {
  assessed,
  energy_unknown,     ///< no boundary under which every attempt has a figure
  site_unknown,       ///< an attempt's site, or the home site, is not among the sites
  no_intensity,       ///< an hour of the run has no realised intensity
  no_home_intensity,  ///< an hour that the baseline needs has none
};

/// Emissions of one profile: as it was, and as it would have been.
struct Split {
  Emissions baseline;   ///< B0: without cap, at once after submission, at home
  Emissions later;      ///< B1: without cap, when it really ran, at home
  Emissions elsewhere;  ///< B2: without cap, when and where it really ran
  Emissions real;       ///< A: what happened
  [[nodiscard]] Emissions by_time() const { return baseline - later; }
  [[nodiscard]] Emissions by_place() const { return later - elsewhere; }
  [[nodiscard]] Emissions by_efficiency() const { return elsewhere - real; }
  [[nodiscard]] Emissions saved() const { return baseline - real; }
  friend bool operator==(const Split&, const Split&) = default;
};

/// Half widths of what holds the true saving, from two causes that have nothing to do with each other.
struct Uncertainty {
  Emissions energy;     ///< error of the meter: scales the saving
  Emissions intensity;  ///< errors of the grid's numbers in the two windows
  Emissions both;       ///< √(energy² + intensity²)
  friend bool operator==(const Uncertainty&, const Uncertainty&) = default;
};

/// What one site contributes to a run.
struct SiteShare {
  std::size_t site = 0;                ///< `SiteOfAccount::number`
  Energy facility;                     ///< energy at the building's meter: times PUE
  std::optional<Emissions> emissions;  ///< location-based; nothing where intensity is missing
  friend bool operator==(const SiteShare&, const SiteShare&) = default;
};

/// Seconds and energy by the quality of the intensity that they were counted with.
struct IntensityQuality {
  Energy energy;     ///< before PUE; all of the profile
  Energy estimated;  ///< of it, at values that the provider marks as estimated
  Energy fallback;   ///< of it, at a yearly factor
  friend bool operator==(const IntensityQuality&, const IntensityQuality&) = default;
};

/// The account of one run.
struct RunAccount {
  Assessment assessment = Assessment::energy_unknown;
  std::optional<RunEnergy> energy = {};       ///< nothing where unknown
  std::optional<Energy> facility = {};        ///< nothing also where a site is not known
  std::vector<SiteShare> sites = {};          ///< one an attempt that used energy; sums to `facility` and `split->real`
  std::optional<IntensityQuality> real = {};  ///< of the hours in which it ran; nothing where intensity is missing
  std::optional<IntensityQuality> home = {};  ///< of the baseline's hours
  std::optional<Split> split = {};            ///< if assessed
  std::optional<Uncertainty> uncertainty = {};
  std::optional<Money> cost = {};  ///< of `facility` at day-ahead prices; nothing unless all its seconds have one
  bool modelled = false;           ///< the profile without the power cap follows from what the owner says of its modes
};

/// Accounts for a finished run (docs/ACCOUNTING.md states every rule). Pure; exact but for one rounding to the
/// milligram in each of B0, B1, B2 and A.
[[nodiscard]] RunAccount account_of(const Run& run, const SitesOfAccount& sites);

}  // namespace valle::scheduler
