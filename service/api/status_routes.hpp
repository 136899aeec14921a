// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "connectors/chain/chain.hpp"
#include "service/app/intensity_book.hpp"
#include "service/app/lease_status.hpp"
#include "service/app/places.hpp"
#include "service/app/readiness.hpp"
#include "service/http/router.hpp"
#include "service/runtime/clock.hpp"
#include "service/runtime/metrics.hpp"

namespace valle::service::api {

/// What the calls about the service itself need. All must outlive the router.
struct StatusServices {
  const runtime::Clock& clock;
  const app::CurrentBook& book;
  const app::Places& places;
  const app::Readiness& readiness;
  const runtime::Metrics& metrics;
  std::function<app::LeaseStatus()> lease = {};  ///< empty: this is the only replica
};

/// `GET /healthz`, `/readyz`, `/metrics`, `/openapi.json`.
void add_status_routes(http::Router& router, const StatusServices& services);

/// `grid_carbon_intensity_gco2_kwh{zone}` (absent when unknown), `valle_intensity_age_seconds{zone,source}` and
/// `valle_readings_rejected_total{zone,source,reason}`, set before each reading of the metrics.
void add_intensity_metrics(runtime::Metrics& metrics, const runtime::Clock& clock, const app::CurrentBook& book,
                           const app::Places& places);

/// `valle_source_requests_total{source,outcome}`, set before each reading of the metrics.
void add_source_metrics(runtime::Metrics& metrics, const connectors::Chain& chain);

}  // namespace valle::service::api
