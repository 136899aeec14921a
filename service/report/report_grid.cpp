// SPDX-License-Identifier: Apache-2.0
#include "service/report/report_grid.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "service/app/places.hpp"

namespace valle::service::report {
namespace {

using nlohmann::json;
using scheduler::CarbonIntensity;
using scheduler::Duration;
using scheduler::Errc;
using scheduler::Instant;
using scheduler::Interval;
using scheduler::ReadingKind;
using scheduler::Step;

/// A run that ends in a week was submitted not long before it.
constexpr Duration k_before_week = std::chrono::days{14};
/// The longest that a job may wait and run, and then some.
constexpr Duration k_longest_life = std::chrono::days{800};

std::size_t zone_index(ReportGrid& grid, const scheduler::Zone& zone) {
  const auto found =
      std::find_if(grid.zones.begin(), grid.zones.end(), [&](const auto& each) { return each.zone == zone; });
  if (found != grid.zones.end()) return static_cast<std::size_t>(found - grid.zones.begin());
  grid.zones.push_back({.zone = zone});
  return grid.zones.size() - 1;
}

void take_series(ZoneOfReport& zone, const app::ChosenSeries& chosen, Interval window) {
  zone.source = chosen.source;
  zone.attribution = chosen.attribution;
  for (const Step& step : chosen.series->within(window)) {
    if (step.kind == ReadingKind::measured) zone.steps.push_back(step);
  }
}

json out(const runtime::YearlyFactor& factor) { return {factor.value.base(), factor.source, factor.year}; }
json out(const runtime::MarketFactor& factor) {
  return {factor.value.base(), factor.instrument, factor.source, factor.year};
}

/// Steps as runs of equal length: [begin, length, [values]].
template <class Each>
json runs_of(const std::vector<Each>& steps) {
  json runs = json::array();
  const Each* before = nullptr;
  for (const Each& step : steps) {
    const bool joins = before != nullptr && before->interval.end == step.interval.begin &&
                       before->interval.length() == step.interval.length();
    if (!joins) {
      runs.push_back({step.interval.begin.time_since_epoch().count(), step.interval.length().count(), json::array()});
    }
    runs.back()[2].push_back(step.value.base());
    before = &step;
  }
  return runs;
}

/// The steps of one such run.
template <class Each>
void append_run(std::vector<Each>& steps, const json& run) {
  Instant begin{Duration{run.at(0).get<std::int64_t>()}};
  const Duration length{run.at(1).get<std::int64_t>()};
  for (const json& value : run.at(2)) {
    Each step{};
    step.interval = {begin, begin + length};
    step.value = decltype(step.value)::of_base(value.get<std::int64_t>());
    steps.push_back(step);
    begin += length;
  }
}

/// A fourth member of each run: the indices of estimated values.
json out(const std::vector<Step>& steps) {
  json runs = runs_of(steps);
  std::size_t at = 0;
  for (json& run : runs) {
    json estimated = json::array();
    for (std::size_t i = 0; i < run[2].size(); ++i, ++at) {
      if (steps[at].estimated) estimated.push_back(i);
    }
    run.push_back(std::move(estimated));
  }
  return runs;
}

std::vector<Step> steps(const json& runs) {
  std::vector<Step> steps;
  for (const json& run : runs) {
    const std::size_t first = steps.size();
    append_run(steps, run);
    for (const json& index : run.at(3)) steps.at(first + index.get<std::size_t>()).estimated = true;
  }
  return steps;
}

std::vector<scheduler::PriceStep> prices(const json& runs) {
  std::vector<scheduler::PriceStep> steps;
  for (const json& run : runs) append_run(steps, run);
  return steps;
}

}  // namespace

ReportGrid present_grid(const app::IntensityBook& book, std::span<const runtime::SiteConfig> sites,
                        const runtime::ReportConfig& config, Interval week, Instant now) {
  ReportGrid grid;
  for (const auto& site : sites) {
    SiteOfReport added{.name = site.name, .zone = zone_index(grid, site.zone), .pue = site.pue};
    for (const auto& [name, factor] : config.market) {
      if (app::lower_case(name) == app::lower_case(site.name)) added.market = factor;
    }
    grid.sites.push_back(std::move(added));
  }
  std::vector<scheduler::Zone> zones;
  for (auto& zone : grid.zones) {
    zones.push_back(zone.zone);
    if (const auto factor = config.fallback.find(zone.zone); factor != config.fallback.end()) {
      zone.fallback = factor->second;
    }
  }
  // What ends after now is not realised.
  const Interval near{week.begin - k_before_week, std::max(week.begin, std::min(week.end, now))};
  const app::Choice choice = book.choose({.zones = zones, .window = near, .now = now});
  if (choice.accounting) grid.accounting = *choice.accounting;
  const Interval ever{week.begin - k_longest_life, week.end};
  for (const auto& chosen : choice.zones) take_series(grid.zones[chosen.zone], chosen, ever);
  for (auto& zone : grid.zones) {
    const auto* known = book.prices(zone.zone, near);
    if (known == nullptr) continue;
    zone.price_source = known->source();
    const auto within = known->within(ever);
    zone.prices.assign(within.begin(), within.end());
  }
  return grid;
}

ReportGrid cut(const ReportGrid& grid, Interval window) {
  ReportGrid kept = grid;
  for (auto& zone : kept.zones) {
    const auto outside = [&](const auto& step) { return step.interval.overlap(window).empty(); };
    std::erase_if(zone.steps, outside);
    std::erase_if(zone.prices, outside);
  }
  return kept;
}

std::string grid_document(const ReportGrid& grid) {
  json document{{"scope", to_text(grid.accounting.scope)},
                {"basis", to_text(grid.accounting.basis)},
                {"method", to_text(grid.accounting.method)},
                {"sites", json::array()},
                {"zones", json::array()}};
  for (const auto& site : grid.sites) {
    document["sites"].push_back(
        {site.name, site.zone, site.pue.base(), site.market ? out(*site.market) : json(nullptr)});
  }
  for (const auto& zone : grid.zones) {
    document["zones"].push_back({zone.zone.name(), zone.source, zone.attribution,
                                 zone.fallback ? out(*zone.fallback) : json(nullptr), out(zone.steps),
                                 zone.price_source, runs_of(zone.prices)});
  }
  return document.dump();
}

scheduler::Result<ReportGrid> grid_from_document(std::string_view text) {
  try {
    const json document = json::parse(text);
    ReportGrid grid;
    grid.accounting.scope = scheduler::scope_from_text(document.at("scope").get<std::string>()).value();
    grid.accounting.basis = scheduler::basis_from_text(document.at("basis").get<std::string>()).value();
    grid.accounting.method = scheduler::method_from_text(document.at("method").get<std::string>()).value();
    for (const json& each : document.at("sites")) {
      SiteOfReport site{each.at(0).get<std::string>(), each.at(1).get<std::size_t>(),
                        scheduler::Ratio::of_base(each.at(2).get<std::int64_t>())};
      if (const json& market = each.at(3); !market.is_null()) {
        site.market = runtime::MarketFactor{CarbonIntensity::of_base(market.at(0).get<std::int64_t>()),
                                            market.at(1).get<std::string>(), market.at(2).get<std::string>(),
                                            market.at(3).get<int>()};
      }
      grid.sites.push_back(std::move(site));
    }
    for (const json& each : document.at("zones")) {
      ZoneOfReport zone{.zone = scheduler::Zone::make(each.at(0).get<std::string>()).value()};
      zone.source = each.at(1).get<std::string>();
      zone.attribution = each.at(2).get<std::string>();
      if (const json& factor = each.at(3); !factor.is_null()) {
        zone.fallback = runtime::YearlyFactor{CarbonIntensity::of_base(factor.at(0).get<std::int64_t>()),
                                              factor.at(1).get<std::string>(), factor.at(2).get<int>()};
      }
      zone.steps = steps(each.at(4));
      if (each.size() > 5) {  // reports of earlier versions have no prices
        zone.price_source = each.at(5).get<std::string>();
        zone.prices = prices(each.at(6));
      }
      if (!scheduler::IntensitySeries::make(zone.steps)) throw std::runtime_error{"its hours overlap"};
      grid.zones.push_back(std::move(zone));
    }
    return grid;
  } catch (const std::exception& exception) {
    return scheduler::refuse(
        Errc::storage_failed,
        std::string{"a stored report can't be read, the database is damaged: "} + exception.what());
  }
}

GridSites::GridSites(const ReportGrid& grid) {
  intensity_.reserve(grid.zones.size());
  prices_.reserve(grid.zones.size());
  for (const auto& zone : grid.zones) {
    std::optional<CarbonIntensity> factor;
    if (zone.fallback) factor = zone.fallback->value;
    auto series = scheduler::IntensitySeries::of(zone.steps);
    // A yearly factor holds also where no hour is known at all.
    constexpr Duration k_all = std::chrono::days{366 * 200};
    const Interval known = series.extent();
    const Interval window = factor ? Interval{Instant{}, Instant{} + k_all} : known;
    intensity_.emplace_back(series, window, factor);
    prices_.emplace_back(zone.zone, zone.price_source, zone.prices);
  }
  for (std::size_t i = 0; i < grid.sites.size(); ++i) {
    const auto& site = grid.sites[i];
    by_name_.emplace(app::lower_case(site.name),
                     scheduler::SiteOfAccount{&intensity_[site.zone], &prices_[site.zone], site.pue, i});
  }
}

scheduler::SitesOfAccount GridSites::lookup() const {
  return [this](const std::string& name) -> const scheduler::SiteOfAccount* {
    auto found = by_name_.find(name);
    if (found == by_name_.end()) found = by_name_.find(app::lower_case(name));
    return found == by_name_.end() ? nullptr : &found->second;
  };
}

}  // namespace valle::service::report
