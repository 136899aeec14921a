// SPDX-License-Identifier: Apache-2.0
#include "service/app/posted_run.hpp"

#include <algorithm>
#include <utility>

#include "scheduler/account/posted.hpp"
#include "service/app/places.hpp"

namespace valle::service::app {
namespace {

using scheduler::Errc;
using scheduler::refuse;
using scheduler::Result;

Result<const runtime::SiteConfig*> site_named(const std::string& name, std::span<const runtime::SiteConfig> sites,
                                              const char* member) {
  std::string known;
  for (const auto& site : sites) {
    if (lower_case(site.name) == lower_case(name)) return &site;
    known += (known.empty() ? "" : ", ") + site.name;
  }
  return refuse(Errc::unknown_site, "site " + name + " is not known; known are " + (known.empty() ? "none" : known),
                member);
}

Result<void> check_instants(const PostedRun& posted, scheduler::Instant now) {
  if (posted.started < posted.submitted) {
    return refuse(Errc::invalid_request, "startedAt lies before submittedAt", "startedAt");
  }
  if (posted.finished <= posted.started) {
    return refuse(Errc::invalid_request, "finishedAt must lie after startedAt", "finishedAt");
  }
  if (posted.finished > now) return refuse(Errc::invalid_request, "finishedAt lies in the future", "finishedAt");
  if (posted.finished - posted.started > k_longest_posted_run) {
    return refuse(Errc::invalid_request, "a run lasts at most 366 days", "finishedAt");
  }
  return {};
}

Result<void> check_profile(const PostedRun& posted) {
  scheduler::Instant reached = posted.started;
  scheduler::Energy sum;
  for (const auto& slice : posted.profile) {
    if (slice.interval.empty() || slice.interval.begin < reached || slice.interval.end > posted.finished) {
      return refuse(Errc::invalid_request, "slices follow each other, take time and lie inside the run", "profile");
    }
    reached = slice.interval.end;
    sum += slice.energy;
  }
  if (!posted.profile.empty() && sum != posted.energy) {
    return refuse(Errc::invalid_request, "the slices' energy must sum to energyKwh", "profile");
  }
  return {};
}

}  // namespace

Result<scheduler::Run> run_of(PostedRun posted, std::span<const runtime::SiteConfig> sites, scheduler::Instant now) {
  const auto site = site_named(posted.site, sites, "site");
  if (!site) return tl::unexpected{site.error()};
  const auto home = posted.home_site.empty() ? site : site_named(posted.home_site, sites, "homeSite");
  if (!home) return tl::unexpected{home.error()};
  if (const auto fits = check_instants(posted, now); !fits) return tl::unexpected{fits.error()};
  if (const auto fits = check_profile(posted); !fits) return tl::unexpected{fits.error()};

  scheduler::Run run;
  run.id = run.name = std::move(posted.id);
  run.owner = std::move(posted.owner);
  run.submitted = posted.submitted;
  run.home_site = (*home)->name;
  run.home_pue = (*home)->pue;
  run.start_by = posted.start_by;
  run.gpus = posted.gpus;
  run.label = std::move(posted.label);
  run.finished = posted.finished;
  scheduler::Attempt attempt;
  attempt.site = (*site)->name;
  attempt.pue = (*site)->pue;
  attempt.ran = {posted.started, posted.finished};
  attempt.outcome = posted.outcome;
  if (posted.energy) {
    attempt.figures.push_back(scheduler::posted_figure(*posted.energy, posted.uncertainty));
    attempt.figures.front().profile = std::move(posted.profile);
  }
  run.attempts.push_back(std::move(attempt));
  return run;
}

}  // namespace valle::service::app
