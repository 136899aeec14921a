// SPDX-License-Identifier: Apache-2.0
#include "scheduler/account/split.hpp"

#include <utility>

#include "scheduler/account/apportion.hpp"
#include "scheduler/account/emission_sum.hpp"
#include "scheduler/account/profile.hpp"
#include "scheduler/account/uncertainty.hpp"

namespace valle::scheduler {
namespace {

/// Where and at which PUE a profile is counted.
struct Place {
  const SiteOfAccount* site = nullptr;
  Ratio pue = k_one;
};

struct Priced {
  EmissionSum emissions;
  IntensityQuality quality;
};

Energy share(Energy energy, Duration part, Duration whole) {
  return Energy::of_base(narrow(divide_rounded(Wide{energy.base()} * part.count(), whole.count())));
}

/// Slice by slice: energy times PUE times what the intensity came to.
bool add(const AttemptProfile& attempt, const Place& place, Priced& priced) {
  for (const EnergySlice& slice : attempt.slices) {
    const auto stretch = place.site->intensity->over(slice.interval);
    if (!stretch) return false;
    const Duration length = slice.interval.length();
    priced.emissions.add(slice.energy, place.pue, stretch->integral, length);
    priced.quality.energy += slice.energy;
    priced.quality.estimated += share(slice.energy, stretch->estimated, length);
    priced.quality.fallback += share(slice.energy, stretch->fallback, length);
  }
  return true;
}

template <class PlaceOf>
std::optional<Priced> priced(const Profile& profile, PlaceOf place_of) {
  Priced sum;
  for (const AttemptProfile& attempt : profile) {
    if (!add(attempt, place_of(attempt), sum)) return std::nullopt;
  }
  return sum;
}

/// Finds where each attempt ran; false if a site is not known. At home the PUE is the frozen one.
bool places_of(const Run& run, const SitesOfAccount& sites, std::vector<Place>& places) {
  for (const Attempt& attempt : run.attempts) {
    const SiteOfAccount* site = sites(attempt.site);
    if (site == nullptr && !attempt.ran.empty()) return false;
    const Ratio configured = site != nullptr ? site->pue : k_one;
    const bool at_home = attempt.site == run.home_site;
    places.push_back({site, at_home ? run.home_pue : attempt.pue.value_or(configured)});
  }
  return true;
}

/// Facility energy and location-based emissions of each attempt. The emissions are apportioned so that they sum to
/// `real`; without it each attempt stands for itself.
std::vector<SiteShare> shares_of(const Profile& profile, const std::vector<Place>& places,
                                 std::optional<Emissions> real) {
  std::vector<SiteShare> shares;
  std::vector<Wide> exact;
  for (const AttemptProfile& attempt : profile) {
    const Place& place = places[attempt.attempt];
    Energy energy;
    for (const EnergySlice& slice : attempt.slices) energy += slice.energy;
    Priced alone;
    const bool known = add(attempt, place, alone);
    exact.push_back(alone.emissions.exact());
    shares.push_back({place.site->number, at_facility(energy, place.pue),
                      known ? std::optional{alone.emissions.rounded()} : std::nullopt});
  }
  if (!real || shares.size() < 2) return shares;
  const auto apart = apportioned(real->base(), exact);
  for (std::size_t i = 0; i < shares.size(); ++i) shares[i].emissions = Emissions::of_base(apart[i]);
  return shares;
}

/// Slice by slice at the mean price of its time, rounded once.
std::optional<Money> cost_of(const Profile& profile, const std::vector<Place>& places) {
  Wide sum = 0;  // mWh · ppm · µ€/MWh
  for (const AttemptProfile& attempt : profile) {
    const Place& place = places[attempt.attempt];
    if (place.site->prices == nullptr) return std::nullopt;
    for (const EnergySlice& slice : attempt.slices) {
      const auto price = place.site->prices->mean(slice.interval);
      if (!price) return std::nullopt;
      sum += Wide{slice.energy.base()} * place.pue.base() * price->base();
    }
  }
  constexpr std::int64_t k_milliwatt_hours_in_mwh = 1'000'000'000;
  return Money::of_base(narrow(divide_rounded(sum, Wide{k_milliwatt_hours_in_mwh} * k_one.base())));
}

bool same_hours(const Profile& a, const Profile& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].ran.begin != b[i].ran.begin) return false;
  }
  return true;
}

bool always_at_home(const Run& run) {
  for (const Attempt& attempt : run.attempts) {
    if (attempt.site != run.home_site && !attempt.ran.empty()) return false;
  }
  return true;
}

}  // namespace

RunAccount account_of(const Run& run, const SitesOfAccount& sites) {
  RunAccount account;
  account.energy = energy_of_run(run);
  if (!account.energy) return account;

  std::vector<Place> places;
  const SiteOfAccount* home = sites(run.home_site);
  account.assessment = Assessment::site_unknown;
  if (!places_of(run, sites, places)) return account;
  const auto where_it_ran = [&](const AttemptProfile& attempt) { return places[attempt.attempt]; };
  const auto at_home = [&](const AttemptProfile&) { return Place{home, run.home_pue}; };

  const Profile profile = measured_profile(run, account.energy->boundary);
  const auto real = priced(profile, where_it_ran);
  account.sites = shares_of(profile, places, real ? std::optional{real->emissions.rounded()} : std::nullopt);
  account.facility.emplace();
  for (const SiteShare& share : account.sites) *account.facility += share.facility;
  if (real) account.real = real->quality;
  account.cost = cost_of(profile, places);
  if (home == nullptr) return account;
  account.assessment = Assessment::no_intensity;
  if (!real) return account;

  account.assessment = Assessment::no_home_intensity;
  account.modelled = run.cap.has_value();
  const Profile free = run.cap ? without_cap(profile, *run.cap) : profile;
  const Profile at_once = begun_at(free, run.submitted);
  const auto baseline = priced(at_once, at_home);
  const auto later = priced(free, at_home);
  const auto elsewhere = run.cap ? priced(free, where_it_ran) : real;
  if (!baseline || !later || !elsewhere) return account;

  account.assessment = Assessment::assessed;
  account.home = baseline->quality;
  account.split = Split{baseline->emissions.rounded(), later->emissions.rounded(), elsewhere->emissions.rounded(),
                        real->emissions.rounded()};
  const bool same_window = same_hours(at_once, profile) && always_at_home(run);
  account.uncertainty = uncertainty_of(*account.split, *account.energy, *account.home, *account.real,
                                       same_window ? Windows::same : Windows::apart);
  return account;
}

}  // namespace valle::scheduler
