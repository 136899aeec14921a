// SPDX-License-Identifier: Apache-2.0
#include "connectors/files/files.hpp"

#include "connectors/files/file_layers.hpp"
#include "connectors/files/file_set.hpp"

namespace valle::connectors {
namespace {

using scheduler::Instant;
using scheduler::Result;
using scheduler::Zone;

Result<FileLayers> read_text(const std::string& place, std::string_view text, const Zone& zone, Instant now,
                             const Door& door) {
  auto table = is_json(place) ? read_sdk_table(place, text) : read_csv_table(place, zone.name(), text);
  if (!table) return tl::unexpected{std::move(table.error())};
  return layers_of(std::move(*table), zone, now, door);
}

Result<ZoneFiles> read_set(const ZoneFileSet& set, Instant now, const Door& door) {
  FileLayers merged;
  for (const auto& file : set.files) {
    const auto text = read_whole_file(file);
    if (!text) return tl::unexpected{text.error()};
    auto layers = read_text(file.string(), *text, set.zone, now, door);
    if (!layers) return tl::unexpected{std::move(layers.error())};
    merged = laid_over(std::move(*layers), std::move(merged));
  }
  return ZoneFiles{set.zone, harvest_of(std::move(merged)), set.files};
}

}  // namespace

Result<std::vector<ZoneFiles>> read_intensity_files(std::span<const std::filesystem::path> paths, Instant now,
                                                    const Door& door) {
  const auto sets = find_zone_files(paths);
  if (!sets) return tl::unexpected{sets.error()};
  std::vector<ZoneFiles> zones;
  for (const ZoneFileSet& set : *sets) {
    auto zone = read_set(set, now, door);
    if (!zone) return tl::unexpected{std::move(zone.error())};
    zones.push_back(std::move(*zone));
  }
  return zones;
}

Result<ZoneFiles> read_intensity_text(const std::string& name, std::string_view text, Instant now, const Door& door) {
  auto zone = Zone::make(std::string_view{name}.substr(0, name.find('.')));
  if (!zone) return tl::unexpected{std::move(zone.error())};
  auto layers = read_text(name, text, *zone, now, door);
  if (!layers) return tl::unexpected{std::move(layers.error())};
  return ZoneFiles{*zone, harvest_of(std::move(*layers)), {name}};
}

}  // namespace valle::connectors
