// SPDX-License-Identifier: Apache-2.0
#include "connectors/energy_charts/parse.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "connectors/door/cut.hpp"
#include "connectors/json/json.hpp"

namespace valle::connectors::energy_charts {
namespace {

using scheduler::Duration;
using scheduler::Instant;
using scheduler::Outcome;
using scheduler::ReadingKind;
using scheduler::RejectionReason;
using scheduler::SourceAnswer;

/// Of a row that stands alone, so that no distance tells its length: the shortest that occurs.
constexpr Duration k_step_of_one = std::chrono::minutes{15};
constexpr Duration k_longest_step = std::chrono::hours{1};
/// The first second of the year 2262: beyond what an instant of ours holds.
constexpr std::int64_t k_past_last_second = 9'214'646'400;

using Values = const std::vector<json::Value>*;

SourceAnswer bad_answer(std::string detail) {
  return {.outcome = Outcome::bad_answer, .detail = "Energy-Charts: " + std::move(detail)};
}

std::optional<std::vector<Instant>> times_of(Values list) {
  std::vector<Instant> times;
  times.reserve(list->size());
  for (const auto& value : *list) {
    if (!value.is_number_integer()) return std::nullopt;
    const auto seconds = value.get<std::int64_t>();
    if (seconds < 0 || seconds >= k_past_last_second) return std::nullopt;
    times.emplace_back(Duration{seconds});
  }
  return times;
}

Duration step_of(std::vector<Instant> times) {
  std::sort(times.begin(), times.end());
  Duration step{0};
  for (std::size_t i = 1; i < times.size(); ++i) {
    const Duration distance = times[i] - times[i - 1];
    if (distance.count() > 0 && (step.count() == 0 || distance < step)) step = distance;
  }
  return step.count() == 0 ? k_step_of_one : std::min(step, k_longest_step);
}

RawNumber at(Values list, std::size_t i) { return list == nullptr ? RawNumber{} : json::number(&(*list)[i]); }

bool is_set(const RawNumber& value) {
  return value.state == RawNumber::State::number || value.state == RawNumber::State::wrong_type;
}

/// A forecast that is one constant, while two or more hours beside it were measured: nobody made it for these days.
bool is_flat_under_measured(Values measured, Values forecast, std::size_t count) {
  std::optional<double> constant;
  std::size_t both = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const RawNumber value = at(forecast, i);
    if (value.state != RawNumber::State::number) continue;
    if (constant && *constant != value.value) return false;
    constant = value.value;
    if (is_set(at(measured, i))) ++both;
  }
  return both >= 2;
}

SourceAnswer closed(scheduler::Harvest harvest) {
  put_in_order(harvest);
  const bool any = !harvest.intensity.empty() || !harvest.prices.empty();
  SourceAnswer answer{.outcome = any ? Outcome::data : Outcome::no_data, .harvest = std::move(harvest)};
  if (!any) answer.detail = "Energy-Charts: without usable data";
  return answer;
}

/// The document and its times, or why they can't be read.
struct Opened {
  json::Value document;
  std::vector<Instant> times;
  Duration step{};
};

tl::expected<Opened, SourceAnswer> open(std::string_view body) {
  auto document = json::parse(body);
  if (!document) return tl::unexpected{bad_answer(document.error().detail + " at " + document.error().pointer)};
  const auto* list = json::list(*document, "unix_seconds");
  if (list == nullptr) return tl::unexpected{bad_answer("the answer holds no list unix_seconds")};
  auto times = times_of(list);
  if (!times) return tl::unexpected{bad_answer("unix_seconds holds something that is no whole number of seconds")};
  const Duration step = step_of(*times);
  return Opened{std::move(*document), std::move(*times), step};
}

/// The list of that name; null where it is absent or null. An answer where it has another length or is no list.
tl::expected<Values, SourceAnswer> values_of(const Opened& opened, std::string_view name) {
  const auto* value = json::member(opened.document, name);
  if (value == nullptr || value->is_null()) return nullptr;
  const auto* list = json::list(value);
  if (list == nullptr || list->size() != opened.times.size()) {
    return tl::unexpected{bad_answer(std::string{name} + " and unix_seconds are not of one length")};
  }
  return list;
}

}  // namespace

SourceAnswer parse_intensity(std::string_view body, const scheduler::Zone& zone, Instant now, const Door& door) {
  const auto opened = open(body);
  if (!opened) return opened.error();
  const auto measured = values_of(*opened, "co2eq");
  if (!measured) return measured.error();
  const auto forecast = values_of(*opened, "co2eq_forecast");
  if (!forecast) return forecast.error();
  if (*measured == nullptr && *forecast == nullptr) return bad_answer("neither co2eq nor co2eq_forecast is there");

  const bool stale = is_flat_under_measured(*measured, *forecast, opened->times.size());
  const scheduler::SeriesIdentity identity{
      zone, {scheduler::Scope::lifecycle, scheduler::Basis::average, scheduler::Method::production}};
  scheduler::Harvest harvest;
  for (std::size_t i = 0; i < opened->times.size(); ++i) {
    const Instant start = opened->times[i];
    const bool is_measured = is_set(at(*measured, i));
    const RawNumber raw = at(is_measured ? *measured : *forecast, i);
    if (!is_measured && stale && is_set(raw)) {
      harvest.rejected.push_back({start, RejectionReason::stale, "one constant forecast for all hours"});
      continue;
    }
    auto value = door.admit(zone, start, raw);
    if (!value) {
      harvest.rejected.push_back(std::move(value.error()));
      continue;
    }
    harvest.intensity.push_back({.identity = identity,
                                 .interval = {start, start + opened->step},
                                 .value = *value,
                                 .kind = is_measured ? ReadingKind::measured : ReadingKind::forecast,
                                 .updated_at = now});
  }
  return closed(std::move(harvest));
}

SourceAnswer parse_prices(std::string_view body, const scheduler::Zone& zone, Instant now) {
  const auto opened = open(body);
  if (!opened) return opened.error();
  const auto prices = values_of(*opened, "price");
  if (!prices) return prices.error();
  if (*prices == nullptr) return bad_answer("the answer holds no list price");
  const bool known_unit =
      json::text(opened->document, "unit") == "EUR/MWh" || json::text(opened->document, "unit") == "EUR / MWh";
  scheduler::Harvest harvest;
  for (std::size_t i = 0; i < opened->times.size(); ++i) {
    const Instant start = opened->times[i];
    auto price = admit_price(start, at(*prices, i));
    if (!price) {
      harvest.rejected.push_back(std::move(price.error()));
    } else if (!known_unit) {
      harvest.rejected.push_back({start, RejectionReason::unknown_unit, "a price that is not in EUR/MWh"});
    } else {
      harvest.prices.push_back(
          {.zone = zone, .interval = {start, start + opened->step}, .value = *price, .updated_at = now});
    }
  }
  return closed(std::move(harvest));
}

}  // namespace valle::connectors::energy_charts
