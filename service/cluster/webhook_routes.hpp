// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "service/app/places.hpp"
#include "service/cluster/job_reading.hpp"
#include "service/http/router.hpp"
#include "service/runtime/clock.hpp"
#include "service/runtime/metrics.hpp"

namespace valle::service::cluster {

/// What the admission webhook looks at. All must outlive the router.
struct WebhookServices {
  const runtime::Clock& clock;
  const app::CurrentBook& book;
  const app::Places& places;
  runtime::Metrics& metrics;
  runtime::KubernetesConfig kubernetes;
  runtime::OnInfeasible on_infeasible = runtime::OnInfeasible::run;
  std::function<ReadingRules()> rules;
  std::function<bool()> gate_works;
  std::function<bool()> kueue_installed;
  /// Of a job in that LocalQueue with that demand.
  std::function<std::vector<std::string>(const std::string& space, const std::string& queue,
                                         std::span<const scheduler::ResourceDemand> demand)>
      queue_warnings;
};

/// `POST /webhooks/mutate` and `/webhooks/validate`: AdmissionReview v1. Answered from memory on the io thread, nothing
/// is planned. Also `/healthz`.
[[nodiscard]] http::Router webhook_routes(const WebhookServices& services);

}  // namespace valle::service::cluster
