// SPDX-License-Identifier: Apache-2.0
#include "service/app/places.hpp"

#include <algorithm>
#include <utility>

#include "scheduler/units/lower_case.hpp"

namespace valle::service::app {

using scheduler::Zone;

namespace {

bool contains(const std::vector<Zone>& zones, const Zone& zone) {
  return std::find(zones.begin(), zones.end(), zone) != zones.end();
}

}  // namespace

Places::Places(const runtime::Config& config) : config_{config}, wanted_{config.wanted_zones()} {}

std::vector<Zone> Places::zones(const IntensityBook& book) const {
  std::vector<Zone> zones = wanted_;
  for (auto& zone : book.zones()) {
    if (!contains(wanted_, zone)) zones.push_back(std::move(zone));
  }
  return zones;
}

scheduler::Result<void> Places::require_known(const Zone& zone, const IntensityBook& book, std::string pointer) const {
  const auto known = zones(book);
  if (!contains(known, zone)) return unknown_zone(zone, known, std::move(pointer));
  return {};
}

std::optional<ZoneSite> Places::site_of(const Zone& zone) const {
  if (config_.sites.empty()) return ZoneSite{lower_case(zone.name()), scheduler::k_one};
  for (const auto& site : config_.sites) {
    if (site.zone == zone) return ZoneSite{site.name, site.pue};
  }
  return {};
}

std::vector<runtime::SiteConfig> Places::sites(const IntensityBook& book) const {
  return config_.sites_or_one_per(zones(book));
}

tl::unexpected<scheduler::Error> unknown_zone(const Zone& zone, std::span<const Zone> known, std::string pointer) {
  std::string names;
  for (const auto& each : known) names += (names.empty() ? "" : ", ") + each.name();
  return scheduler::refuse(scheduler::Errc::unknown_zone,
                           "zone " + zone.name() + " is not known; known are " + (names.empty() ? "none" : names),
                           std::move(pointer));
}

std::string lower_case(std::string_view text) { return scheduler::lower_case(text); }

}  // namespace valle::service::app
