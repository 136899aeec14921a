// SPDX-License-Identifier: Apache-2.0
#include "connectors/sample/sample.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "connectors/door/cut.hpp"

namespace valle::connectors {
namespace {

using scheduler::Duration;
using scheduler::Instant;
using scheduler::Signal;
using scheduler::Zone;
using std::chrono::days;
using std::chrono::hours;

constexpr days k_reach{7};
constexpr hours k_hour{1};

/// An invented grid: g/kWh around `level`, moved by demand in the evening, by sun at noon and by days of wind.
struct Profile {
  std::string_view zone;
  double level;
  double evening;  ///< added around 19:00
  double sun;      ///< taken off around 12:00
  double weekend;  ///< taken off on Saturdays and Sundays
  double wind;     ///< swing over the days
};

constexpr std::array<Profile, 3> k_profiles{{
    {"FR", 48, 12, 8, 6, 9},
    {"ES", 175, 45, 85, 18, 30},
    {"DE", 410, 70, 120, 45, 95},
}};

const Profile& profile_of(const Zone& zone) {
  const auto found =
      std::find_if(k_profiles.begin(), k_profiles.end(), [&](const Profile& p) { return p.zone == zone.name(); });
  return found == k_profiles.end() ? k_profiles.back() : *found;
}

/// 1 at `hour` of the day, falling off to both sides over about `width` hours.
double bump(double hour_of_day, double hour, double width) {
  double distance = std::fabs(hour_of_day - hour);
  distance = std::min(distance, 24 - distance);
  return std::exp(-distance * distance / (2 * width * width));
}

/// -1 … 1, wandering over the days; another path for each zone.
double weather(double hour_since_epoch, double phase) {
  const double day = hour_since_epoch / 24 * 2 * std::numbers::pi;
  return 0.5 * std::sin(day / 3.1 + phase) + 0.3 * std::sin(day / 5.7 + 2 * phase) + 0.2 * std::sin(day / 1.7 + phase);
}

double grams_at(const Profile& profile, Instant hour) {
  const auto midnight = std::chrono::floor<days>(hour);
  const double of_day = static_cast<double>((hour - midnight).count()) / 3600;
  const double since_epoch = static_cast<double>(hour.time_since_epoch().count()) / 3600;
  const unsigned weekday = std::chrono::weekday{midnight}.iso_encoding();
  double grams = profile.level + profile.evening * bump(of_day, 18.5, 2.2) - profile.sun * bump(of_day, 12, 2.6) +
                 profile.wind * weather(since_epoch, profile.level);
  if (weekday >= 6) grams -= profile.weekend;
  return std::max(grams, 5.0);
}

class SampleSource final : public scheduler::IntensitySource {
 public:
  [[nodiscard]] std::string name() const override { return std::string{k_sample_source}; }

  [[nodiscard]] std::string attribution() const override {
    return "Synthetic sample data, invented by valle for a first look. Not a real grid.";
  }

  [[nodiscard]] bool offers(const Zone& zone, Signal signal) const override {
    return signal != Signal::grid_forecast &&
           std::any_of(k_profiles.begin(), k_profiles.end(), [&](const Profile& p) { return p.zone == zone.name(); });
  }

  [[nodiscard]] std::vector<Zone> known_zones() const override {
    std::vector<Zone> zones;
    for (const auto& profile : k_profiles) zones.push_back(Zone::of(profile.zone));
    std::sort(zones.begin(), zones.end());
    return zones;
  }

  [[nodiscard]] Duration refresh_interval() const override { return Duration{0}; }

  [[nodiscard]] scheduler::SourceAnswer fetch(const scheduler::SourceRequest& request) override {
    if (!offers(request.zone, request.signal)) return {.outcome = scheduler::Outcome::not_offered};
    const Instant this_hour = std::chrono::floor<hours>(request.now);
    const scheduler::Interval known{this_hour - k_reach, this_hour + k_reach};
    const scheduler::Interval wanted = known.overlap(request.wanted);
    scheduler::Harvest harvest;
    for (Instant hour = std::chrono::floor<hours>(wanted.begin); hour < wanted.end; hour += k_hour) {
      if (request.signal == Signal::price) {
        harvest.prices.push_back(price_at(request.zone, hour, this_hour));
      } else {
        harvest.intensity.push_back(reading_at(request.zone, hour, this_hour));
      }
    }
    return answer_from(std::move(harvest), request);
  }

 private:
  static scheduler::IntensityReading reading_at(const Zone& zone, Instant hour, Instant this_hour) {
    const bool ended = hour + k_hour <= this_hour;
    return {.identity = {zone, scheduler::Accounting{}},
            .interval = {hour, hour + k_hour},
            .value = sample_intensity(zone, hour),
            .kind = ended ? scheduler::ReadingKind::measured : scheduler::ReadingKind::forecast,
            .updated_at = ended ? hour + k_hour : this_hour};
  }

  /// Dear where the grid is dirty, around 60 EUR/MWh.
  static scheduler::PriceReading price_at(const Zone& zone, Instant hour, Instant this_hour) {
    const Profile& profile = profile_of(zone);
    const double eur = 60 + 40 * (grams_at(profile, hour) - profile.level) / (profile.level / 2);
    const double cents = std::round(eur * 100) / 100;
    return {.zone = zone,
            .interval = {hour, hour + k_hour},
            .value = scheduler::price_from_eur_per_mwh(cents),
            .updated_at = this_hour};
  }
};

}  // namespace

scheduler::CarbonIntensity sample_intensity(const Zone& zone, Instant hour) {
  // Rounded to 0.1 g/kWh, so that the last bits of a library's sine can't show.
  const double tenths = std::round(grams_at(profile_of(zone), hour) * 10);
  return scheduler::CarbonIntensity::of_base(std::llround(tenths) * 100);
}

std::unique_ptr<scheduler::IntensitySource> make_sample_source() { return std::make_unique<SampleSource>(); }

}  // namespace valle::connectors
