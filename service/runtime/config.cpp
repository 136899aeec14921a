// SPDX-License-Identifier: Apache-2.0
#include "service/runtime/config.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "service/runtime/config_sections.hpp"
#include "service/runtime/config_values.hpp"

namespace valle::service::runtime {
namespace {

using scheduler::Errc;
using scheduler::Result;
using scheduler::Zone;

constexpr std::size_t k_largest_file = 1u << 20;

/// Nothing but this machine may come in, unless callers are known and the line is safe, or the user insists.
void check_exposure(Reading& reading, const Config& config) {
  if (config.listen.loopback() || config.insecure || (config.tls && config.auth)) return;
  const auto origin = config.origins.find("listen");
  const bool flag = origin != config.origins.end() && origin->second == Origin::flag;
  reading.refuse(
      flag ? "--listen" : "", "listen",
      config.listen.text() + " can be reached from other machines: that needs tls: and auth:, or insecure: true");
}

Config read_all(Reading& reading, const YAML::Node& node) {
  Config config;
  Section root{reading, node, "", Section::Layers::all};
  root.read("listen", config.listen, parse_endpoint);
  root.read("insecure", config.insecure, parse_switch);
  root.read_path("database", config.database);
  Section retention = root.inner("retention");
  retention.read("forecasts", config.retention.forecasts, parse_retention);
  retention.read("rows", config.retention.rows, parse_retention);
  retention.finish();
  read_sites(root, config);
  read_sources(root, config);
  read_planning(root, config);
  read_kubernetes(root, config);
  read_webhook(root, config);
  read_tls_and_auth(root, config);
  read_energy(root, config);
  read_report(root, config);
  read_plausible(root, config);
  root.finish();
  reading.refuse_unknown_layers();
  config.origins = reading.origins;
  check_exposure(reading, config);
  return config;
}

Result<std::string> text_of(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  std::string text(k_largest_file + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (in.bad() || (text.empty() && !in.eof())) {
    return scheduler::refuse(Errc::invalid_request, "cannot be read: check the name and its permissions",
                             file.string());
  }
  if (text.size() > k_largest_file) {
    return scheduler::refuse(Errc::too_large, "is larger than 1 MB: that is no configuration", file.string());
  }
  return text;
}

template <class T>
void add_once(std::vector<T>& list, const T& item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
}

}  // namespace

bool SourceConfig::takes(const scheduler::Zone& zone) const {
  return zones.empty() || std::find(zones.begin(), zones.end(), zone) != zones.end();
}

std::vector<std::string> Config::source_order() const {
  std::vector<std::string> kinds;
  for (const SourceConfig& source : sources) add_once(kinds, source.kind);
  return kinds;
}

std::vector<Zone> Config::wanted_zones() const {
  std::vector<Zone> zones;
  for (const SiteConfig& site : sites) add_once(zones, site.zone);
  for (const SourceConfig& source : sources) {
    for (const Zone& zone : source.zones) add_once(zones, zone);
  }
  return zones;
}

std::vector<SiteConfig> Config::sites_or_one_per(std::span<const Zone> known) const {
  if (!sites.empty()) return sites;
  std::vector<SiteConfig> one_each;
  for (const Zone& zone : known) {
    std::string name = zone.name();
    for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    one_each.push_back({.name = std::move(name), .zone = zone});
  }
  return one_each;
}

Result<Config> parse_config(std::string_view yaml, const std::string& name, const std::filesystem::path& folder,
                            const ConfigSources& sources) {
  try {
    Reading reading{name, folder, sources};
    Config config = read_all(reading, YAML::Load(std::string{yaml}));
    if (reading.problem()) return tl::unexpected{*reading.problem()};
    return config;
  } catch (const YAML::Exception& exception) {
    return scheduler::refuse(Errc::invalid_request, "is not YAML: " + exception.msg,
                             name + ":" + std::to_string(exception.mark.line + 1));
  }
}

Result<Config> load_config(const ConfigSources& sources) {
  if (!sources.file) return parse_config("", "", {}, sources);
  const Result<std::string> text = text_of(*sources.file);
  if (!text) return tl::unexpected{text.error()};
  const std::filesystem::path folder = sources.file->parent_path();
  return parse_config(*text, sources.file->string(), folder, sources);
}

}  // namespace valle::service::runtime
