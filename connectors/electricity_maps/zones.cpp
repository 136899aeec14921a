// SPDX-License-Identifier: Apache-2.0
#include "connectors/electricity_maps/zones.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "connectors/electricity_maps/address.hpp"
#include "connectors/json/json.hpp"
#include "connectors/retry/upstream.hpp"

namespace valle::connectors::electricity_maps {

scheduler::Result<std::vector<ZoneListing>> parse_zones(std::string_view body) {
  auto document = json::parse(body);
  if (!document) return tl::unexpected{document.error()};
  std::vector<ZoneListing> zones;
  const auto add = [&](std::string_view key, const json::Value& row) {
    ZoneListing zone{
        .key = std::string{key}, .name = std::string{json::text(row, "zoneName").value_or("")}, .access = {}};
    if (const auto* access = json::list(row, "access")) {
      for (const auto& word : *access) {
        if (const auto text = json::text(&word)) zone.access.emplace_back(*text);
      }
    } else if (const auto all = json::text(row, "access")) {
      zone.access.emplace_back(*all);
    }
    zones.push_back(std::move(zone));
  };
  if (const auto* list = json::list(&*document)) {
    for (const auto& row : *list) {
      const auto key = json::text(row, "zoneKey");
      if (key) add(*key, row);
    }
  } else if (document->is_object()) {
    for (const auto& [key, row] : document->items()) add(key, row);
  } else {
    return scheduler::refuse(scheduler::Errc::invalid_request, "the list of zones is neither a list nor an object");
  }
  std::sort(zones.begin(), zones.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
  return zones;
}

scheduler::Result<std::vector<ZoneListing>> list_zones(const ElectricityMapsOptions& options, Surroundings surroundings,
                                                       scheduler::Instant now) {
  const auto token = options.token->current();
  if (!token) return tl::unexpected{token.error()};
  const Patience patience{now, surroundings.waiter.elapsed() + options.timeout};
  Upstream upstream{upstream_options(options), std::move(surroundings)};
  const auto reply = upstream.get(version_path(options) + "zones", {}, {{"auth-token", token->reveal()}}, patience);
  if (!reply) return scheduler::refuse(scheduler::Errc::source_unavailable, reply.error().detail);
  if (reply->status != 200) {
    return scheduler::refuse(scheduler::Errc::source_unavailable,
                             refusal_of(*reply, upstream.provider(), &*token).detail);
  }
  return parse_zones(reply->body);
}

}  // namespace valle::connectors::electricity_maps
