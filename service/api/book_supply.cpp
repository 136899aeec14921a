// SPDX-License-Identifier: Apache-2.0
#include "service/api/book_supply.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "service/app/slot_means.hpp"

namespace valle::service::api {

using namespace scheduler;

namespace {

/// Zones of sites without intensities of their own, each once. What is malformed is left to the reader of the problem.
std::vector<Zone> zones_without_intensity(const Json& document) {
  std::vector<Zone> zones;
  if (!document.is_object()) return zones;
  const auto sites = document.find("sites");
  if (sites == document.end() || !sites->is_array()) return zones;
  for (const Json& site : *sites) {
    if (!site.is_object() || site.contains("gramsPerKwh")) continue;
    const auto name = site.find("zone");
    if (name == site.end() || !name->is_string()) continue;
    const auto zone = Zone::make(name->get_ref<const std::string&>());
    if (zone && std::find(zones.begin(), zones.end(), *zone) == zones.end()) zones.push_back(*zone);
  }
  return zones;
}

}  // namespace

IntensitySupply book_supply(const Json& document, std::shared_ptr<const app::IntensityBook> book, Instant now) {
  return
      [zones = zones_without_intensity(document), book = std::move(book), now](const Zone& zone, const Problem& grid) {
        const Interval window{grid.start, grid.start + grid.slot * static_cast<std::int64_t>(grid.slots)};
        return app::slot_means(zone, zones, window, grid.slot, *book, now);
      };
}

}  // namespace valle::service::api
