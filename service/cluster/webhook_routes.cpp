// SPDX-License-Identifier: Apache-2.0
#include "service/cluster/webhook_routes.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "k8s/api/names.hpp"
#include "k8s/webhook/review.hpp"
#include "service/app/best_slot.hpp"
#include "service/http/problem.hpp"

namespace valle::service::cluster {
namespace {

using http::Request;
using http::Respond;

/// An AdmissionReview holds the object twice, of at most 1.5 MB each.
constexpr std::size_t k_largest_review = 8u << 20;

bool uses(const runtime::KubernetesConfig& kubernetes, runtime::KubernetesMode mode) {
  return std::find(kubernetes.modes.begin(), kubernetes.modes.end(), mode) != kubernetes.modes.end();
}

/// What is wrong with the queue that it would wait in.
void warn_of_queue(const WebhookServices& services, const k8s::Job& job, const app::Job& planned,
                   std::vector<std::string>& warnings) {
  const auto queue = job.meta.label(k8s::names::k_queue);
  if (!queue || !planned.request.demand) return;
  for (auto& each : services.queue_warnings(job.meta.space, *queue, *planned.request.demand)) {
    warnings.push_back("valle: " + std::move(each));
  }
}

/// What the owner is told while the job is created: where it would go if it were alone.
k8s::Admitting::Forecast foretold(const WebhookServices& services, const k8s::Job& job,
                                  const k8s::CarbonRequest& asked) {
  // Held all the same: it is the leader who sends it to where it may run.
  if (asked.run_now) return {.warnings = {"valle: " + k8s::names::k_run_now + " is set: the job starts at once"}};
  const auto now = services.clock.now();
  const auto book = services.book.get();
  const auto sites = services.places.sites(*book);
  k8s::Job newborn = job;
  newborn.meta.created_at = now;
  const auto planned = read_job(held_object(newborn), sites, services.rules());
  if (!planned) return {.refusal = planned.error().detail};
  if (planned->object->start_by < now) {
    const std::string why = "it can't be in time: its latest start, " +
                            scheduler::format_instant(planned->object->start_by) + ", has passed";
    if (services.on_infeasible == runtime::OnInfeasible::reject) {
      const std::string& cause = asked.finish_by ? k8s::names::k_finish_by : k8s::names::k_carbon_deadline[0];
      return {.refusal = why + "; check " + cause + " and " + k8s::names::k_expected_duration};
    }
    return {.warnings = {"valle: starts at once: " + why}};
  }
  app::BestSlotRequest request{.duration = *planned->request.duration,
                               .latest_start = std::max(planned->start_by, now),
                               .energy = planned->request.energy,
                               .power = planned->request.power};
  for (const auto& site : sites) {
    const auto& allowed = planned->request.sites;
    const bool may = !allowed || std::find(allowed->begin(), allowed->end(), site.name) != allowed->end();
    const bool listed = std::find(request.zones.begin(), request.zones.end(), site.zone) != request.zones.end();
    if (may && !listed) request.zones.push_back(site.zone);
    if (planned->request.home_site == site.name) request.home = site.zone;
  }
  std::string text = "valle: waits for clean hours, starts by " + scheduler::format_instant(planned->object->start_by);
  k8s::Admitting::Forecast forecast{.warnings = {text}};
  warn_of_queue(services, job, *planned, forecast.warnings);
  const auto answer = app::best_slot(request, *book, services.places, now);
  if (!answer) return forecast;
  const auto& best = answer->best;
  std::string best_text = "valle: best start " + scheduler::format_instant(best.slot.interval.begin) + " in " +
                          best.site.value_or(best.zone.name());
  if (best.saving && best.saving->emissions > scheduler::Emissions{} && answer->run_now) {
    const auto now_emits = answer->run_now->slot.emissions.base();
    const auto percent = scheduler::divide_rounded(scheduler::Wide{best.saving->emissions.base()} * 100, now_emits);
    best_text += ", saves " + std::to_string(static_cast<long long>(percent)) + " %";
  }
  forecast.warnings.insert(forecast.warnings.begin() + 1, best_text);
  return forecast;
}

using Decide = std::function<k8s::Verdict(const k8s::Review&)>;

http::Handler handler(Decide decide, runtime::Histogram& duration) {
  return [decide = std::move(decide), &duration](const Request& request, const Respond& respond) {
    const auto began = std::chrono::steady_clock::now();
    const auto review = k8s::parse_review(request.body);
    if (!review) return respond(http::problem(review.error()));
    respond({.body = k8s::review_response(review->uid, decide(*review))});
    duration.observe(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
  };
}

}  // namespace

http::Router webhook_routes(const WebhookServices& services) {
  auto& durations =
      services.metrics.histogram("valle_webhook_duration_seconds", "Time to answer an AdmissionReview", {"webhook"},
                                 {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1});
  const k8s::Admitting admitting{.kueue = uses(services.kubernetes, runtime::KubernetesMode::kueue),
                                 .jobs = uses(services.kubernetes, runtime::KubernetesMode::jobs),
                                 .volcano = uses(services.kubernetes, runtime::KubernetesMode::volcano),
                                 .job_sets = uses(services.kubernetes, runtime::KubernetesMode::kueue) ||
                                             uses(services.kubernetes, runtime::KubernetesMode::jobs),
                                 .foretell = [services](const k8s::Job& job, const k8s::CarbonRequest& request) {
                                   return foretold(services, job, request);
                                 }};
  http::Router router;
  router.add("POST", "/webhooks/mutate",
             handler(
                 [admitting, services](const k8s::Review& review) {
                   k8s::Admitting now = admitting;
                   now.gate = services.gate_works();
                   now.kueue_installed = services.kueue_installed();
                   return k8s::mutate(review, now);
                 },
                 durations.with({"mutate"})),
             {.largest_body = k_largest_review, .without_authentication = true});
  router.add("POST", "/webhooks/validate", handler(k8s::validate, durations.with({"validate"})),
             {.largest_body = k_largest_review, .without_authentication = true});
  router.add("GET", "/healthz", [](const Request&, const Respond& respond) { respond({.body = R"({"status":"ok"})"}); },
             {.without_authentication = true});
  return router;
}

}  // namespace valle::service::cluster
