// SPDX-License-Identifier: Apache-2.0
#include "connectors/rte/parse.hpp"

#include <nlohmann/json.hpp>

#include "connectors/door/cut.hpp"
#include "connectors/json/json.hpp"

namespace valle::connectors::rte {
namespace {

using scheduler::Outcome;
using scheduler::RejectionReason;
using scheduler::SourceAnswer;

constexpr scheduler::Duration k_step = std::chrono::minutes{15};

SourceAnswer bad_answer(std::string detail) { return {.outcome = Outcome::bad_answer, .detail = "RTE: " + detail}; }

const std::vector<json::Value>* records_of(const json::Value& document) {
  const auto* results = json::list(document, "results");
  return results != nullptr ? results : json::list(document, "records");
}

}  // namespace

SourceAnswer parse_intensity(std::string_view body, const scheduler::Zone& zone, scheduler::Instant now,
                             const Door& door) {
  const auto document = json::parse(body);
  if (!document) return bad_answer(document.error().detail + " at " + document.error().pointer);
  const auto* records = records_of(*document);
  if (records == nullptr) return bad_answer("the answer holds neither results nor records");
  const scheduler::SeriesIdentity identity{
      zone, {scheduler::Scope::direct, scheduler::Basis::average, scheduler::Method::combustion}};
  scheduler::Harvest harvest;
  for (const auto& record : *records) {
    const auto* fields = json::member(record, "fields");
    const json::Value& row = fields == nullptr ? record : *fields;
    // Regions and Corsica share the platform; only the national row is ours.
    if (const auto place = json::text(row, "perimetre"); place && *place != "France") {
      harvest.rejected.push_back({std::nullopt, RejectionReason::wrong_zone, "a row that is not about all of France"});
      continue;
    }
    const auto text = json::text(row, "date_heure");
    const auto start = text ? scheduler::parse_instant(*text) : scheduler::parse_instant("");
    if (!start) {
      harvest.rejected.push_back({std::nullopt, RejectionReason::bad_time, "a row without a readable date_heure"});
      continue;
    }
    auto value = door.admit(zone, *start, json::number(row, "taux_co2"));
    if (!value) {
      harvest.rejected.push_back(std::move(value.error()));
      continue;
    }
    harvest.intensity.push_back(
        {.identity = identity, .interval = {*start, *start + k_step}, .value = *value, .updated_at = now});
  }
  put_in_order(harvest);
  const bool any = !harvest.intensity.empty();
  SourceAnswer answer{.outcome = any ? Outcome::data : Outcome::no_data, .harvest = std::move(harvest)};
  if (!any) answer.detail = "RTE: no row with a taux_co2";
  return answer;
}

std::optional<Page> page_of(std::string_view body) {
  const auto document = json::parse(body);
  if (!document) return std::nullopt;
  const auto* records = records_of(*document);
  const auto* total = json::member(*document, "total_count");
  if (total == nullptr) total = json::member(*document, "nhits");
  if (records == nullptr || total == nullptr || !total->is_number_unsigned()) return std::nullopt;
  return Page{total->get<std::size_t>(), records->size()};
}

}  // namespace valle::connectors::rte
