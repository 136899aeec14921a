// SPDX-License-Identifier: Apache-2.0
#include "service/api/status_routes.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "embedded/openapi.hpp"
#include "service/api/answer.hpp"
#include "service/api/json_writer.hpp"
#include "service/http/problem.hpp"

namespace valle::service::api {
namespace {

using scheduler::Zone;

/// A call without parameters.
http::Handler plain(std::function<http::Response()> make) {
  return [make = std::move(make)](const http::Request& request, const http::Respond& respond) {
    const auto allowed = no_parameters(request);
    respond(allowed ? make() : http::problem(allowed.error()));
  };
}

void write_names(JsonWriter& json, std::string_view name, const std::vector<Zone>& zones) {
  json.key(name).begin_array();
  for (const auto& zone : zones) json.value(zone.name());
  json.end_array();
}

/// Ready once the first round of fetching is over, a zone has data and the webhook has a certificate; zones without are
/// listed, not waited for.
http::Response readiness(const StatusServices& services) {
  const auto book = services.book.get();
  const auto with_data = book->zones();
  std::vector<Zone> degraded;
  for (const auto& zone : services.places.zones(*book)) {
    if (std::find(with_data.begin(), with_data.end(), zone) == with_data.end()) degraded.push_back(zone);
  }
  const bool webhook_waits = services.readiness.webhook_waits;
  const bool ready =
      services.readiness.first_round_over && !services.readiness.stopping && !webhook_waits && !with_data.empty();
  const std::string_view status = services.readiness.stopping            ? "stopping"
                                  : !services.readiness.first_round_over ? "fetching"
                                  : with_data.empty()                    ? "without data"
                                  : webhook_waits                        ? "without certificate"
                                  : degraded.empty()                     ? "ready"
                                                                         : "degraded";
  JsonWriter json;
  json.begin_object().member("status", status);
  write_names(json, "zones", with_data);
  write_names(json, "degraded", degraded);
  if (services.lease) {
    // A replica that does not lead is ready all the same: it answers reads and the webhook.
    const auto lease = services.lease();
    json.key("lease").begin_object().member("leading", lease.leading).member("holder", lease.holder);
    if (!lease.problem.empty()) json.member("problem", lease.problem);
    json.end_object();
  }
  json.end_object();
  return {.status = ready ? 200 : 503, .body = json.take()};
}

}  // namespace

void add_status_routes(http::Router& router, const StatusServices& services) {
  const http::RouteOptions open{.without_authentication = true};
  router.add("GET", "/healthz", plain([] { return http::Response{.body = R"({"status":"ok"})"}; }), open);
  router.add("GET", "/readyz", plain([services] { return readiness(services); }), open);
  router.add("GET", "/metrics", plain([services] {
               return http::Response{.content_type = std::string{runtime::Metrics::k_content_type},
                                     .body = services.metrics.text()};
             }));
  router.add("GET", "/openapi.json",
             plain([] { return http::Response{.body = std::string{embedded::openapi().front().content}}; }));
}

void add_intensity_metrics(runtime::Metrics& metrics, const runtime::Clock& clock, const app::CurrentBook& book,
                           const app::Places& places) {
  auto& intensity = metrics.gauge("grid_carbon_intensity_gco2_kwh",
                                  "Carbon intensity of the grid in the current hour, g CO2e/kWh", {"zone"});
  auto& age = metrics.gauge("valle_intensity_age_seconds", "Seconds since the end of the newest measured value",
                            {"zone", "source"});
  auto& rejected =
      metrics.counter("valle_readings_rejected_total", "Values refused at the door since the database was made",
                      {"zone", "source", "reason"});
  metrics.before_text([&clock, &book, &places, &intensity, &age, &rejected] {
    const auto now = clock.now();
    const auto current = book.get();
    for (const auto& zone : places.zones(*current)) {
      auto& gauge = intensity.with({zone.name()});
      if (const auto value = current->value_at(zone, now)) {
        gauge.set(scheduler::grams_per_kwh(value->step.value));
      } else {
        gauge.clear();
      }
    }
    for (const auto& newest : current->newest(now)) {
      const auto seconds = std::max(scheduler::Duration{0}, now - newest.measured_end);
      age.with({newest.zone.name(), newest.source}).set(static_cast<double>(seconds.count()));
    }
    for (const auto& count : current->rejections()) {
      rejected.with({count.zone.name(), count.source, to_text(count.reason)})
          .raise_to(static_cast<double>(count.count));
    }
  });
}

void add_source_metrics(runtime::Metrics& metrics, const connectors::Chain& chain) {
  auto& requests = metrics.counter("valle_source_requests_total", "Times that a source was asked, by how it ended",
                                   {"source", "outcome"});
  metrics.before_text([&chain, &requests] {
    for (const auto& count : chain.counts()) {
      requests.with({count.source, to_text(count.outcome)}).raise_to(static_cast<double>(count.requests));
    }
  });
}

}  // namespace valle::service::api
