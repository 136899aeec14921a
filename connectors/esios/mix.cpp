// SPDX-License-Identifier: Apache-2.0
#include "connectors/esios/mix.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

namespace valle::connectors::esios {
namespace {

using scheduler::Instant;
using scheduler::Power;
using scheduler::Rejection;
using scheduler::RejectionReason;
using scheduler::Wide;
using std::chrono::hours;

constexpr hours k_hour{1};
constexpr double k_largest_megawatts = 1e6;
constexpr std::int64_t k_ppm = 1'000'000;

/// Megawatts as the provider writes them; nothing where there is no number or an absurd one.
std::optional<Power> power_of(const RawNumber& value) {
  if (value.state != RawNumber::State::number || !(std::fabs(value.value) <= k_largest_megawatts)) return std::nullopt;
  return scheduler::power_from_watts(value.value * 1e6);
}

using HourlyMeans = std::map<int, std::map<Instant, Power>>;

/// What generates in one hour: positive power by indicator, and which indicators say nothing.
struct Hour {
  std::map<int, Power> generating;
  std::vector<const Technology*> missing;
  Power total;
};

Hour hour_of(const HourlyMeans& means, Instant start) {
  Hour hour;
  for (const Technology& technology : k_technologies) {
    const auto series = means.find(technology.indicator);
    if (series == means.end() || !series->second.contains(start)) {
      hour.missing.push_back(&technology);
      continue;
    }
    // Pumping and charging are no negative generation.
    const Power power = std::max(Power{}, series->second.at(start));
    hour.generating[technology.indicator] = power;
    hour.total += power;
  }
  return hour;
}

std::int64_t share_ppm(Power part, Power total) {
  if (total <= Power{}) return 0;
  return scheduler::narrow(scheduler::divide_rounded(Wide{part.base()} * k_ppm, total.base()));
}

/// The largest share of each technology in these hours, or what is left of the largest one before them: it fades by a
/// sixteenth each time, so that what carried the mix yesterday is still missed today, also at night.
SeenShares shares_of(const std::map<Instant, Hour>& mix, const SeenShares& seen) {
  SeenShares shares;
  for (const Technology& technology : k_technologies) {
    const auto before = seen.find(technology.indicator);
    shares[technology.indicator] = before == seen.end() ? technology.usual_share_ppm : before->second;
  }
  std::map<int, std::int64_t> largest;
  for (const auto& [start, hour] : mix) {
    for (const auto& [indicator, power] : hour.generating) {
      largest[indicator] = std::max(largest[indicator], share_ppm(power, hour.total));
    }
  }
  for (const auto& [indicator, share] : largest) {
    const std::int64_t faded = shares[indicator] - shares[indicator] / 16;
    shares[indicator] = std::max(share, faded);
  }
  return shares;
}

std::optional<Rejection> incomplete(Instant start, const Hour& hour, const SeenShares& shares) {
  for (const Technology* technology : hour.missing) {
    const std::int64_t share = shares.at(technology->indicator);
    if (share < k_share_that_counts_ppm) continue;
    return Rejection{start, RejectionReason::incomplete,
                     std::string{technology->name} + " is missing, which carries up to " +
                         std::to_string(share / (k_ppm / 100)) + " % of the mix"};
  }
  return std::nullopt;
}

RawNumber grams_of(const Hour& hour) {
  Wide weighted = 0;
  for (const Technology& technology : k_technologies) {
    const auto power = hour.generating.find(technology.indicator);
    if (power != hour.generating.end()) weighted += Wide{power->second.base()} * technology.factor_mg_per_kwh;
  }
  if (hour.total <= Power{}) return {RawNumber::State::null, 0};
  const auto milligrams = scheduler::narrow(scheduler::divide_rounded(weighted, hour.total.base()));
  return RawNumber::of(scheduler::grams_per_kwh(scheduler::CarbonIntensity::of_base(milligrams)));
}

}  // namespace

std::map<Instant, Power> hourly_means(const Indicator& indicator) {
  struct Sum {
    Power power;
    std::int64_t count = 0;
  };
  std::map<Instant, Sum> sums;
  for (const auto& row : indicator.rows) {
    const auto power = power_of(row.value);
    if (!power) continue;
    Sum& sum = sums[std::chrono::floor<hours>(row.start)];
    sum.power += *power;
    ++sum.count;
  }
  const std::int64_t steps = k_hour / indicator.step;
  std::map<Instant, Power> means;
  if (steps * indicator.step != k_hour) return means;  // no step that divides an hour: nothing that we could read
  for (const auto& [start, sum] : sums) {
    if (sum.count == steps) {
      means.emplace(start, Power::of_base(scheduler::narrow(scheduler::divide_rounded(sum.power.base(), steps))));
    }
  }
  return means;
}

Mix intensity_of_mix(const std::map<int, Indicator>& generation, const SeenShares& seen, const scheduler::Zone& zone,
                     Instant now, const Door& door) {
  Mix mix;
  HourlyMeans means;
  std::set<Instant> starts;
  std::optional<Instant> updated_at;
  for (const auto& [id, indicator] : generation) {
    means[id] = hourly_means(indicator);
    for (const auto& row : indicator.rows) starts.insert(std::chrono::floor<hours>(row.start));
    if (indicator.updated_at) updated_at = std::max(updated_at.value_or(*indicator.updated_at), *indicator.updated_at);
    std::copy(indicator.rejected.begin(), indicator.rejected.end(), std::back_inserter(mix.harvest.rejected));
    mix.harvest.duplicates += indicator.duplicates;
  }
  std::map<Instant, Hour> by_hour;
  for (const Instant start : starts) {
    if (start + k_hour <= now) by_hour.emplace(start, hour_of(means, start));
  }
  mix.seen = shares_of(by_hour, seen);
  const scheduler::SeriesIdentity identity{
      zone, {scheduler::Scope::lifecycle, scheduler::Basis::average, scheduler::Method::production}};
  for (const auto& [start, hour] : by_hour) {
    if (auto rejection = incomplete(start, hour, mix.seen)) {
      mix.harvest.rejected.push_back(*std::move(rejection));
      continue;
    }
    auto value = door.admit(zone, start, grams_of(hour));
    if (!value) {
      mix.harvest.rejected.push_back(std::move(value.error()));
      continue;
    }
    mix.harvest.intensity.push_back({.identity = identity,
                                     .interval = {start, start + k_hour},
                                     .value = *value,
                                     .updated_at = updated_at.value_or(now)});
  }
  return mix;
}

}  // namespace valle::connectors::esios
