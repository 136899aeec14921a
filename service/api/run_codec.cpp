// SPDX-License-Identifier: Apache-2.0
#include "service/api/run_codec.hpp"

#include <array>
#include <utility>

#include "service/api/json_writer.hpp"

namespace valle::service::api {
namespace {

using app::PostedRun;
using scheduler::AttemptOutcome;
using scheduler::Errc;
using scheduler::Result;

constexpr std::string_view k_members[] = {"id",        "owner",      "homeSite",       "site",    "submittedAt",
                                          "startedAt", "finishedAt", "energyKwh",      "outcome", "startBy",
                                          "label",     "gpus",       "uncertaintyKwh", "profile"};
constexpr std::string_view k_slice_members[] = {"start", "end", "energyKwh"};
constexpr std::string_view k_outcomes[] = {"succeeded", "failed", "cancelled"};
constexpr NumberRange k_amount_or_zero{.low = 0, .high = k_amount_range.high};
constexpr std::size_t k_longest_name = 253;
constexpr std::size_t k_most_slices = 10'000;

std::vector<scheduler::EnergySlice> read_profile(MemberReader& run, FirstError& first) {
  std::vector<scheduler::EnergySlice> profile;
  const Json* slices = run.array("profile", k_most_slices);
  if (slices == nullptr) return profile;
  for (std::size_t i = 0; i < slices->size(); ++i) {
    auto reader = MemberReader::of_object((*slices)[i], pointer_to(run.pointer("profile"), i), k_slice_members, first);
    const auto start = reader.instant("start");
    const auto end = reader.instant("end");
    const auto kwh = reader.number("energyKwh", k_amount_or_zero);
    for (const auto name : k_slice_members) reader.need(name, "a slice has start, end and energyKwh");
    if (first.failed()) return {};
    profile.push_back({{*start, *end}, scheduler::energy_from_kwh(*kwh)});
  }
  return profile;
}

std::optional<scheduler::Energy> energy(MemberReader& reader, std::string_view name, const NumberRange& range) {
  const auto kwh = reader.number(name, range);
  return kwh ? std::optional{scheduler::energy_from_kwh(*kwh)} : std::nullopt;
}

PostedRun read_run(MemberReader& reader, FirstError& first) {
  PostedRun run;
  run.id = reader.text("id", k_longest_name).value_or("");
  run.owner = reader.text("owner", k_longest_name).value_or("");
  run.site = reader.text("site", k_longest_name).value_or("");
  run.home_site = reader.text("homeSite", k_longest_name).value_or("");
  run.submitted = reader.instant("submittedAt").value_or(scheduler::Instant{});
  run.started = reader.instant("startedAt").value_or(scheduler::Instant{});
  run.finished = reader.instant("finishedAt").value_or(scheduler::Instant{});
  run.energy = energy(reader, "energyKwh", k_amount_range);
  run.uncertainty = energy(reader, "uncertaintyKwh", k_amount_or_zero);
  run.start_by = reader.instant("startBy");
  run.label = reader.text("label", k_longest_name).value_or("");
  if (const auto gpus = reader.number("gpus", {.low = 0, .high = 1e9})) {
    run.gpus = scheduler::Amount::of_base(static_cast<std::int64_t>(*gpus * 1000 + 0.5));
  }
  constexpr std::array k_ends{AttemptOutcome::finished, AttemptOutcome::failed, AttemptOutcome::evicted};
  if (const auto outcome = reader.word("outcome", k_outcomes)) run.outcome = k_ends.at(*outcome);
  run.profile = read_profile(reader, first);
  reader.need("id", "a name of its own");
  reader.need("site", "where it ran");
  for (const std::string_view instant : {"submittedAt", "startedAt", "finishedAt"}) {
    reader.need(instant, "an instant like 2026-11-30T22:00:00Z");
  }
  return run;
}

}  // namespace

std::span<const std::string_view> posted_run_members() { return k_members; }

Result<std::vector<scheduler::Run>> read_runs(const Json& body, std::span<const runtime::SiteConfig> sites,
                                              scheduler::Instant now) {
  if (!body.is_array()) return scheduler::refuse(Errc::invalid_request, "the body is an array of runs");
  if (body.empty()) return scheduler::refuse(Errc::invalid_request, "the array is empty");
  if (body.size() > k_most_posted_runs) {
    return scheduler::refuse(Errc::too_large, "at most 10,000 runs at a time; send them in several requests");
  }
  std::vector<scheduler::Run> runs;
  runs.reserve(body.size());
  for (std::size_t i = 0; i < body.size(); ++i) {
    FirstError first;
    const std::string pointer = pointer_to("", i);
    auto reader = MemberReader::of_object(body[i], pointer, k_members, first);
    auto posted = read_run(reader, first);
    if (first.failed()) return tl::unexpected{first.take()};
    auto run = app::run_of(std::move(posted), sites, now);
    if (!run) {
      run.error().pointer = pointer_to(pointer, run.error().pointer);
      return tl::unexpected{std::move(run.error())};
    }
    runs.push_back(*std::move(run));
  }
  return runs;
}

std::string posted_json(const store::PostedRuns& posted) {
  JsonWriter json;
  json.begin_object()
      .member("stored", static_cast<std::int64_t>(posted.added))
      .member("unchanged", static_cast<std::int64_t>(posted.unchanged))
      .end_object();
  return json.take();
}

}  // namespace valle::service::api
