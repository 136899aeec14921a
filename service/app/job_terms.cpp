// SPDX-License-Identifier: Apache-2.0
#include "service/app/job_terms.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "service/app/places.hpp"

namespace valle::service::app {
namespace {

using runtime::SiteConfig;
using scheduler::Duration;
using scheduler::Energy;
using scheduler::Errc;
using scheduler::Instant;
using scheduler::Power;
using scheduler::refuse;
using scheduler::Result;
using scheduler::Wide;

constexpr Energy k_assumed_energy = Energy::of_base(1'000'000);  // 1 kWh

/// The constant power that spends `energy` in `duration`; at least the smallest unit.
Power power_of(Energy energy, Duration duration) {
  const auto milliwatts = scheduler::divide_rounded(Wide{energy.base()} * 3600, duration.count());
  return Power::of_base(std::max<std::int64_t>(1, scheduler::narrow(milliwatts)));
}

/// The ways to run, the one of duration and power first.
Result<std::vector<scheduler::Mode>> modes_of(const JobRequest& request) {
  std::vector<scheduler::Mode> modes;
  if (request.duration) {
    const Power power =
        request.power ? *request.power : power_of(request.energy.value_or(k_assumed_energy), *request.duration);
    if (power > scheduler::ProblemLimits::k_power) {
      return refuse(Errc::invalid_request, "so much energy in so short a time is more than 1e9 W", "/energyKwh");
    }
    modes.push_back({"", power, *request.duration});
  }
  if (request.modes) modes.insert(modes.end(), request.modes->begin(), request.modes->end());
  return modes;
}

Result<std::size_t> site_index(const std::string& name, std::span<const SiteConfig> sites, std::string pointer) {
  const auto wanted = lower_case(name);
  const auto found =
      std::find_if(sites.begin(), sites.end(), [&](const SiteConfig& site) { return lower_case(site.name) == wanted; });
  if (found != sites.end()) return static_cast<std::size_t>(found - sites.begin());
  std::string names;
  for (const auto& site : sites) names += (names.empty() ? "" : ", ") + site.name;
  return refuse(Errc::unknown_site, "site " + name + " is not known; known are " + (names.empty() ? "none" : names),
                std::move(pointer));
}

Result<void> check_members(const JobRequest& request) {
  if (request.finish_by.has_value() + request.latest_start.has_value() + request.max_wait.has_value() > 1) {
    return refuse(Errc::invalid_request, "give only one of finishBy, latestStart and maxWait",
                  request.max_wait ? "/maxWait" : "/latestStart");
  }
  if (request.power && request.energy) {
    return refuse(Errc::invalid_request, "give powerWatts or energyKwh, not both", "/energyKwh");
  }
  if (request.modes && request.duration.has_value() != (request.power || request.energy)) {
    return refuse(Errc::invalid_request,
                  "beside modes, duration and powerWatts are one more mode: give both or neither",
                  request.duration ? "/powerWatts" : "/duration");
  }
  if (!request.modes && !request.duration) {
    return refuse(Errc::invalid_request, "duration is required: how long the job runs, such as PT6H", "/duration");
  }
  return {};
}

Result<void> look_up_sites(const JobRequest& request, std::span<const SiteConfig> sites, JobTerms& terms) {
  if (request.sites) {
    for (std::size_t i = 0; i < request.sites->size(); ++i) {
      const auto index = site_index((*request.sites)[i], sites, "/sites/" + std::to_string(i));
      if (!index) return tl::unexpected{index.error()};
      terms.sites.push_back(*index);
    }
  } else {
    terms.sites.resize(sites.size());
    std::iota(terms.sites.begin(), terms.sites.end(), std::size_t{0});
  }
  if (terms.sites.empty()) return refuse(Errc::unknown_site, "no site is known yet", "/sites");
  terms.home_site = terms.sites.front();
  if (request.home_site) {
    const auto home = site_index(*request.home_site, sites, "/homeSite");
    if (!home) return tl::unexpected{home.error()};
    terms.home_site = *home;
  }
  if (request.fixed) {
    if (const auto site = site_index(request.fixed->site, sites, "/fixed/site"); !site) {
      return tl::unexpected{site.error()};
    }
  }
  return {};
}

bool has_room(const SiteConfig& site, const std::vector<scheduler::ResourceDemand>& demand) {
  return std::all_of(demand.begin(), demand.end(), [&site](const scheduler::ResourceDemand& each) {
    const auto capacity = site.capacity.find(each.resource);
    return capacity == site.capacity.end() || each.amount <= capacity->second;
  });
}

}  // namespace

Duration JobTerms::shortest() const {
  return std::min_element(modes.begin(), modes.end(),
                          [](const auto& a, const auto& b) { return a.duration < b.duration; })
      ->duration;
}

Result<JobTerms> terms_of(const JobRequest& request, std::span<const SiteConfig> sites, Instant submitted_at,
                          Duration longest_wait) {
  if (auto valid = check_members(request); !valid) return tl::unexpected{std::move(valid.error())};
  JobTerms terms{};
  if (auto found = look_up_sites(request, sites, terms); !found) return tl::unexpected{std::move(found.error())};
  auto modes = modes_of(request);
  if (!modes) return tl::unexpected{std::move(modes.error())};
  terms.modes = *std::move(modes);
  terms.earliest_start = request.earliest_start.value_or(submitted_at);
  // With several modes the shortest counts, so that the latest start holds for each of them.
  const Instant latest_start =
      request.latest_start.value_or(terms.earliest_start + request.max_wait.value_or(longest_wait));
  terms.finish_by = request.finish_by.value_or(latest_start + terms.shortest());
  terms.start_by = terms.finish_by - terms.shortest();
  if (request.fixed) terms.start_by = std::max(terms.start_by, request.fixed->start);
  return terms;
}

Result<void> feasible(const JobRequest& request, const JobTerms& terms, std::span<const SiteConfig> sites) {
  if (terms.start_by < terms.earliest_start) {
    const auto works = scheduler::format_instant(terms.earliest_start + terms.shortest());
    return refuse(Errc::window_too_short,
                  "from " + scheduler::format_instant(terms.earliest_start) + " to " +
                      scheduler::format_instant(terms.finish_by) + " there is no room for " +
                      scheduler::format_duration(terms.shortest()) + "; the earliest finish that works is " + works,
                  request.latest_start ? "/latestStart" : "/finishBy", {{"smallestFinishBy", works}});
  }
  const auto fixed = request.fixed ? site_index(request.fixed->site, sites, "/fixed/site") : std::size_t{0};
  if (request.fixed && (!fixed || std::find(terms.sites.begin(), terms.sites.end(), *fixed) == terms.sites.end())) {
    return refuse(Errc::invalid_request, "the job is fixed at a site that is not among its sites", "/fixed/site");
  }
  const auto demand = request.demand.value_or(std::vector<scheduler::ResourceDemand>{});
  const bool fits = std::any_of(terms.sites.begin(), terms.sites.end(),
                                [&](std::size_t site) { return has_room(sites[site], demand); });
  if (fits) return {};
  std::string asked;
  for (const auto& each : demand) {
    std::int64_t most = 0;
    for (const auto site : terms.sites) {
      const auto capacity = sites[site].capacity.find(each.resource);
      most = std::max(most, capacity == sites[site].capacity.end() ? each.amount.base() : capacity->second.base());
    }
    if (each.amount.base() > most) {
      asked +=
          (asked.empty() ? "" : ", ") + std::string{"at most "} + std::to_string(most / 1000) + " " + each.resource;
    }
  }
  return refuse(Errc::infeasible,
                "no allowed site has the capacity that the job demands" +
                    (asked.empty() ? std::string{} : "; it would fit with " + asked),
                "/demand");
}

}  // namespace valle::service::app
