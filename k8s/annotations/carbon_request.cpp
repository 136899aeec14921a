// SPDX-License-Identifier: Apache-2.0
#include "k8s/annotations/carbon_request.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "k8s/api/names.hpp"
#include "scheduler/units/lower_case.hpp"

namespace valle::k8s {
namespace {

using scheduler::Duration;
using scheduler::Errc;
using scheduler::Instant;
using scheduler::lower_case;
using scheduler::refuse;
using scheduler::Result;

constexpr const char* k_duration_forms = R"(a duration such as "8h", "1h30m" or "PT8H")";
constexpr const char* k_instant_forms = R"(, or an instant with an offset such as "2027-02-11T09:00:00+01:00")";
constexpr Duration k_longest = std::chrono::days{366};
constexpr double k_most = 1e9;
constexpr std::size_t k_most_regions = 64;

/// The annotation, by its first name or its alias; both are fine as long as they say the same.
Result<std::optional<std::pair<std::string, std::string>>> either(const ObjectMeta& meta,
                                                                  const std::array<std::string, 2>& names) {
  const auto first = meta.annotation(names[0]);
  const auto alias = meta.annotation(names[1]);
  if (first && alias && *first != *alias) {
    return refuse(Errc::invalid_request, names[1] + " says another thing than " + names[0] + ": give one of them",
                  names[1]);
  }
  std::optional<std::pair<std::string, std::string>> found;
  if (first) {
    found.emplace(names[0], *first);
  } else if (alias) {
    found.emplace(names[1], *alias);
  }
  return found;
}

tl::unexpected<scheduler::Error> unreadable(const std::string& name, const std::string& value,
                                            const std::string& forms) {
  return refuse(Errc::invalid_request, name + " is \"" + cut_text(value, 100) + "\"; it must be " + forms, name);
}

Result<Duration> positive_duration(const std::string& name, const std::string& value) {
  const auto duration = scheduler::parse_duration(value);
  if (!duration || *duration <= Duration{0}) return unreadable(name, value, k_duration_forms);
  if (*duration > k_longest) return unreadable(name, value, "at most 366 days");
  return *duration;
}

Result<Limit> limit(const std::string& name, const std::string& value) {
  if (const auto instant = scheduler::parse_instant(value)) return Limit{*instant};
  const auto duration = scheduler::parse_duration(value);
  if (!duration || *duration <= Duration{0}) {
    return unreadable(name, value, std::string{k_duration_forms} + k_instant_forms);
  }
  if (*duration > k_longest) return unreadable(name, value, "at most 366 days");
  return Limit{*duration};
}

Result<bool> flag(const std::string& name, const std::string& value) {
  if (value == "true") return true;
  if (value == "false") return false;
  return unreadable(name, value, R"("true" or "false")");
}

Result<double> number(const std::string& name, const std::string& value) {
  double parsed = 0;
  const auto [end, failure] = std::from_chars(value.data(), value.data() + value.size(), parsed);
  const bool whole = failure == std::errc{} && end == value.data() + value.size() && std::isfinite(parsed);
  if (!whole || parsed <= 0 || parsed > k_most) return unreadable(name, value, "a number above 0, at most 1e9");
  return parsed;
}

Result<std::vector<std::string>> regions(const std::string& name, const std::string& value) {
  constexpr const char* k_forms = R"(region names with commas between, each once, such as "FR,ES")";
  std::vector<std::string> list;
  std::size_t from = 0;
  while (from <= value.size()) {
    const auto comma = std::min(value.find(',', from), value.size());
    std::string each = value.substr(from, comma - from);
    each.erase(0, each.find_first_not_of(' ') == std::string::npos ? each.size() : each.find_first_not_of(' '));
    while (!each.empty() && each.back() == ' ') each.pop_back();
    const bool known =
        std::any_of(list.begin(), list.end(), [&](const auto& one) { return lower_case(one) == lower_case(each); });
    if (each.empty() || known || list.size() == k_most_regions) return unreadable(name, value, k_forms);
    list.push_back(std::move(each));
    from = comma + 1;
  }
  return list;
}

/// Reads one annotation into a member if it is there.
template <class T, class Read>
Result<void> take(const ObjectMeta& meta, const std::string& name, T& member, Read read) {
  const auto value = meta.annotation(name);
  if (!value) return {};
  auto parsed = read(name, *value);
  if (!parsed) return tl::unexpected{std::move(parsed.error())};
  member = *std::move(parsed);
  return {};
}

}  // namespace

bool claims_carbon_aware(const ObjectMeta& meta) {
  return std::any_of(names::k_carbon_aware.begin(), names::k_carbon_aware.end(),
                     [&meta](const auto& name) { return meta.annotation(name).has_value(); });
}

Result<CarbonRequest> carbon_request(const ObjectMeta& meta) {
  CarbonRequest request;
  const auto aware = either(meta, names::k_carbon_aware);
  if (!aware) return tl::unexpected{aware.error()};
  if (!*aware) return request;
  const auto is_aware = flag((*aware)->first, (*aware)->second);
  if (!is_aware) return tl::unexpected{is_aware.error()};
  request.aware = *is_aware;
  if (!request.aware) return request;

  const auto deadline = either(meta, names::k_carbon_deadline);
  if (!deadline) return tl::unexpected{deadline.error()};
  if (*deadline) {
    const auto start_within = limit((*deadline)->first, (*deadline)->second);
    if (!start_within) return tl::unexpected{start_within.error()};
    request.start_within = *start_within;
  }
  const auto watts = [](const std::string& name, const std::string& value) {
    return number(name, value).map([](double number) { return std::optional{scheduler::power_from_watts(number)}; });
  };
  const auto kwh = [](const std::string& name, const std::string& value) {
    return number(name, value).map([](double number) { return std::optional{scheduler::energy_from_kwh(number)}; });
  };
  const auto word = [](const std::string& name, const std::string& value) -> Result<std::optional<std::string>> {
    if (value.empty() || value.size() > 63) return unreadable(name, value, "one region's name");
    return std::optional{value};
  };
  auto done = take(meta, names::k_finish_by, request.finish_by, limit)
                  .and_then([&] {
                    return take(meta, names::k_expected_duration, request.expected_duration, positive_duration);
                  })
                  .and_then([&] { return take(meta, names::k_energy_kwh, request.energy, kwh); })
                  .and_then([&] { return take(meta, names::k_power_watts, request.power, watts); })
                  .and_then([&] { return take(meta, names::k_regions, request.regions, regions); })
                  .and_then([&] { return take(meta, names::k_home_region, request.home_region, word); })
                  .and_then([&] { return take(meta, names::k_run_now, request.run_now, flag); });
  if (!done) return tl::unexpected{std::move(done.error())};
  if (request.energy && request.power) {
    return refuse(Errc::invalid_request,
                  names::k_power_watts + " and " + names::k_energy_kwh + " exclude each other: give one",
                  names::k_power_watts);
  }
  return request;
}

Instant instant_of(const Limit& limit, Instant created_at) {
  if (const auto* instant = std::get_if<Instant>(&limit)) return *instant;
  return created_at + std::get<Duration>(limit);
}

Instant latest_start(const CarbonRequest& request, Instant created_at, Duration run, Duration margin,
                     Duration longest_wait) {
  std::optional<Instant> latest;
  if (request.start_within) latest = instant_of(*request.start_within, created_at);
  if (request.finish_by) {
    const Instant by_end = instant_of(*request.finish_by, created_at) - run - margin;
    latest = latest ? std::min(*latest, by_end) : by_end;
  }
  return latest.value_or(created_at + longest_wait);
}

}  // namespace valle::k8s
