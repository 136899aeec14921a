// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "service/app/job_watch.hpp"
#include "service/app/jobs.hpp"
#include "service/http/router.hpp"
#include "service/runtime/clock.hpp"
#include "service/runtime/metrics.hpp"
#include "service/runtime/timer.hpp"

namespace valle::service::api {

/// What the calls about jobs need. All must outlive the router.
struct JobServices {
  app::Jobs& jobs;
  app::JobWatch& watch;
  // A long poll bounds how long a client waits, so it follows real time even where the service lives by a test clock.
  const runtime::Clock& real_clock;
  runtime::Timers& real_timers;
};

inline constexpr scheduler::Duration k_longest_poll = std::chrono::minutes{5};

/// `POST` and `GET /v1/jobs`; `GET`, `PATCH`, `DELETE /v1/jobs/{id}`; `…/started`, `…/finished`, `…/explanation`;
/// `GET /v1/plan`.
void add_job_routes(http::Router& router, const JobServices& services);

/// `valle_jobs{state}`.
void add_job_metrics(runtime::Metrics& metrics, const app::JobWatch& watch);

/// For the check against openapi.json.
[[nodiscard]] std::span<const std::string_view> job_list_parameters();
[[nodiscard]] std::span<const std::string_view> job_parameters();

}  // namespace valle::service::api
