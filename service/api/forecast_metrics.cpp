// SPDX-License-Identifier: Apache-2.0
#include "service/api/forecast_metrics.hpp"

#include <string>
#include <utility>

namespace valle::service::api {

void add_forecast_metrics(runtime::Metrics& metrics,
                          std::function<std::shared_ptr<const app::ForecastScores>()> scores) {
  auto& error = metrics.gauge("valle_forecast_error_grams_per_kwh",
                              "Mean distance of forecasts from what was measured in the last four weeks, g CO2e/kWh",
                              {"zone", "source", "horizon"});
  auto& bias = metrics.gauge("valle_forecast_bias_grams_per_kwh",
                             "Mean of forecast minus measured in the last four weeks, g CO2e/kWh",
                             {"zone", "source", "horizon"});
  auto& share = metrics.gauge("valle_forecast_share_ratio",
                              "Share of the clairvoyant saving that jobs of 6 h with 24 h of slack would have reached",
                              {"zone", "source"});
  metrics.before_text([scores = std::move(scores), &error, &bias, &share] {
    const auto current = scores();
    for (const auto& [identity, of_zone] : *current) {
      const std::string& zone = identity.zone.name();
      for (const app::SourceScore& score : of_zone.sources) {
        if (score.share_percent) share.with({zone, score.source}).set(*score.share_percent / 100);
        for (const app::HorizonScore& horizon : score.horizons) {
          const std::string hours = std::to_string(horizon.from) + "-" + std::to_string(horizon.to) + "h";
          error.with({zone, score.source, hours}).set(horizon.error);
          bias.with({zone, score.source, hours}).set(horizon.bias);
        }
      }
    }
  });
}

}  // namespace valle::service::api
