// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "scheduler/ports/job_ledger.hpp"
#include "service/http/router.hpp"
#include "service/runtime/executors.hpp"

namespace valle::service::api {

/// What the calls about energy need. All must outlive the router.
struct EnergyServices {
  scheduler::JobLedger& ledger;
  runtime::WorkQueue& blocking;          ///< where the ledger may be waited for
  std::function<bool()> may_write = {};  ///< of several replicas only the leader; empty: always
};

/// `POST /v1/energy/codecarbon?job=&timeZone=`: what CodeCarbon sends to its `emissions_endpoint`, which wants 201.
void add_energy_routes(http::Router& router, const EnergyServices& services);

/// For the check against openapi.json.
[[nodiscard]] std::span<const std::string_view> codecarbon_parameters();

}  // namespace valle::service::api
