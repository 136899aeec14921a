// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "service/app/job.hpp"
#include "service/store/database.hpp"
#include "service/store/job_table.hpp"

namespace valle::service::store {

/// The most jobs that wait, are released or run at one time; more are refused (`rate_limited`).
inline constexpr std::size_t k_most_active_jobs = 100'000;
/// How long an idempotency key is remembered.
inline constexpr scheduler::Duration k_keep_keys = std::chrono::days{7};
/// How many plans are kept.
inline constexpr std::int64_t k_keep_plans = 2'000;

/// A request that may be repeated: `key` as the caller named it, `body` in a canonical form.
struct Idempotency {
  std::string key;
  std::string body;
};

struct Submission {
  app::Job job;
  bool repeated = false;                   ///< the key was known with the same body; nothing was stored
  std::optional<std::string> answer = {};  ///< what was answered then, if it was
};

/// A change of one job: as it was and as it is.
struct JobChange {
  app::Job before;
  app::Job after;
};

/// What a change of several jobs did.
struct Upserts {
  std::vector<app::Job> added;
  std::vector<JobChange> changed;
};

/// What a plan cycle starts from.
struct ActiveJobs {
  std::int64_t revision = 0;   ///< of the snapshot
  std::vector<app::Job> jobs;  ///< waiting, released and running, in order of submission
};

/// What a plan cycle puts into force.
struct PlanCommit {
  std::int64_t revision = 0;                 ///< of the snapshot that it was made from
  std::vector<app::Job> changed;             ///< jobs with a new slot, reason, warning or state
  std::optional<std::string> document = {};  ///< the plan as JSON, if it differs from the one in force
  scheduler::Instant made_at{};
};

struct StoredPlan {
  std::int64_t revision = 0;
  scheduler::Instant made_at{};
  std::string document;
};

/// How many jobs are in each state, in the order of `app::k_job_states`.
using JobCounts = std::array<std::int64_t, app::k_job_states.size()>;

/// Jobs and plans in SQLite (`migrations/0002_jobs.sql`). Used in the thread of its database; what writes is one
/// transaction each.
class JobRepository final {
 public:
  explicit JobRepository(Database& database) : database_{database} {}

  /// Stores a new job, or finds that the key was used: with the same body `repeated`, with another one `conflict`.
  [[nodiscard]] scheduler::Result<Submission> submit(const app::Job& job,
                                                     const std::optional<Idempotency>& idempotency);
  /// Remembers what was answered under a key, the first time.
  [[nodiscard]] scheduler::Result<void> remember_answer(const std::string& key, const std::string& answer);
  /// Applies a step to a job: `not_found`, or the step's own refusal. A step that changes nothing writes nothing.
  [[nodiscard]] scheduler::Result<JobChange> change(const std::string& id,
                                                    const std::function<scheduler::Result<app::Job>(app::Job)>& step);
  /// Brings several jobs to what is known of them, in one transaction: `step` gets each id with the stored job, or
  /// nullptr, and returns what is to be stored; nothing, or the job unchanged, leaves it as it is. Jobs beyond
  /// `k_most_active_jobs` are not added.
  [[nodiscard]] scheduler::Result<Upserts> upsert(
      std::span<const std::string> ids,
      const std::function<std::optional<app::Job>(const std::string& id, const app::Job* stored)>& step);
  [[nodiscard]] scheduler::Result<app::Job> find(const std::string& id);
  [[nodiscard]] scheduler::Result<std::vector<app::Job>> list(const JobFilter& filter);
  [[nodiscard]] scheduler::Result<JobCounts> counts();

  [[nodiscard]] scheduler::Result<ActiveJobs> active();
  /// The same, parsing only what has changed since the cache was used last.
  [[nodiscard]] scheduler::Result<ActiveJobs> active(JobCache& cache);
  /// All or nothing: `conflict` if a job has changed since the snapshot. Returns the changes that were made.
  [[nodiscard]] scheduler::Result<std::vector<JobChange>> commit(const PlanCommit& commit);
  /// Releases waiting jobs by `step`, which leaves a job alone by returning nothing. Returns the changes made.
  [[nodiscard]] scheduler::Result<std::vector<JobChange>> release(
      const std::function<std::optional<app::Job>(const app::Job&)>& step, JobCache& cache);
  /// The plan in force; nothing before the first one.
  [[nodiscard]] scheduler::Result<std::optional<StoredPlan>> plan();

 private:
  Database& database_;
};

}  // namespace valle::service::store
