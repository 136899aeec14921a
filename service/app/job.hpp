// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/model/problem.hpp"

namespace valle::service::app {

/// waiting → released → running → finished or failed; cancelled from any of the first three.
enum class JobState { waiting, released, running, finished, failed, cancelled };
inline constexpr std::array k_job_states{JobState::waiting,  JobState::released, JobState::running,
                                         JobState::finished, JobState::failed,   JobState::cancelled};
[[nodiscard]] std::string_view to_text(JobState state);
[[nodiscard]] std::optional<JobState> job_state_from_text(std::string_view text);
/// waiting, released and running: the planner still counts with it.
[[nodiscard]] bool is_active(JobState state);

/// A job as its owner described it; what was left out is missing. Kept beside the job, so that a later change of one
/// member is read by the same rules as the whole.
struct JobRequest {
  struct FixedAt {
    std::string site;
    scheduler::Instant start;
    friend bool operator==(const FixedAt&, const FixedAt&) = default;
  };
  std::optional<std::string> owner = {};
  std::optional<scheduler::Instant> earliest_start = {};
  // At most one of the three; default the configured longest wait.
  std::optional<scheduler::Instant> finish_by = {};
  std::optional<scheduler::Instant> latest_start = {};
  std::optional<scheduler::Duration> max_wait = {};
  std::optional<scheduler::Duration> duration = {};
  // At most one of the two; default 1 kWh in all.
  std::optional<scheduler::Power> power = {};
  std::optional<scheduler::Energy> energy = {};
  std::optional<std::vector<scheduler::Mode>> modes = {};  ///< beside or instead of duration and power
  std::optional<std::vector<scheduler::ResourceDemand>> demand = {};
  std::optional<std::vector<std::string>> sites = {};  ///< default all
  std::optional<std::string> home_site = {};           ///< default the first of `sites`
  std::optional<int> priority = {};
  std::optional<scheduler::Interruption> interruption = {};
  std::optional<FixedAt> fixed = {};
  std::optional<std::string> group = {};
  std::optional<double> transfer_gb = {};
  friend bool operator==(const JobRequest&, const JobRequest&) = default;
};

/// `request` with every member that `change` has; one window member replaces the others, power replaces energy.
[[nodiscard]] JobRequest merged(JobRequest request, const JobRequest& change);

/// Where and when a job is planned to run.
struct JobSlot {
  std::string site;
  scheduler::Zone zone;
  std::vector<scheduler::Interval> segments;  ///< at least one
  std::string mode = {};
  bool by_plan = true;  ///< false: sent off at its earliest or latest start, and never moved
  // Nothing where the job is released without a plan.
  std::optional<scheduler::Energy> energy = {};
  std::optional<scheduler::Energy> facility_energy = {};
  std::optional<scheduler::Emissions> emissions = {};
  [[nodiscard]] scheduler::Instant start() const { return segments.front().begin; }
  [[nodiscard]] scheduler::Instant end() const { return segments.back().end; }
  friend bool operator==(const JobSlot&, const JobSlot&) = default;
};

/// The object of a cluster that a job is the plan of; the job's id is the object's uid then.
struct ClusterObject {
  std::string kind;  ///< `Job`, `VolcanoJob`, `JobSet`
  std::string space;
  std::string name;
  scheduler::Instant
      start_by{};  ///< as promised to its owner; the job's own is earlier by the time that admission takes
  friend bool operator==(const ClusterObject&, const ClusterObject&) = default;
};

/// One job as it stands: of a caller of the REST interface, or of a cluster.
struct Job {
  std::int64_t sequence = 0;  ///< order of submission
  std::string id;
  JobState state = JobState::waiting;
  JobRequest request;
  scheduler::Instant submitted_at{};
  scheduler::Instant earliest_start{};
  scheduler::Instant finish_by{};
  scheduler::Instant start_by{};  ///< released by then, whatever the plan says
  std::optional<JobSlot> slot = {};
  std::string reason = {};  ///< why it is where it is, in one sentence
  std::optional<std::string> warning = {};
  std::optional<scheduler::Instant> released_at = {};
  std::optional<scheduler::Instant> started_at = {};
  std::optional<scheduler::Instant> finished_at = {};
  std::optional<scheduler::Energy> energy = {};  ///< measured, as reported at the end
  std::optional<ClusterObject> object = {};
  std::int64_t version = 0;  ///< rises with each change of the job
  friend bool operator==(const Job&, const Job&) = default;
};

}  // namespace valle::service::app
