// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/model/problem.hpp"

namespace valle::connectors {

/// One job of a workload trace: what ran, when it was submitted, how long it took and what it held.
struct TraceJob {
  std::string id;
  scheduler::Instant submitted_at;
  scheduler::Duration duration{};
  scheduler::Amount gpus{};
  scheduler::Amount cpus{};
  std::optional<scheduler::Power> power = {};  ///< of the whole job; from power_watts, or energy_kwh and the duration
  std::optional<scheduler::Instant> finish_by = {};
  std::string owner = {};
  friend bool operator==(const TraceJob&, const TraceJob&) = default;
};

struct Trace {
  std::vector<TraceJob> jobs;  ///< in the order of the file
  std::size_t unfinished = 0;  ///< jobs of a cluster listing that have no start and end yet, left out
};

/// Limits on what is read from one trace.
inline constexpr std::size_t k_most_trace_jobs = 200'000;

/// Reads a CSV trace (`job_id`, `arrival_s` counted from `start` or `submitted_at`, `duration_s`, `gpus`, `cpus`,
/// optional `power_watts`, `energy_kwh`, `finish_by`, `owner`; other columns are ignored), or the output of `kubectl
/// get jobs -A -o json`, told apart by its first character. Errors carry `file:line` or a JSON pointer; repeated ids,
/// durations ≤ 0 and values that are no numbers are refused.
[[nodiscard]] scheduler::Result<Trace> read_trace(const std::filesystem::path& file, scheduler::Instant start);

/// The same for a text in memory; `name` stands in error places.
[[nodiscard]] scheduler::Result<Trace> read_trace_text(const std::string& name, std::string_view text,
                                                       scheduler::Instant start);

/// A Kubernetes quantity of a countable resource: `2`, `500m`, `1.5`, `1e3`, `2k`. Rounded up to thousandths.
[[nodiscard]] scheduler::Result<scheduler::Amount> parse_quantity(std::string_view text);

}  // namespace valle::connectors
