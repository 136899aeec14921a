// SPDX-License-Identifier: Apache-2.0
#include "connectors/electricity_maps/parse.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>

#include "connectors/door/cut.hpp"
#include "connectors/json/json.hpp"
#include "connectors/retry/upstream.hpp"

namespace valle::connectors::electricity_maps {
namespace {

using scheduler::Duration;
using scheduler::Instant;
using scheduler::IntensityReading;
using scheduler::Outcome;
using scheduler::Rejection;
using scheduler::RejectionReason;
using scheduler::SourceAnswer;

constexpr std::string_view k_sandbox_method = "SANDBOX_MODE_DATA";

SourceAnswer bad_answer(std::string detail) {
  return {.outcome = Outcome::bad_answer, .detail = "Electricity Maps: " + std::move(detail)};
}

bool names(std::string_view text, const scheduler::Zone& zone) {
  const auto named = scheduler::Zone::make(text);
  return named && *named == zone;
}

std::string shown(std::string_view text) { return std::string{text.substr(0, 32)}; }

/// The rows of an answer: a list under one of its names, or the object itself. Nothing where it has neither.
std::optional<std::span<const json::Value>> rows_of(const json::Value& document, std::string_view value_name) {
  for (const auto* name : {"data", "history", "forecast"}) {
    if (const auto* list = json::list(document, name)) return std::span{*list};
  }
  if (json::member(document, value_name) != nullptr) return std::span{&document, 1};
  return std::nullopt;
}

/// The length of a row. Electricity Maps says nothing in v3, where rows are hourly.
std::optional<Duration> step_of(const json::Value& document) {
  const auto granularity = json::text(document, "temporalGranularity");
  if (!granularity || *granularity == "hourly") return std::chrono::hours{1};
  if (*granularity == "15_minutes") return std::chrono::minutes{15};
  if (*granularity == "5_minutes") return std::chrono::minutes{5};
  return std::nullopt;
}

bool is_sandbox(const json::Value& document, std::span<const json::Value> rows) {
  // Ordinary answers carry a disclaimer on data ownership; only its words tell.
  const auto disclaimer = json::text(document, "_disclaimer");
  if (disclaimer && disclaimer->find("SANDBOX MODE") != std::string_view::npos) return true;
  return std::any_of(rows.begin(), rows.end(),
                     [](const json::Value& row) { return json::text(row, "estimationMethod") == k_sandbox_method; });
}

std::optional<Instant> instant_of(const json::Value& object, std::string_view name) {
  const auto text = json::text(object, name);
  const auto instant = text ? scheduler::parse_instant(*text) : scheduler::parse_instant("");
  return instant ? std::optional{*instant} : std::nullopt;
}

/// Document, rows and step of an answer that may be read on; else why not.
struct Opened {
  json::Value document;
  Duration step{};
  [[nodiscard]] std::span<const json::Value> rows(std::string_view value_name) const {
    return rows_of(document, value_name).value_or(std::span<const json::Value>{});
  }
};

tl::expected<json::Value, SourceAnswer> document_of(std::string_view body) {
  auto parsed = json::parse(body);
  if (!parsed) return tl::unexpected{bad_answer(parsed.error().detail + " at " + parsed.error().pointer)};
  return *std::move(parsed);
}

tl::expected<Opened, SourceAnswer> open(json::Value document, const Asked& asked, std::string_view value_name) {
  Opened opened{.document = std::move(document)};
  const auto rows = rows_of(opened.document, value_name);
  if (!rows) {
    return tl::unexpected{bad_answer("the answer holds neither rows nor a value")};
  }
  const auto zone = json::text(opened.document, "zone");
  if (!zone) return tl::unexpected{bad_answer("the answer names no zone")};
  if (!names(*zone, asked.zone)) {
    auto answer = bad_answer("asked for " + asked.zone.name() + ", the answer is about " + shown(*zone));
    answer.harvest.rejected.push_back({std::nullopt, RejectionReason::wrong_zone, answer.detail});
    return tl::unexpected{std::move(answer)};
  }
  if (is_sandbox(opened.document, *rows)) {
    auto answer = bad_answer("the token is a sandbox token: its numbers are random and are not used");
    answer.harvest.rejected.push_back({std::nullopt, RejectionReason::sandbox, answer.detail});
    return tl::unexpected{std::move(answer)};
  }
  const auto step = step_of(opened.document);
  if (!step) return tl::unexpected{bad_answer("rows of an unknown granularity")};
  opened.step = *step;
  return opened;
}

/// `lifecycle` where nothing is said: that is the default of the provider and what we ask for.
std::optional<scheduler::Accounting> accounting_of(const json::Value& row, const json::Value& document) {
  scheduler::Accounting accounting;
  const auto* type = json::member(row, "emissionFactorType");
  if (type != nullptr && !type->is_null()) {
    const auto word = json::text(type);
    const auto scope = word ? scheduler::scope_from_text(*word) : std::nullopt;
    if (!scope) return std::nullopt;
    accounting.scope = *scope;
  }
  for (const auto* place : {&row, &document}) {
    const auto* traced = json::member(*place, "flowTraced");
    if (traced == nullptr || !traced->is_boolean()) continue;
    if (!traced->get<bool>()) accounting.method = scheduler::Method::production;
    break;
  }
  return accounting;
}

tl::expected<IntensityReading, Rejection> read_row(const json::Value& row, const Opened& opened, const Asked& asked,
                                                   const Door& door) {
  const auto reject = [](std::optional<Instant> start, RejectionReason reason, std::string detail) {
    return tl::unexpected{Rejection{start, reason, std::move(detail)}};
  };
  const auto start = instant_of(row, "datetime");
  if (!start) return reject(std::nullopt, RejectionReason::bad_time, "a row without a readable datetime");
  if (const auto zone = json::text(row, "zone"); zone && !names(*zone, asked.zone)) {
    return reject(start, RejectionReason::wrong_zone, "a row about " + shown(*zone));
  }
  const auto accounting = accounting_of(row, opened.document);
  if (!accounting) return reject(start, RejectionReason::wrong_identity, "an unknown emissionFactorType");
  const auto value = door.admit(asked.zone, *start, json::number(row, "carbonIntensity"));
  if (!value) return tl::unexpected{value.error()};
  const bool forecast = asked.kind == scheduler::ReadingKind::forecast;
  const auto updated = instant_of(forecast ? opened.document : row, "updatedAt");
  return IntensityReading{.identity = {asked.zone, *accounting},
                          .interval = {*start, *start + opened.step},
                          .value = *value,
                          .kind = asked.kind,
                          .estimated = json::is_true(row, "isEstimated"),
                          .estimation_method = std::string{json::text(row, "estimationMethod").value_or("")},
                          .updated_at = updated.value_or(asked.now)};
}

/// `data` or `no_data`, after rows and rejections are in.
SourceAnswer closed(scheduler::Harvest harvest) {
  put_in_order(harvest);
  const bool any = !harvest.intensity.empty() || !harvest.prices.empty();
  SourceAnswer answer{.outcome = any ? Outcome::data : Outcome::no_data, .harvest = std::move(harvest)};
  if (!any) {
    answer.detail = answer.harvest.rejected.empty()
                        ? "Electricity Maps has no rows for this"
                        : "Electricity Maps: without usable data, all " +
                              std::to_string(answer.harvest.rejected.size()) + " rows were refused, the first as " +
                              std::string{to_text(answer.harvest.rejected.front().reason)};
  }
  return answer;
}

/// `{"status":"ok","countryCode":"DE","data":{"datetime","carbonIntensity"},"units":{"carbonIntensity"}}`
SourceAnswer parse_home_assistant(const json::Value& document, std::string_view status, const Asked& asked,
                                  const Door& door) {
  if (status == "no-data") return {.outcome = Outcome::no_data, .detail = "Electricity Maps says: no data"};
  const auto* data = json::member(document, "data");
  const auto zone = json::text(document, "countryCode");
  if (status != "ok" || data == nullptr || !zone) return bad_answer("unknown status '" + shown(status) + "'");
  if (!names(*zone, asked.zone)) {
    auto answer = bad_answer("asked for " + asked.zone.name() + ", the answer is about " + shown(*zone));
    answer.harvest.rejected.push_back({std::nullopt, RejectionReason::wrong_zone, answer.detail});
    return answer;
  }
  scheduler::Harvest harvest;
  const auto start = instant_of(*data, "datetime");
  if (!start) return bad_answer("a value without a readable datetime");
  const auto* units = json::member(document, "units");
  const auto unit = units == nullptr ? std::nullopt : json::text(*units, "carbonIntensity");
  const auto value = door.admit(asked.zone, *start, json::number(*data, "carbonIntensity"),
                                unit ? intensity_unit_from_text(*unit) : IntensityUnit::grams_per_kwh);
  if (value) {
    harvest.intensity.push_back({.identity = {asked.zone, {}},
                                 .interval = {*start, *start + std::chrono::hours{1}},
                                 .value = *value,
                                 .updated_at = asked.now});
  } else {
    harvest.rejected.push_back(value.error());
  }
  return closed(std::move(harvest));
}

}  // namespace

SourceAnswer parse_intensity(std::string_view body, const Asked& asked, const Door& door) {
  auto document = document_of(body);
  if (!document) return document.error();
  if (const auto status = json::text(*document, "status")) {
    return parse_home_assistant(*document, *status, asked, door);
  }
  const auto opened = open(*std::move(document), asked, "carbonIntensity");
  if (!opened) return opened.error();
  scheduler::Harvest harvest;
  for (const json::Value& row : opened->rows("carbonIntensity")) {
    auto reading = read_row(row, *opened, asked, door);
    if (reading) {
      harvest.intensity.push_back(std::move(*reading));
    } else {
      harvest.rejected.push_back(std::move(reading.error()));
    }
  }
  return closed(std::move(harvest));
}

SourceAnswer parse_prices(std::string_view body, const Asked& asked) {
  auto document = document_of(body);
  if (!document) return document.error();
  const auto opened = open(*std::move(document), asked, "value");
  if (!opened) return opened.error();
  scheduler::Harvest harvest;
  for (const json::Value& row : opened->rows("value")) {
    const auto start = instant_of(row, "datetime");
    if (!start) {
      harvest.rejected.push_back({std::nullopt, RejectionReason::bad_time, "a row without a readable datetime"});
      continue;
    }
    const auto unit = json::text(row, "unit") ? json::text(row, "unit") : json::text(opened->document, "unit");
    const auto price = admit_price(*start, json::number(row, "value"));
    if (unit != "EUR/MWh") {
      harvest.rejected.push_back({*start, RejectionReason::unknown_unit, "a price that is not in EUR/MWh"});
    } else if (!price) {
      harvest.rejected.push_back(price.error());
    } else {
      harvest.prices.push_back({.zone = asked.zone,
                                .interval = {*start, *start + opened->step},
                                .value = *price,
                                .updated_at = instant_of(row, "updatedAt").value_or(asked.now)});
    }
  }
  return closed(std::move(harvest));
}

SourceAnswer refusal(const HttpReply& reply, const scheduler::Zone& zone, std::string_view endpoint,
                     const Secret* token) {
  auto answer = refusal_of(reply, "Electricity Maps", token);
  const auto says = [&](std::string_view words) { return reply.body.find(words) != std::string::npos; };
  if (reply.status == 401 &&
      (says("for zoneKey") || says("Endpoint not available") || says("do not have access") || says("requestType"))) {
    answer.outcome = Outcome::not_covered;
    answer.detail = "Electricity Maps: the plan of this token covers neither " + zone.name() + " nor " +
                    std::string{endpoint} + ", or not both together; the token is kept (" + words_of(reply, token) +
                    ")";
  }
  if (reply.status == 404 && says("no Route matched")) {
    answer.outcome = Outcome::misconfigured;
    answer.detail = "Electricity Maps: this address is retired or wrong; check baseUrl and version";
  }
  return answer;
}

}  // namespace valle::connectors::electricity_maps
