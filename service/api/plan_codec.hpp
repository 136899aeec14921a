// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "scheduler/check/check.hpp"
#include "scheduler/solve/solve.hpp"
#include "service/api/json_writer.hpp"
#include "service/api/problem_codec.hpp"

namespace valle::service::api {

/// How a plan came about: the `solver` member.
struct SolverRun {
  std::chrono::milliseconds elapsed{};
  std::size_t threads = 1;
  std::uint64_t seed = 1;
};

/// The members of the contract's plan: placements with their reasons, unplaced, totals, bound and gap, prices of slots,
/// moves against the plan before, solver. Writes one object.
void write_plan(JsonWriter& json, const scheduler::Problem& problem, const scheduler::Solution& solution,
                const SolverRun& run);
[[nodiscard]] std::string write_plan(const scheduler::Problem& problem, const scheduler::Solution& solution,
                                     const SolverRun& run);

/// Reads a plan to be checked. Of a placement `job`, `site`, and `segments` or `start` with `end` are required; numbers
/// that are left out are not claimed. What `write_plan` writes besides is known and skipped.
[[nodiscard]] scheduler::Result<scheduler::ClaimedPlan> read_plan(const Json& document);
[[nodiscard]] scheduler::Result<scheduler::ClaimedPlan> parse_plan(std::string_view text);

/// The verifier's answer: {"violations":[{"kind","detail"}]}.
[[nodiscard]] std::string write_violations(const std::vector<scheduler::Violation>& violations);

}  // namespace valle::service::api
