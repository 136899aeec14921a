// SPDX-License-Identifier: Apache-2.0
#include "connectors/energy_files/opencost.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "connectors/json/json.hpp"
#include "scheduler/account/apportion.hpp"

namespace valle::connectors::energy {
namespace {

using scheduler::Errc;
using scheduler::refuse;
using scheduler::Result;

constexpr double k_bytes_in_gib = 1073741824.0;
constexpr double k_most_hours = 1e9;
constexpr double k_most_kilograms = 1e9;

/// The `data` of an answer, kept alive by `document`.
Result<const json::Value*> data_of(const json::Value& document) {
  const auto code = json::number(document, "code");
  if (code.state == RawNumber::State::number && code.value != 200) {
    const auto message = json::text(document, "message").value_or("no message");
    return refuse(Errc::source_unavailable, "OpenCost answers: " + std::string{message.substr(0, 200)});
  }
  const json::Value* data = json::member(document, "data");
  if (data == nullptr || data->is_null()) return refuse(Errc::source_unavailable, "OpenCost's answer has no data");
  return data;
}

double hours(const json::Value& object, std::string_view name) {
  const auto number = json::number(object, name);
  const bool fine = number.state == RawNumber::State::number && number.value >= 0 && number.value <= k_most_hours;
  return fine ? number.value : 0;
}

Allocation allocation_of(const std::string& name, const json::Value& object) {
  Allocation each{.name = name, .core_hours = hours(object, "cpuCoreHours"), .board_hours = hours(object, "gpuHours")};
  const auto bytes = json::number(object, "ramByteHours");
  if (bytes.state == RawNumber::State::number && bytes.value > 0) each.memory_gib_hours = bytes.value / k_bytes_in_gib;
  if (const auto* properties = json::member(object, "properties")) {
    each.node = json::text(*properties, "node").value_or("");
  }
  const auto start = scheduler::parse_instant(json::text(object, "start").value_or(""));
  const auto end = scheduler::parse_instant(json::text(object, "end").value_or(""));
  if (start && end && *start < *end) each.ran = scheduler::Interval{*start, *end};
  return each;
}

}  // namespace

Result<std::vector<Allocation>> read_allocations(std::string_view body) {
  const auto document = json::parse(body);
  if (!document) return tl::unexpected{document.error()};
  const auto data = data_of(*document);
  if (!data) return tl::unexpected{data.error()};
  std::vector<Allocation> allocations;
  const auto take = [&allocations](const json::Value& step) {
    if (!step.is_object()) return;
    for (const auto& [name, object] : step.items()) {
      if (object.is_object() && !name.starts_with("__")) allocations.push_back(allocation_of(name, object));
    }
  };
  if (const auto* steps = json::list(*data)) {
    for (const auto& step : *steps) take(step);
  } else {
    take(**data);
  }
  return allocations;
}

std::map<std::string, scheduler::Energy> shared_by_cores(scheduler::Energy energy,
                                                         const std::vector<Allocation>& allocations) {
  std::map<std::string, std::int64_t> held;  // core seconds
  for (const auto& each : allocations) held[each.name] += static_cast<std::int64_t>(each.core_hours * 3600 + 0.5);
  std::erase_if(held, [](const auto& each) { return each.second == 0; });
  std::vector<scheduler::Wide> weights;
  for (const auto& [name, seconds] : held) weights.push_back(seconds);
  const auto parts = scheduler::apportioned(energy.base(), weights);
  std::map<std::string, scheduler::Energy> shares;
  std::size_t i = 0;
  for (const auto& [name, seconds] : held) shares[name] = scheduler::Energy::of_base(parts[i++]);
  return shares;
}

Result<std::map<std::string, std::optional<double>>> read_asset_carbon(std::string_view body) {
  const auto document = json::parse(body);
  if (!document) return tl::unexpected{document.error()};
  const auto data = data_of(*document);
  if (!data) return tl::unexpected{data.error()};
  std::map<std::string, std::optional<double>> carbon;
  if (!(*data)->is_object()) return refuse(Errc::source_unavailable, "OpenCost's data is no object by asset");
  for (const auto& [asset, object] : (*data)->items()) {
    const auto kilograms = json::number(object, "co2e");
    const bool known = kilograms.state == RawNumber::State::number && kilograms.value > 0 &&
                       kilograms.value <= k_most_kilograms;
    carbon[asset] = known ? std::optional{kilograms.value} : std::nullopt;
  }
  return carbon;
}

}  // namespace valle::connectors::energy
