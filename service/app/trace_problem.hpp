// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "connectors/traces/trace.hpp"
#include "scheduler/model/problem.hpp"
#include "service/app/intensity_book.hpp"

namespace valle::service::app {

/// How a trace becomes a planning problem.
struct TraceSetting {
  scheduler::Instant start;
  std::vector<scheduler::Zone> zones;  ///< one site each; at least one
  scheduler::Zone home;                ///< one of `zones`
  scheduler::Duration slot = std::chrono::hours{1};
  scheduler::Duration slack =
      std::chrono::hours{24};  ///< a job without finish_by must be done by arrival + duration + slack
  std::map<std::string, scheduler::Amount> capacity = {};  ///< at each site; `gpu`, `cpu`
  scheduler::Power power_per_unit{};                       ///< a GPU, or a core where the trace has no GPUs
  scheduler::Instant now;                                  ///< for the choice of sources
};

/// A core of a job without GPUs, in a trace that has GPUs.
inline constexpr scheduler::Power k_power_per_core = scheduler::Power::of_base(10'000);

/// Time behind the last deadline in which late jobs may still run.
inline constexpr scheduler::Duration k_time_for_late_jobs = std::chrono::days{7};

struct TraceProblem {
  scheduler::Problem problem;
  bool gpus = false;                            ///< the trace has GPUs
  std::vector<std::string> idle_capacity = {};  ///< resources with a limit that no job asks for
};

/// The whole trace as one problem, arrivals as earliest starts, slots to the last deadline and some days on, as far as
/// the data reach. Refused: `no-intensity-data` with zone and bounds where the window up to the last deadline has a
/// gap; `unknown-zone` for a zone without any data.
[[nodiscard]] scheduler::Result<TraceProblem> problem_of_trace(const connectors::Trace& trace,
                                                               const TraceSetting& setting, const IntensityBook& book);

}  // namespace valle::service::app
