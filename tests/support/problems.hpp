// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/model/problem.hpp"

// Small problems in words: `a_problem(6).with(a_site("fr", {40, 38, …})).with(a_job("a").running(2h).drawing(3000))`.
namespace valle::tests {

using namespace std::chrono_literals;
namespace core = valle::scheduler;

inline constexpr core::Instant k_monday{std::chrono::sys_days{std::chrono::year{2027} / 10 / 11}};

[[nodiscard]] inline core::Instant hour(double h) {
  return k_monday + std::chrono::seconds{static_cast<std::int64_t>(h * 3600)};
}

class SiteBuilder {
 public:
  SiteBuilder(std::string name, const std::vector<double>& grams_per_kwh)
      : site_{.name = std::move(name), .zone = core::Zone::of("FR"), .capacity = {}, .intensity = {}} {
    for (const double grams : grams_per_kwh) site_.intensity.push_back(core::intensity_from_grams_per_kwh(grams));
  }
  SiteBuilder pue(double pue) && {
    site_.pue = core::ratio_from_number(pue);
    return std::move(*this);
  }
  SiteBuilder holding(std::string resource, double amount) && {
    return std::move(*this).holding(std::move(resource), std::vector<double>(site_.intensity.size(), amount));
  }
  SiteBuilder holding(std::string resource, const std::vector<double>& amounts) && {
    core::ResourceCapacity capacity{std::move(resource), {}};
    for (const double amount : amounts) {
      capacity.per_slot.push_back(core::Amount::of_base(static_cast<std::int64_t>(amount * 1000)));
    }
    site_.capacity.push_back(std::move(capacity));
    return std::move(*this);
  }
  SiteBuilder ramping(double watts) && {
    site_.ramp = core::power_from_watts(watts);
    return std::move(*this);
  }
  SiteBuilder moving_for(double kwh_per_gb) && {
    site_.energy_per_gb = core::energy_from_kwh(kwh_per_gb);
    return std::move(*this);
  }
  SiteBuilder priced(const std::vector<double>& eur_per_mwh) && {
    for (const double price : eur_per_mwh) site_.price.push_back(core::price_from_eur_per_mwh(price));
    return std::move(*this);
  }
  [[nodiscard]] core::Site build() const { return site_; }

 private:
  core::Site site_;
};
[[nodiscard]] inline SiteBuilder a_site(std::string name, const std::vector<double>& grams_per_kwh) {
  return {std::move(name), grams_per_kwh};
}

/// One hour, 1 kW, no demand, anywhere, at home at the first site, from the start of the problem to its end.
class JobBuilder {
 public:
  explicit JobBuilder(std::string id)
      : job_{.id = std::move(id),
             .earliest_start = hour(0),
             .finish_by = core::ProblemLimits::k_last_instant,
             .modes = {{.name = "", .power = core::power_from_watts(1000), .duration = 1h}},
             .demand = {},
             .sites = {},
             .home_site = 0} {}
  JobBuilder running(core::Duration duration) && {
    job_.modes[0].duration = duration;
    return std::move(*this);
  }
  JobBuilder drawing(double watts) && {
    job_.modes[0].power = core::power_from_watts(watts);
    return std::move(*this);
  }
  JobBuilder needing(std::string resource, double amount) && {
    job_.demand.push_back({std::move(resource), core::Amount::of_base(static_cast<std::int64_t>(amount * 1000))});
    return std::move(*this);
  }
  JobBuilder from(double h) && {
    job_.earliest_start = hour(h);
    return std::move(*this);
  }
  JobBuilder done_by(double h) && {
    job_.finish_by = hour(h);
    return std::move(*this);
  }
  JobBuilder at(std::vector<std::size_t> sites) && {
    job_.sites = std::move(sites);
    return std::move(*this);
  }
  JobBuilder home(std::size_t site) && {
    job_.home_site = site;
    return std::move(*this);
  }
  JobBuilder priority(int priority) && {
    job_.priority = priority;
    return std::move(*this);
  }
  JobBuilder fixed(std::size_t site, double h) && {
    job_.fixed = core::FixedStart{site, hour(h)};
    return std::move(*this);
  }
  JobBuilder in_group(std::string group) && {
    job_.group = std::move(group);
    return std::move(*this);
  }
  JobBuilder moving(double gigabytes) && {
    job_.transfer_gb = gigabytes;
    return std::move(*this);
  }
  JobBuilder interruptible(core::Interruption rule = {}) && {
    job_.interruption = rule;
    return std::move(*this);
  }
  /// Replaces the plain mode.
  JobBuilder modes(std::vector<core::Mode> modes) && {
    job_.modes = std::move(modes);
    return std::move(*this);
  }
  [[nodiscard]] core::Job build() const { return job_; }

 private:
  core::Job job_;
};
[[nodiscard]] inline JobBuilder a_job(std::string id) { return JobBuilder{std::move(id)}; }
[[nodiscard]] inline core::Mode a_mode(std::string name, double watts, core::Duration duration) {
  return {std::move(name), core::power_from_watts(watts), duration};
}

class ProblemBuilder {
 public:
  explicit ProblemBuilder(std::size_t slots) : problem_{.start = k_monday, .slots = slots, .sites = {}, .jobs = {}} {}
  ProblemBuilder with(const SiteBuilder& site) && {
    problem_.sites.push_back(site.build());
    return std::move(*this);
  }
  /// A job without sites may run at all of them. Add sites first.
  ProblemBuilder with(const JobBuilder& job) && {
    problem_.jobs.push_back(job.build());
    core::Job& added = problem_.jobs.back();
    if (added.sites.empty()) {
      for (std::size_t s = 0; s < problem_.sites.size(); ++s) added.sites.push_back(s);
    }
    return std::move(*this);
  }
  ProblemBuilder slot(core::Duration slot) && {
    problem_.slot = slot;
    return std::move(*this);
  }
  ProblemBuilder eur_per_tonne(double eur) && {
    problem_.eur_per_tonne = eur;
    return std::move(*this);
  }
  [[nodiscard]] core::Problem build() const { return problem_; }
  operator core::Problem() const { return problem_; }  // NOLINT: a builder ends where a problem is wanted

 private:
  core::Problem problem_;
};
[[nodiscard]] inline ProblemBuilder a_problem(std::size_t slots) { return ProblemBuilder{slots}; }

}  // namespace valle::tests
