// SPDX-License-Identifier: Apache-2.0
#include "service/api/best_slot_codec.hpp"

#include <algorithm>
#include <cmath>

#include "service/api/zone_data.hpp"

namespace valle::service::api {
namespace {

using app::BestSlotAnswer;
using app::BestSlotRequest;
using app::Run;
using scheduler::Duration;
using scheduler::Fraction;
using scheduler::Result;

constexpr std::string_view k_members[] = {"duration",      "finishBy", "latestStart",      "maxWait",
                                          "earliestStart", "zones",    "homeZone",         "energyKwh",
                                          "powerWatts",    "options",  "minSavingPercent", "interruptible"};
constexpr std::string_view k_interruption_members[] = {"minRun", "restart", "restartEnergyKwh", "maxPauses"};
constexpr int k_most_pauses = 10'000;

/// An amount too small for its unit must not become zero: the smallest unit stands for it.
template <class Quantity>
Quantity at_least_one(Quantity quantity) {
  return std::max(quantity, Quantity::of_base(1));
}

Result<BestSlotRequest> read(MemberReader& reader, FirstError& first) {
  BestSlotRequest request;
  request.duration = reader.duration("duration", Duration{1}, app::k_longest_run).value_or(Duration{0});
  request.finish_by = reader.instant("finishBy", Fraction::down);
  request.latest_start = reader.instant("latestStart", Fraction::down);
  request.max_wait = reader.duration("maxWait", Duration{0}, app::k_longest_wait);
  request.earliest_start = reader.instant("earliestStart", Fraction::up);
  request.zones = reader.zones("zones").value_or(std::vector<scheduler::Zone>{});
  request.home = reader.zone("homeZone");
  if (const auto kwh = reader.number("energyKwh", k_amount_range)) {
    request.energy = at_least_one(scheduler::energy_from_kwh(*kwh));
  }
  if (const auto watts = reader.number("powerWatts", k_amount_range)) {
    request.power = at_least_one(scheduler::power_from_watts(*watts));
  }
  if (const auto options = reader.integer("options", 1, static_cast<std::int64_t>(app::k_most_options))) {
    request.options = static_cast<std::size_t>(*options);
  }
  if (const auto percent = reader.number("minSavingPercent", {.low = 0, .high = 100})) {
    request.least_saving = app::Percent::of_base(std::llround(*percent * 10'000));
  }
  if (const Json* interruptible = reader.object("interruptible")) {
    request.interruption = read_interruption(*interruptible, reader.pointer("interruptible"), first);
  }
  reader.need("duration", "how long the job runs, such as PT6H");
  if (first.failed()) return tl::unexpected{first.take()};
  if (auto valid = check(request); !valid) return tl::unexpected{std::move(valid.error())};
  return request;
}

void write_run(JsonWriter& json, const Run& run) {
  const auto& slot = run.slot;
  json.begin_object()
      .member("zone", run.zone.name())
      .optional_member("site", run.site)
      .member("start", slot.interval.begin)
      .member("end", slot.interval.end)
      .member("gramsPerKwh", slot.mean)
      .member("energyKwh", slot.energy)
      .member("facilityKwh", slot.facility_energy)
      .member("carbonGrams", slot.emissions);
  if (run.saving) json.member("savedGrams", run.saving->emissions).member("savedPercent", run.saving->share);
  if (run.price) json.member("eurPerMwh", *run.price);
  if (run.cost) json.member("costEur", *run.cost);
  if (slot.segments.size() > 1) {
    json.key("segments").begin_array();
    for (const auto& segment : slot.segments) {
      json.begin_object().member("start", segment.begin).member("end", segment.end).end_object();
    }
    json.end_array();
  }
  json.end_object();
}

void write_optional_run(JsonWriter& json, std::string_view name, const std::optional<Run>& run) {
  json.key(name);
  if (run) {
    write_run(json, *run);
  } else {
    json.null();
  }
}

}  // namespace

std::span<const std::string_view> best_slot_members() { return k_members; }

Result<BestSlotRequest> read_best_slot(const Json& body, const std::string& pointer) {
  FirstError first;
  auto reader = MemberReader::of_object(body, pointer, k_members, first);
  auto request = read(reader, first);
  // Checks between members know the members only, not where in an array the request stands.
  if (!request && !request.error().pointer.starts_with(pointer)) request.error().pointer.insert(0, pointer);
  return request;
}

Result<BestSlotRequest> read_best_slot_query(std::span<const MemberReader::Parameter> query) {
  FirstError first;
  auto reader = MemberReader::of_query(query, k_members, first);
  return read(reader, first);
}

std::optional<scheduler::Interruption> read_interruption(const Json& value, std::string pointer, FirstError& first) {
  auto reader = MemberReader::of_object(value, std::move(pointer), k_interruption_members, first);
  scheduler::Interruption interruption;
  interruption.min_run = reader.duration("minRun", Duration{0}, app::k_longest_run).value_or(Duration{0});
  interruption.restart = reader.duration("restart", Duration{0}, app::k_longest_run).value_or(Duration{0});
  if (const auto kwh = reader.number("restartEnergyKwh", {.low = 0, .high = k_amount_range.high})) {
    interruption.restart_energy = scheduler::energy_from_kwh(*kwh);
  }
  if (const auto pauses = reader.integer("maxPauses", 0, k_most_pauses)) {
    interruption.max_pauses = static_cast<int>(*pauses);
  }
  return first.failed() ? std::nullopt : std::optional{interruption};
}

void write_best_slot(JsonWriter& json, const BestSlotAnswer& answer) {
  json.begin_object().key("best");
  write_run(json, answer.best);
  json.key("options").begin_array();
  for (const auto& option : answer.options) write_run(json, option);
  json.end_array();
  write_optional_run(json, "runNow", answer.run_now);
  write_optional_run(json, "worst", answer.worst);
  json.key("data").begin_array();
  for (const auto& [zone, chosen] : answer.data) write_zone_data(json, zone, chosen);
  json.end_array().key("zonesLeftOut").begin_array();
  for (const auto& left_out : answer.zones_left_out) {
    json.begin_object().member("zone", left_out.zone.name()).member("reason", left_out.reason).end_object();
  }
  json.end_array().key("limitedBy");
  if (answer.limited_by_data) {
    json.value("data");
  } else {
    json.null();
  }
  json.member("exact", answer.exact).key("notes").begin_array();
  if (answer.energy_assumed) json.value("neither energyKwh nor powerWatts was given: figures are for 1 kWh in all");
  json.end_array().member("reason", answer.reason).end_object();
}

std::string best_slot_json(const BestSlotAnswer& answer) {
  JsonWriter json;
  json.reserve(4096);
  write_best_slot(json, answer);
  return json.take();
}

}  // namespace valle::service::api
