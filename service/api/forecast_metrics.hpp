// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "service/app/forecast_scores.hpp"
#include "service/runtime/metrics.hpp"

namespace valle::service::api {

/// `valle_forecast_error_grams_per_kwh{zone,source,horizon}`, `valle_forecast_bias_grams_per_kwh` with the same labels
/// and `valle_forecast_share_ratio{zone,source}` over the last four weeks, set before each reading of the metrics.
/// `scores` is called then and must not block.
void add_forecast_metrics(runtime::Metrics& metrics,
                          std::function<std::shared_ptr<const app::ForecastScores>()> scores);

}  // namespace valle::service::api
