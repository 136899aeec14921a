// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "service/app/intensity_book.hpp"
#include "service/app/plan_cycle.hpp"
#include "service/http/router.hpp"
#include "service/runtime/clock.hpp"
#include "service/runtime/executors.hpp"

namespace valle::service::api {

/// What a stateless plan needs. All must outlive the router.
struct PlanServices {
  const runtime::Clock& clock;
  const app::CurrentBook& book;
  runtime::WorkQueue& solver;
};

/// `POST /v1/plans?effort=&seed=`: a plan for the problem in the body. A search that the time limit cuts short answers
/// with the best plan so far.
void add_plan_routes(http::Router& router, const PlanServices& services);

/// For the check against openapi.json.
[[nodiscard]] std::span<const std::string_view> plan_parameters();

/// The contract's plan for `GET /v1/plan`; `threads` is what the planner's queue has.
[[nodiscard]] app::PlanWriter plan_writer(std::size_t threads);

}  // namespace valle::service::api
