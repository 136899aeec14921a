// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "service/app/plan_problem.hpp"

namespace valle::service::app {

/// The most entries of `blocked_by`.
inline constexpr std::size_t k_most_blocked = 10;

/// Why a job is where it is, and what else there was.
struct Explanation {
  struct Option {
    std::string site;
    scheduler::Interval interval;
    scheduler::Emissions emissions;
  };
  struct Blocked {
    std::string site;
    scheduler::Instant start;  ///< a start that would emit less than the job's own
    std::string resource;
    std::vector<std::string> jobs;  ///< who holds it
  };
  Job job;
  std::vector<Option> options;      ///< the three best starts that have room, beside all others as they are planned
  std::vector<Blocked> blocked_by;  ///< better starts without room, the best first
  std::optional<scheduler::Duration> data_age;  ///< of the oldest numbers that count
};

/// Explains a waiting job of the snapshot; a job in another state has neither options nor anything that blocks it.
[[nodiscard]] Explanation explain(const PlanningSnapshot& snapshot, const Job& job);

}  // namespace valle::service::app
