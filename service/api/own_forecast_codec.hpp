// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "scheduler/forecast/evaluation.hpp"
#include "service/app/own_history.hpp"

namespace valle::service::api {

/// The forecast's own grade; `sample` where it was learnt from invented values.
[[nodiscard]] std::string_view own_grade_text(const app::OwnHistory& history,
                                              const scheduler::forecast::OwnForecast& forecast);

struct OwnForecastAnswer {
  const app::OwnHistory& history;
  scheduler::Instant issued_at;
  scheduler::Duration horizon;  ///< rows end here at the latest, counted from the first row's hour
  const scheduler::forecast::OwnForecast& forecast;
};

/// `{zone, issuedAt, source:"valle", grade, reason, model, learntFrom, …, rows:[{start,end,gramsPerKwh,lowGramsPerKwh,
/// highGramsPerKwh}]}`; rows have the history's step; one under five minutes or that does not part the hour evenly
/// repeats the hour's value.
[[nodiscard]] std::string own_forecast_json(const OwnForecastAnswer& answer);

/// `{zone, from, to, issues, insideBandPercent, methods:[{method, errors:[{fromHours,toHours,gramsPerKwh,percent}],
/// shares:[{durationHours,slackHours,oncePercent,replannedPercent,interruptiblePercent}]}]}`
[[nodiscard]] std::string evaluation_json(const std::string& zone, scheduler::Interval window,
                                          const scheduler::forecast::Evaluation& evaluation);

}  // namespace valle::service::api
