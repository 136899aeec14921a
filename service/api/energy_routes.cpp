// SPDX-License-Identifier: Apache-2.0
#include "service/api/energy_routes.hpp"

#include <utility>

#include "connectors/energy_files/codecarbon.hpp"
#include "service/api/answer.hpp"
#include "service/api/json_writer.hpp"
#include "service/api/member_reader.hpp"
#include "service/app/energy_import.hpp"
#include "service/http/problem.hpp"

namespace valle::service::api {
namespace {

using connectors::energy::ToolRun;
using scheduler::Errc;
using scheduler::refuse;
using scheduler::Result;

constexpr std::string_view k_parameters[] = {"job", "timeZone"};
constexpr std::size_t k_largest_body = 65'536;

struct Posted {
  ToolRun run;
  std::string job;
};

Result<Posted> read(const http::Request& request) {
  FirstError first;
  auto reader = MemberReader::of_query(request.query, k_parameters, first);
  Posted posted{.run = {}, .job = reader.text("job").value_or("")};
  const auto zone = reader.text("timeZone").value_or("UTC");
  if (first.failed()) return tl::unexpected{first.take()};
  auto clock = connectors::energy::LocalClock::make(zone);
  if (!clock) {
    clock.error().pointer = "/timeZone";
    return tl::unexpected{std::move(clock.error())};
  }
  auto run = connectors::energy::read_codecarbon_post(request.body, {.clock = *std::move(clock)});
  if (!run) return tl::unexpected{std::move(run.error())};
  posted.run = *std::move(run);
  return posted;
}

std::string_view word(scheduler::EnergyQuality quality) {
  switch (quality) {
    case scheduler::EnergyQuality::measured: return "measured";
    case scheduler::EnergyQuality::estimated: return "estimated";
    case scheduler::EnergyQuality::unknown: break;
  }
  return "unknown";
}

/// What was taken of the run; unknown energy has no number.
std::string taken_json(const Posted& posted) {
  const auto& figure = posted.run.figures.front();
  const bool known = figure.quality != scheduler::EnergyQuality::unknown;
  JsonWriter json;
  json.begin_object()
      .member("job", posted.job.empty() ? posted.run.project : posted.job)
      .optional_member("energyKwh", known ? std::optional{figure.energy} : std::nullopt)
      .member("quality", word(figure.quality))
      .key("notes")
      .begin_array();
  for (const auto& note : figure.notes) json.value(note);
  json.end_array().end_object();
  return json.take();
}

http::Response store(scheduler::JobLedger& ledger, const Posted& posted) {
  app::EnergyImport import{ledger, {.job = posted.job}};
  const auto done = import.take({posted.run});
  if (!done) return http::problem(done.error());
  if (!done->left.empty()) {
    const auto& left = done->left.front();
    return http::problem(
        {.code = Errc::not_found,
         .detail = left.name + ": " + left.reason + "; name the job as project_name, or with ?job=ID"});
  }
  return {.status = 201, .body = taken_json(posted)};
}

}  // namespace

std::span<const std::string_view> codecarbon_parameters() { return k_parameters; }

void add_energy_routes(http::Router& router, const EnergyServices& services) {
  router.add(
      "POST", "/v1/energy/codecarbon",
      [services](const http::Request& request, const http::Respond& respond) {
        if (services.may_write && !services.may_write()) {
          return respond(http::problem({.code = Errc::not_leader,
                                        .detail = "another replica is the leader and keeps the ledger; ask again",
                                        .facts = {{"retryAfterSeconds", "2"}}}));
        }
        auto posted = read(request);
        if (!posted) return respond(http::problem(posted.error()));
        answer_from(services.blocking, respond,
                    [&ledger = services.ledger, posted = *std::move(posted)] { return store(ledger, posted); });
      },
      {.largest_body = k_largest_body});
}

}  // namespace valle::service::api
