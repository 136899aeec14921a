// SPDX-License-Identifier: Apache-2.0
#include "connectors/esios/parse.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "connectors/json/json.hpp"

namespace valle::connectors::esios {
namespace {

using scheduler::Duration;
using scheduler::Instant;
using scheduler::Outcome;
using scheduler::Rejection;
using scheduler::RejectionReason;
using scheduler::SourceAnswer;

constexpr double k_largest_megawatts = 1e6;

tl::unexpected<SourceAnswer> ended(Outcome outcome, std::string detail) {
  return tl::unexpected{SourceAnswer{.outcome = outcome, .detail = "ESIOS: " + std::move(detail)}};
}

bool is_number(const json::Value* value, int wanted) {
  return value != nullptr && value->is_number_integer() && value->get<std::int64_t>() == wanted;
}

/// The instant of a row; a rejection where it can't be read or contradicts itself.
tl::expected<Instant, Rejection> instant_of(const json::Value& row) {
  const auto reject = [](std::optional<Instant> start, std::string why) {
    return tl::unexpected{Rejection{start, RejectionReason::bad_time, std::move(why)}};
  };
  const auto text = json::text(row, "datetime");
  if (!text) return reject(std::nullopt, "a row without datetime");
  const auto start = scheduler::parse_instant(*text);
  if (!start) return reject(std::nullopt, "datetime: " + start.error().detail);
  if (const auto check = json::text(row, "tz_time")) {
    const auto same = scheduler::parse_instant(*check);
    if (!same || *same != *start) return reject(*start, "datetime and tz_time contradict each other");
  }
  return *start;
}

void put_in_order(Indicator& indicator) {
  std::stable_sort(indicator.rows.begin(), indicator.rows.end(),
                   [](const IndicatorRow& a, const IndicatorRow& b) { return a.start < b.start; });
  std::vector<IndicatorRow> rows;
  for (const auto& row : indicator.rows) {
    if (!rows.empty() && rows.back().start == row.start) {
      ++indicator.duplicates;
      rows.back() = row;
    } else {
      rows.push_back(row);
    }
  }
  indicator.rows = std::move(rows);
}

Duration step_of(const std::vector<IndicatorRow>& rows, Duration step_of_one) {
  if (rows.size() < 2) return step_of_one;
  Duration step = std::chrono::hours{1};
  for (std::size_t i = 1; i < rows.size(); ++i) step = std::min(step, rows[i].start - rows[i - 1].start);
  return step;
}

}  // namespace

tl::expected<Indicator, SourceAnswer> parse_indicator(std::string_view body, const AskedIndicator& asked) {
  const auto document = json::parse(body);
  if (!document) {
    return ended(Outcome::bad_answer, document.error().detail + " at " + document.error().pointer);
  }
  const auto* object = json::member(*document, "indicator");
  if (object == nullptr || !object->is_object()) return ended(Outcome::bad_answer, "the answer holds no indicator");
  if (!is_number(json::member(*object, "id"), asked.id)) {
    return ended(Outcome::bad_answer, "the answer is not about indicator " + std::to_string(asked.id));
  }
  const auto* values = json::list(*object, "values");
  if (values == nullptr) return ended(Outcome::bad_answer, "the indicator holds no list of values");
  Indicator indicator;
  for (const auto& row : *values) {
    if (!is_number(json::member(row, "geo_id"), asked.geo)) continue;
    auto start = instant_of(row);
    if (start) {
      indicator.rows.push_back({*start, json::number(row, "value")});
    } else {
      indicator.rejected.push_back(std::move(start.error()));
    }
  }
  if (indicator.rows.empty()) {
    auto answer = ended(Outcome::no_data, "indicator " + std::to_string(asked.id) + " has no rows of area " +
                                              std::to_string(asked.geo) + " for this time");
    answer.value().harvest.rejected = std::move(indicator.rejected);
    return answer;
  }
  put_in_order(indicator);
  indicator.step = step_of(indicator.rows, asked.step_of_one);
  if (const auto text = json::text(*object, "values_updated_at")) {
    if (const auto updated = scheduler::parse_instant(*text)) indicator.updated_at = *updated;
  }
  return indicator;
}

scheduler::Harvest prices_of(const Indicator& indicator, const scheduler::Zone& zone, Instant now) {
  scheduler::Harvest harvest{.rejected = indicator.rejected, .duplicates = indicator.duplicates};
  for (const auto& row : indicator.rows) {
    auto price = admit_price(row.start, row.value);
    if (price) {
      harvest.prices.push_back({.zone = zone,
                                .interval = {row.start, row.start + indicator.step},
                                .value = *price,
                                .updated_at = indicator.updated_at.value_or(now)});
    } else {
      harvest.rejected.push_back(std::move(price.error()));
    }
  }
  return harvest;
}

scheduler::Harvest grid_forecast_of(const Indicator& indicator, const scheduler::Zone& zone,
                                    scheduler::GridQuantity quantity, Instant now) {
  scheduler::Harvest harvest{.rejected = indicator.rejected, .duplicates = indicator.duplicates};
  for (const auto& row : indicator.rows) {
    const auto reject = [&](RejectionReason reason) {
      harvest.rejected.push_back({row.start, reason, std::string{to_text(quantity)} + " forecast"});
    };
    if (row.value.state == RawNumber::State::wrong_type) {
      reject(RejectionReason::not_a_number);
    } else if (row.value.state != RawNumber::State::number) {
      reject(RejectionReason::missing);
    } else if (row.value.value == 0 && quantity == scheduler::GridQuantity::demand) {
      reject(RejectionReason::zero);
    } else if (!(row.value.value >= 0 && row.value.value <= k_largest_megawatts)) {
      reject(RejectionReason::implausible);
    } else {
      harvest.grid_forecasts.push_back({.zone = zone,
                                        .quantity = quantity,
                                        .interval = {row.start, row.start + indicator.step},
                                        .value = scheduler::power_from_watts(row.value.value * 1e6),
                                        .updated_at = indicator.updated_at.value_or(now)});
    }
  }
  return harvest;
}

}  // namespace valle::connectors::esios
