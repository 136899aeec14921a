// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/account/posted.hpp"
#include "scheduler/account/split.hpp"
#include "tests/support/readings.hpp"

namespace valle::tests {

/// A finished run with one attempt at constant power, built member by member.
class RunBuilder {
 public:
  explicit RunBuilder(const std::string& id = "job-1") {
    run_.id = run_.name = id;
    run_.owner = "lab";
    run_.home_site = "es";
    run_.attempts.resize(1);
    run_.attempts.front().site = "es";
    run_.attempts.front().outcome = scheduler::AttemptOutcome::finished;
  }
  RunBuilder& owner(const std::string& name) {
    run_.owner = name;
    return *this;
  }
  RunBuilder& submitted(const std::string& instant) {
    run_.submitted = at(instant);
    return *this;
  }
  RunBuilder& ran(const std::string& start, const std::string& end) {
    attempt().ran = {at(start), at(end)};
    run_.finished = at(end);
    if (run_.submitted == scheduler::Instant{}) run_.submitted = at(start);
    return *this;
  }
  RunBuilder& site(const std::string& name) {
    attempt().site = name;
    return *this;
  }
  RunBuilder& home(const std::string& name, double pue = 1) {
    run_.home_site = name;
    run_.home_pue = scheduler::ratio_from_number(pue);
    return *this;
  }
  RunBuilder& kwh(double energy) {
    attempt().figures = {scheduler::posted_figure(scheduler::energy_from_kwh(energy))};
    return *this;
  }
  /// Energy of each hour from the attempt's start on.
  RunBuilder& kwh_by_hour(const std::vector<double>& hours) {
    double all = 0;
    for (const double hour : hours) all += hour;
    kwh(all);
    scheduler::Instant start = attempt().ran.begin;
    for (const double hour : hours) {
      attempt().figures.front().profile.push_back(
          {{start, start + std::chrono::hours{1}}, scheduler::energy_from_kwh(hour)});
      start += std::chrono::hours{1};
    }
    return *this;
  }
  /// A further attempt; the calls that follow are about it.
  RunBuilder& then(const std::string& start, const std::string& end) {
    scheduler::Attempt next;
    next.number = static_cast<int>(run_.attempts.size()) + 1;
    next.site = attempt().site;
    next.outcome = scheduler::AttemptOutcome::finished;
    attempt().outcome = scheduler::AttemptOutcome::failed;
    run_.attempts.push_back(std::move(next));
    return ran(start, end);
  }
  scheduler::Attempt& attempt() { return run_.attempts.back(); }
  scheduler::Run& run() { return run_; }
  operator const scheduler::Run&() const { return run_; }  // NOLINT(google-explicit-constructor)

 private:
  scheduler::Run run_;
};

/// Sites with hourly realised intensity, one zone each.
class RealisedSites {
 public:
  RealisedSites& site(const std::string& name, const std::string& start, const std::vector<double>& grams,
                      double pue = 1, std::optional<double> yearly = {}) {
    std::vector<scheduler::Step> steps;
    scheduler::Instant hour = at(start);
    for (const double value : grams) {
      if (value > 0) {
        steps.push_back({{hour, hour + std::chrono::hours{1}}, scheduler::intensity_from_grams_per_kwh(value)});
      }
      hour += std::chrono::hours{1};
    }
    return add(name, std::move(steps), pue, yearly);
  }
  RealisedSites& add(const std::string& name, std::vector<scheduler::Step> steps, double pue = 1,
                     std::optional<double> yearly = {}) {
    const auto series = scheduler::IntensitySeries::of(std::move(steps));
    const scheduler::Interval window{at("2027-01-01T00:00:00Z"), at("2028-01-01T00:00:00Z")};
    std::optional<scheduler::CarbonIntensity> factor;
    if (yearly) factor = scheduler::intensity_from_grams_per_kwh(*yearly);
    Known& known = sites_[name];
    known.intensity = scheduler::RealisedIntensity{series, window, factor};
    known.site = {.pue = scheduler::ratio_from_number(pue), .number = sites_.size() - 1};
    return *this;
  }
  /// Of each hour from `start` on, for a site that is there.
  RealisedSites& prices(const std::string& name, const std::string& start, const std::vector<double>& eur_per_mwh) {
    std::vector<scheduler::PriceStep> steps;
    scheduler::Instant hour = at(start);
    for (const double eur : eur_per_mwh) {
      steps.push_back({{hour, hour + std::chrono::hours{1}}, scheduler::price_from_eur_per_mwh(eur)});
      hour += std::chrono::hours{1};
    }
    sites_.at(name).prices.emplace(scheduler::Zone::of("XX"), "test", std::move(steps));
    return *this;
  }
  /// Borrows this object.
  [[nodiscard]] scheduler::SitesOfAccount lookup() const {
    return [this](const std::string& name) -> const scheduler::SiteOfAccount* {
      const auto found = sites_.find(name);
      if (found == sites_.end()) return nullptr;
      Known& known = found->second;
      known.site.intensity = &known.intensity;
      known.site.prices = known.prices ? &*known.prices : nullptr;
      return &known.site;
    };
  }

 private:
  struct Known {
    scheduler::RealisedIntensity intensity;
    std::optional<scheduler::PriceSeries> prices;
    scheduler::SiteOfAccount site;
  };
  mutable std::map<std::string, Known> sites_;
};

}  // namespace valle::tests
