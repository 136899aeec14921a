// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/forecast/forecaster.hpp"
#include "service/store/intensity_repository.hpp"

namespace valle::service::app {

/// How far forecasts lay from what came, so many hours ahead.
struct HorizonScore {
  scheduler::forecast::Hour from = 0;
  scheduler::forecast::Hour to = 0;
  std::size_t count = 0;  ///< hours that were compared
  double error = 0;       ///< mean |forecast − measured|, g/kWh
  double bias = 0;        ///< mean (forecast − measured), g/kWh
  double percent = 0;     ///< mean |forecast − measured| / measured in %, measured floored at 1 g/kWh
};

/// One forecaster's scores on the issues of the last four weeks.
struct SourceScore {
  std::string source;
  std::size_t issues = 0;
  std::vector<HorizonScore> horizons = {};   ///< those with something to compare
  std::optional<double> share_percent = {};  ///< of the clairvoyant saving, jobs of 6 h with 24 h of slack
};

/// How a provider's forecast and ours go together at one horizon.
struct Blend {
  scheduler::forecast::Hour from = 0;
  scheduler::forecast::Hour to = 0;
  double weight = 0;  ///< of the provider's
  double bias = 0;    ///< proven, taken off the provider's, g/kWh
};

/// The scores of one identity: ours first, then the providers'.
struct ZoneScores {
  std::vector<SourceScore> sources = {};
  std::string blended = {};        ///< the provider that is blended with ours; empty: none
  std::vector<Blend> blends = {};  ///< by horizon
  bool leads = false;              ///< ours, blended or not, has been better than the provider's
};
using ForecastScores = std::map<scheduler::SeriesIdentity, ZoneScores>;

/// Over how long forecasts are scored.
inline constexpr std::chrono::days k_scored{28};

/// A provider's forecasts as they were issued by each of some instants: hourly, from the hour of the instant on, NaN
/// where they say nothing.
struct IssuedHours {
  std::string source;
  std::vector<std::vector<double>> forecasts;  ///< parallel to the instants
};

/// The newest forecast of `key` at each of `issues`, `hours` long. Reads the store.
[[nodiscard]] scheduler::Result<IssuedHours> issued_hours(const store::IntensityRepository& repository,
                                                          const store::SeriesKey& key,
                                                          const std::vector<scheduler::Instant>& issues,
                                                          scheduler::forecast::Hour hours);

/// Scores ours and providers' on the same issues and says how they go together. A provider is blended where on at least
/// two weeks of issues that would have been better than ours alone; its bias is taken off where it is proven (three
/// standard errors, days counted as independent). Pure.
[[nodiscard]] ZoneScores score(const scheduler::forecast::Timeline& timeline,
                               const std::vector<scheduler::forecast::Backcast>& ours,
                               const std::vector<IssuedHours>& providers);

/// Our hourly means with a provider's hours blended in, as `scores` says.
void blend_in(std::vector<scheduler::forecast::ForecastHour>& ours, const std::vector<double>& provider,
              const ZoneScores& scores);

}  // namespace valle::service::app
