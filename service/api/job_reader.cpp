// SPDX-License-Identifier: Apache-2.0
// The reading half of job_codec.hpp.
#include <algorithm>
#include <cmath>
#include <utility>

#include "service/api/best_slot_codec.hpp"
#include "service/api/job_codec.hpp"

namespace valle::service::api {
namespace {

using app::JobRequest;
using scheduler::Duration;
using scheduler::Fraction;
using scheduler::ProblemLimits;
using scheduler::Result;

// `id` stands first, so that a change knows all but the first.
constexpr std::string_view k_members[] = {
    "id",     "owner", "earliestStart", "finishBy", "latestStart",   "maxWait", "duration", "powerWatts", "energyKwh",
    "demand", "sites", "homeSite",      "priority", "interruptible", "modes",   "fixed",    "group",      "transferGb"};
constexpr std::string_view k_mode_members[] = {"name", "powerWatts", "duration"};
constexpr std::string_view k_fixed_members[] = {"site", "start"};
constexpr std::string_view k_started_members[] = {"at"};
constexpr std::string_view k_finished_members[] = {"at", "energyKwh", "outcome"};
constexpr std::string_view k_outcomes[] = {"succeeded", "finished", "failed", "cancelled"};

constexpr std::size_t k_most_resources = 16;

template <class Quantity>
Quantity at_least_one(Quantity quantity) {
  return std::max(quantity, Quantity::of_base(1));
}

std::optional<scheduler::Power> power(MemberReader& reader) {
  const auto watts = reader.number("powerWatts", k_amount_range);
  return watts ? std::optional{at_least_one(scheduler::power_from_watts(*watts))} : std::nullopt;
}

std::optional<Duration> run_time(MemberReader& reader) {
  return reader.duration("duration", Duration{1}, app::k_longest_run);
}

/// `{"gpu": 8, "cpu": 0.5}`: to a thousandth of a resource.
std::optional<std::vector<scheduler::ResourceDemand>> demand(MemberReader& members, FirstError& first) {
  const Json* object = members.object("demand");
  if (object == nullptr) return {};
  std::vector<std::string_view> names;
  for (const auto& [name, value] : object->items()) names.push_back(name);
  if (names.size() > k_most_resources) {
    members.refuse("demand", "at most " + std::to_string(k_most_resources) + " resources");
    return {};
  }
  auto reader = MemberReader::of_object(*object, members.pointer("demand"), names, first);
  std::vector<scheduler::ResourceDemand> demand;
  for (const auto name : names) {
    if (name.empty() || name.size() > ProblemLimits::k_name) {
      reader.refuse(name, "a resource's name has 1 to " + std::to_string(ProblemLimits::k_name) + " characters");
    }
    if (const auto amount = reader.number(name, {.low = 0, .high = 1e9})) {
      if (*amount > 0) {
        demand.push_back({std::string{name}, at_least_one(scheduler::Amount::of_base(std::llround(*amount * 1000)))});
      }
    }
  }
  return demand;
}

scheduler::Mode read_mode(const Json& value, std::string pointer, FirstError& first) {
  auto reader = MemberReader::of_object(value, std::move(pointer), k_mode_members, first);
  scheduler::Mode mode;
  mode.name = reader.text("name", ProblemLimits::k_name).value_or("");
  mode.power = power(reader).value_or(scheduler::Power{});
  mode.duration = run_time(reader).value_or(Duration{});
  reader.need("name", "a name for this way to run");
  reader.need("powerWatts", "the power while it runs");
  reader.need("duration", "how long the job runs this way");
  return mode;
}

std::optional<std::vector<scheduler::Mode>> modes(MemberReader& members, FirstError& first) {
  const Json* array = members.array("modes", ProblemLimits::k_modes);
  if (array == nullptr) return {};
  if (array->empty()) members.refuse("modes", "modes holds at least one; leave it out if there are none");
  std::vector<scheduler::Mode> modes;
  for (std::size_t i = 0; i < array->size(); ++i) {
    const auto pointer = pointer_to(members.pointer("modes"), i);
    modes.push_back(read_mode((*array)[i], pointer, first));
    const auto same_name = [&](const scheduler::Mode& mode) { return mode.name == modes.back().name; };
    if (std::find_if(modes.begin(), modes.end() - 1, same_name) != modes.end() - 1) {
      first.record({scheduler::Errc::invalid_request, "two modes have this name", pointer_to(pointer, "name")});
    }
  }
  return modes;
}

std::optional<JobRequest::FixedAt> fixed(MemberReader& members, FirstError& first) {
  const Json* object = members.object("fixed");
  if (object == nullptr) return {};
  auto reader = MemberReader::of_object(*object, members.pointer("fixed"), k_fixed_members, first);
  const auto site = reader.text("site");
  const auto start = reader.instant("start", Fraction::up);
  reader.need("site", "where the job runs");
  reader.need("start", "when it starts");
  return site && start ? std::optional{JobRequest::FixedAt{*site, *start}} : std::nullopt;
}

JobRequest read_request(MemberReader& reader, FirstError& first) {
  JobRequest request;
  request.owner = reader.text("owner");
  request.earliest_start = reader.instant("earliestStart", Fraction::up);
  request.finish_by = reader.instant("finishBy", Fraction::down);
  request.latest_start = reader.instant("latestStart", Fraction::down);
  request.max_wait = reader.duration("maxWait", Duration{0}, app::k_longest_wait);
  request.duration = run_time(reader);
  request.power = power(reader);
  if (const auto kwh = reader.number("energyKwh", k_amount_range)) {
    request.energy = at_least_one(scheduler::energy_from_kwh(*kwh));
  }
  request.demand = demand(reader, first);
  request.sites = reader.names("sites");
  request.home_site = reader.text("homeSite");
  if (const auto priority = reader.integer("priority", -ProblemLimits::k_priority, ProblemLimits::k_priority)) {
    request.priority = static_cast<int>(*priority);
  }
  if (const Json* interruptible = reader.object("interruptible")) {
    request.interruption = read_interruption(*interruptible, reader.pointer("interruptible"), first);
  }
  request.modes = modes(reader, first);
  request.fixed = fixed(reader, first);
  request.group = reader.text("group", ProblemLimits::k_name);
  request.transfer_gb = reader.number("transferGb", {.low = 0, .high = ProblemLimits::k_transfer_gb});
  return request;
}

}  // namespace

std::span<const std::string_view> job_members() { return k_members; }
std::span<const std::string_view> job_change_members() { return std::span{k_members}.subspan(1); }
std::span<const std::string_view> started_members() { return k_started_members; }
std::span<const std::string_view> finished_members() { return k_finished_members; }

Result<app::NewJob> read_job(const Json& body) {
  FirstError first;
  auto reader = MemberReader::of_object(body, "", k_members, first);
  app::NewJob job;
  job.id = reader.text("id", ProblemLimits::k_name).value_or("");
  job.request = read_request(reader, first);
  if (first.failed()) return tl::unexpected{first.take()};
  return job;
}

Result<JobRequest> read_job_change(const Json& body) {
  FirstError first;
  auto reader = MemberReader::of_object(body, "", job_change_members(), first);
  auto request = read_request(reader, first);
  if (first.failed()) return tl::unexpected{first.take()};
  return request;
}

Result<std::optional<scheduler::Instant>> read_started(const Json& body) {
  FirstError first;
  auto reader = MemberReader::of_object(body, "", k_started_members, first);
  const auto at = reader.instant("at");
  if (first.failed()) return tl::unexpected{first.take()};
  return at;
}

Result<app::Finish> read_finished(const Json& body) {
  FirstError first;
  auto reader = MemberReader::of_object(body, "", k_finished_members, first);
  app::Finish finish{.at = reader.instant("at"), .energy = {}};
  if (const auto kwh = reader.number("energyKwh", {.low = 0, .high = k_amount_range.high})) {
    finish.energy = scheduler::energy_from_kwh(*kwh);
  }
  const auto outcome = reader.word("outcome", k_outcomes);
  reader.need("outcome", "succeeded, failed or cancelled");
  if (first.failed()) return tl::unexpected{first.take()};
  finish.ending = *outcome < 2 ? app::Ending::finished : *outcome == 2 ? app::Ending::failed : app::Ending::cancelled;
  return finish;
}

}  // namespace valle::service::api
