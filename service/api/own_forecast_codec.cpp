// SPDX-License-Identifier: Apache-2.0
#include "service/api/own_forecast_codec.hpp"

#include <cmath>

#include "service/api/json_writer.hpp"
#include "service/api/zone_data.hpp"

namespace valle::service::api {

using namespace scheduler;

namespace {

Percent rounded(double percent) { return Percent::of_base(std::llround(percent * 10'000)); }

}  // namespace

std::string_view own_grade_text(const app::OwnHistory& history, const forecast::OwnForecast& forecast) {
  return history.source == app::k_sample_source ? "sample" : to_text(forecast.grade);
}

std::string own_forecast_json(const OwnForecastAnswer& answer) {
  JsonWriter json;
  json.begin_object()
      .member("zone", answer.history.hours.zone)
      .member("issuedAt", answer.issued_at)
      .member("source", store::k_own_source)
      .member("grade", own_grade_text(answer.history, answer.forecast))
      .member("reason", answer.forecast.reason)
      .member("model", answer.forecast.model)
      .member("learntFrom", answer.history.source);
  write_accounting(json, answer.history.accounting);
  json.member("attribution", answer.history.attribution).key("rows").begin_array();
  const Instant end = answer.forecast.begin + answer.horizon;
  const auto steps = answer.forecast.within.steps_of(answer.forecast.hours, answer.forecast.begin);
  const Duration length = Duration{std::chrono::hours{1}} / static_cast<int>(answer.forecast.within.steps_an_hour());
  Instant at = answer.forecast.begin;
  for (std::size_t step = 0; step < steps.size(); ++step) {
    const forecast::ForecastHour& value = steps[step];
    const Instant step_end = answer.forecast.begin + length * static_cast<std::int64_t>(step + 1);
    for (; at < step_end && at < end; at += answer.history.step) {
      json.begin_object()
          .member("start", at)
          .member("end", at + answer.history.step)
          .member("gramsPerKwh", intensity_from_grams_per_kwh(value.mean))
          .member("lowGramsPerKwh", intensity_from_grams_per_kwh(value.low))
          .member("highGramsPerKwh", intensity_from_grams_per_kwh(value.high))
          .end_object();
    }
  }
  json.end_array().end_object();
  return json.take();
}

std::string evaluation_json(const std::string& zone, Interval window, const forecast::Evaluation& evaluation) {
  JsonWriter json;
  json.begin_object()
      .member("zone", zone)
      .member("from", window.begin)
      .member("to", window.end)
      .member("issues", static_cast<std::int64_t>(evaluation.issues))
      .member("insideBandPercent", rounded(evaluation.inside_band_percent))
      .key("methods")
      .begin_array();
  for (const forecast::MethodScore& method : evaluation.methods) {
    json.begin_object().member("method", method.method).key("errors").begin_array();
    for (const forecast::HorizonError& error : method.errors) {
      json.begin_object()
          .member("fromHours", error.from)
          .member("toHours", error.to)
          .member("gramsPerKwh", intensity_from_grams_per_kwh(error.absolute))
          .member("percent", rounded(error.percent))
          .end_object();
    }
    json.end_array().key("shares").begin_array();
    for (const forecast::JobShare& share : method.shares) {
      json.begin_object()
          .member("durationHours", share.length)
          .member("slackHours", share.slack)
          .member("oncePercent", rounded(share.once))
          .member("replannedPercent", rounded(share.replanned))
          .member("interruptiblePercent", rounded(share.interruptible))
          .end_object();
    }
    json.end_array().end_object();
  }
  json.end_array().end_object();
  return json.take();
}

}  // namespace valle::service::api
