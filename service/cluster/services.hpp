// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "scheduler/ports/job_ledger.hpp"
#include "service/app/estimates.hpp"
#include "service/app/jobs.hpp"
#include "service/cluster/link.hpp"
#include "service/runtime/metrics.hpp"
#include "service/runtime/timer.hpp"

namespace valle::service::cluster {

/// What the parts of the loop between a cluster and the plan work with. All outlive them.
struct Services {
  Link link;
  const runtime::Clock& clock;
  const app::CurrentBook& book;
  const app::Places& places;
  app::StoreAccess& store;
  app::PlanCycle& cycle;
  app::JobWatch& watch;
  runtime::Metrics& metrics;
  runtime::Timers& timers;
  runtime::Config config;
  std::string identity;  ///< unique among replicas
  // Both or neither: without them nothing is written down of runs, and nothing learned from them.
  scheduler::JobLedger* ledger = nullptr;
  app::RunEstimates* estimates = nullptr;
};

}  // namespace valle::service::cluster
