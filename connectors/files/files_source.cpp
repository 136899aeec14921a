// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <system_error>

#include "connectors/door/cut.hpp"
#include "connectors/files/file_set.hpp"
#include "connectors/files/files.hpp"

namespace valle::connectors {
namespace {

namespace fs = std::filesystem;
using scheduler::Outcome;
using scheduler::Signal;
using scheduler::SourceAnswer;
using scheduler::Zone;

class FilesSource final : public scheduler::IntensitySource {
 public:
  explicit FilesSource(FilesOptions options) : options_{std::move(options)} {}

  [[nodiscard]] std::string name() const override { return std::string{k_files_source}; }

  [[nodiscard]] std::string attribution() const override {
    return "Files provided by the operator; their origin and licence are not known to valle.";
  }

  [[nodiscard]] bool offers(const Zone& zone, Signal signal) const override {
    return signal != Signal::grid_forecast && is_wanted(zone);
  }

  [[nodiscard]] std::vector<Zone> known_zones() const override {
    std::vector<Zone> zones;
    const auto sets = find_zone_files(options_.paths);
    if (!sets) return zones;
    for (const auto& set : *sets) {
      if (is_wanted(set.zone)) zones.push_back(set.zone);
    }
    return zones;
  }

  [[nodiscard]] scheduler::Duration refresh_interval() const override { return scheduler::Duration{0}; }

  [[nodiscard]] std::string stamp() const override {
    const auto sets = find_zone_files(options_.paths);
    if (!sets) return "unreadable: " + sets.error().pointer;
    std::string stamp;
    for (const auto& set : *sets) {
      for (const auto& file : set.files) {
        std::error_code ignored;
        const auto size = fs::file_size(file, ignored);
        const auto time = fs::last_write_time(file, ignored).time_since_epoch().count();
        stamp += file.string() + "|" + std::to_string(size) + "|" + std::to_string(time) + "\n";
      }
    }
    return stamp;
  }

  [[nodiscard]] SourceAnswer fetch(const scheduler::SourceRequest& request) override {
    if (!offers(request.zone, request.signal)) return {.outcome = Outcome::not_offered};
    const auto sets = find_zone_files(options_.paths);
    if (!sets) return misconfigured(sets.error());
    const auto set = std::find_if(sets->begin(), sets->end(), [&](const auto& s) { return s.zone == request.zone; });
    if (set == sets->end()) {
      return {.outcome = Outcome::not_offered, .detail = "no file is named after the zone " + request.zone.name()};
    }
    auto zones = read_intensity_files(set->files, request.now, options_.door);
    if (!zones) return misconfigured(zones.error());
    return answer_from(std::move(zones->front().harvest), request);
  }

 private:
  [[nodiscard]] bool is_wanted(const Zone& zone) const {
    return options_.zones.empty() ||
           std::find(options_.zones.begin(), options_.zones.end(), zone) != options_.zones.end();
  }

  static SourceAnswer misconfigured(const scheduler::Error& error) {
    return {.outcome = Outcome::misconfigured, .detail = error.pointer + ": " + error.detail};
  }

  FilesOptions options_;
};

}  // namespace

std::unique_ptr<scheduler::IntensitySource> make_files_source(FilesOptions options) {
  return std::make_unique<FilesSource>(std::move(options));
}

}  // namespace valle::connectors
