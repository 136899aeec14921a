// SPDX-License-Identifier: Apache-2.0
#include "service/store/job_repository.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>
#include <utility>

namespace valle::service::store {
namespace {

using app::Job;
using app::JobState;
using scheduler::Duration;
using scheduler::Errc;
using scheduler::Instant;
using scheduler::refuse;
using scheduler::Result;

const JobFilter k_active{.states = {JobState::waiting, JobState::released, JobState::running},
                         .limit = k_most_active_jobs};

std::int64_t seconds(Instant instant) { return instant.time_since_epoch().count(); }

std::int64_t single_number(SQLite::Database& connection, const char* sql) {
  return connection.execAndGet(sql).getInt64();
}

std::int64_t revision_of(SQLite::Database& connection) {
  return single_number(connection, "SELECT revision FROM planning_revision");
}

/// An unfinished plan must not be committed over what has just changed.
void outdate_plans(SQLite::Database& connection) {
  connection.exec("UPDATE planning_revision SET revision = revision + 1");
}

Result<Job> require_job(SQLite::Database& connection, const std::string& id) {
  auto job = find_job(connection, id);
  if (!job) return tl::unexpected{std::move(job.error())};
  if (!*job) return refuse(Errc::not_found, "there is no job " + id);
  return **std::move(job);
}

/// The submission under a known key, nothing if the key is new.
Result<std::optional<Submission>> earlier(SQLite::Database& connection, const Idempotency& idempotency) {
  SQLite::Statement query{connection, "SELECT body, job, answer FROM idempotency_key WHERE key = ?"};
  query.bind(1, idempotency.key);
  if (!query.executeStep()) return std::optional<Submission>{};
  if (query.getColumn(0).getString() != idempotency.body) {
    return refuse(Errc::conflict, "this Idempotency-Key was used with another body");
  }
  auto job = require_job(connection, query.getColumn(1).getString());
  if (!job) return tl::unexpected{std::move(job.error())};
  Submission submission{*std::move(job), true};
  if (!query.isColumnNull(2)) submission.answer = query.getColumn(2).getString();
  return std::optional{std::move(submission)};
}

void remember_key(SQLite::Database& connection, const Idempotency& idempotency, const Job& job) {
  SQLite::Statement forget{connection, "DELETE FROM idempotency_key WHERE made_at < ?"};
  forget.bind(1, seconds(job.submitted_at - k_keep_keys));
  forget.exec();
  SQLite::Statement insert{connection, "INSERT INTO idempotency_key (key, body, job, made_at) VALUES (?, ?, ?, ?)"};
  insert.bind(1, idempotency.key);
  insert.bind(2, idempotency.body);
  insert.bind(3, job.id);
  insert.bind(4, seconds(job.submitted_at));
  insert.exec();
}

JobChange write_change(SQLite::Database& connection, Job before, Job after) {
  after.version = before.version + 1;
  update_job(connection, after);
  return {std::move(before), std::move(after)};
}

std::int64_t active_jobs(SQLite::Database& connection) {
  return single_number(connection, "SELECT count(*) FROM job WHERE state IN ('waiting', 'released', 'running')");
}

void store_plan(SQLite::Database& connection, const std::string& document, Instant made_at) {
  SQLite::Statement insert{connection,
                           "INSERT INTO plan (revision, made_at, document) "
                           "SELECT coalesce(max(revision), 0) + 1, ?, ? FROM plan"};
  insert.bind(1, seconds(made_at));
  insert.bind(2, document);
  insert.exec();
  SQLite::Statement forget{connection, "DELETE FROM plan WHERE revision <= (SELECT max(revision) FROM plan) - ?"};
  forget.bind(1, k_keep_plans);
  forget.exec();
}

}  // namespace

Result<Submission> JobRepository::submit(const Job& job, const std::optional<Idempotency>& idempotency) {
  return database_.write([&](SQLite::Database& connection) -> Result<Submission> {
    if (idempotency) {
      auto known = earlier(connection, *idempotency);
      if (!known) return tl::unexpected{std::move(known.error())};
      if (*known) return **std::move(known);
    }
    const auto active = active_jobs(connection);
    if (active >= static_cast<std::int64_t>(k_most_active_jobs)) {
      return refuse(Errc::rate_limited, "there are " + std::to_string(active) + " jobs already that have not ended", "",
                    {{"retryAfterSeconds", "60"}});
    }
    auto stored = insert_job(connection, job);
    if (!stored) return tl::unexpected{std::move(stored.error())};
    if (idempotency) remember_key(connection, *idempotency, *stored);
    return Submission{*std::move(stored)};
  });
}

Result<void> JobRepository::remember_answer(const std::string& key, const std::string& answer) {
  return database_.write([&](SQLite::Database& connection) -> Result<void> {
    SQLite::Statement update{connection, "UPDATE idempotency_key SET answer = ? WHERE key = ? AND answer IS NULL"};
    update.bind(1, answer);
    update.bind(2, key);
    update.exec();
    return {};
  });
}

Result<JobChange> JobRepository::change(const std::string& id, const std::function<Result<Job>(Job)>& step) {
  return database_.write([&](SQLite::Database& connection) -> Result<JobChange> {
    auto before = require_job(connection, id);
    if (!before) return tl::unexpected{std::move(before.error())};
    auto after = step(*before);
    if (!after) return tl::unexpected{std::move(after.error())};
    if (*after == *before) return JobChange{*before, *before};
    outdate_plans(connection);
    return write_change(connection, *std::move(before), *std::move(after));
  });
}

Result<Upserts> JobRepository::upsert(std::span<const std::string> ids,
                                      const std::function<std::optional<Job>(const std::string&, const Job*)>& step) {
  return database_.write([&](SQLite::Database& connection) -> Result<Upserts> {
    Upserts done;
    auto room = static_cast<std::int64_t>(k_most_active_jobs) - active_jobs(connection);
    for (const auto& id : ids) {
      auto stored = find_job(connection, id);
      if (!stored) return tl::unexpected{std::move(stored.error())};
      auto after = step(id, *stored ? &**stored : nullptr);
      if (!after || after == *stored) continue;
      if (*stored) {
        done.changed.push_back(write_change(connection, **std::move(stored), *std::move(after)));
      } else if (room-- > 0) {
        auto added = insert_job(connection, *std::move(after));
        if (!added) return tl::unexpected{std::move(added.error())};
        done.added.push_back(*std::move(added));
      }
    }
    // New jobs are planned next; they take nothing from a plan that is being made.
    if (!done.changed.empty()) outdate_plans(connection);
    return done;
  });
}

Result<Job> JobRepository::find(const std::string& id) {
  return database_.read([&](SQLite::Database& connection) { return require_job(connection, id); });
}

Result<std::vector<Job>> JobRepository::list(const JobFilter& filter) {
  return database_.read([&](SQLite::Database& connection) { return list_jobs(connection, filter); });
}

Result<JobCounts> JobRepository::counts() {
  return database_.read([&](SQLite::Database& connection) -> Result<JobCounts> {
    JobCounts counts{};
    SQLite::Statement query{connection, "SELECT state, count(*) FROM job GROUP BY state"};
    while (query.executeStep()) {
      if (const auto state = app::job_state_from_text(query.getColumn(0).getString())) {
        counts[static_cast<std::size_t>(*state)] = query.getColumn(1).getInt64();
      }
    }
    return counts;
  });
}

Result<ActiveJobs> JobRepository::active(JobCache& cache) {
  return database_.read([&](SQLite::Database& connection) -> Result<ActiveJobs> {
    auto jobs = list_jobs(connection, k_active, cache);
    if (!jobs) return tl::unexpected{std::move(jobs.error())};
    cache.keep(*jobs);
    ActiveJobs active{revision_of(connection), {}};
    active.jobs.reserve(jobs->size());
    for (const auto& job : *jobs) active.jobs.push_back(*job);
    return active;
  });
}

Result<ActiveJobs> JobRepository::active() {
  return database_.read([&](SQLite::Database& connection) -> Result<ActiveJobs> {
    auto jobs = list_jobs(connection, k_active);
    if (!jobs) return tl::unexpected{std::move(jobs.error())};
    return ActiveJobs{revision_of(connection), *std::move(jobs)};
  });
}

Result<std::vector<JobChange>> JobRepository::commit(const PlanCommit& commit) {
  return database_.write([&](SQLite::Database& connection) -> Result<std::vector<JobChange>> {
    if (revision_of(connection) != commit.revision) {
      return refuse(Errc::conflict, "jobs have changed while the plan was made");
    }
    std::vector<JobChange> changes;
    for (const auto& job : commit.changed) {
      auto before = require_job(connection, job.id);
      if (!before) return tl::unexpected{std::move(before.error())};
      changes.push_back(write_change(connection, *std::move(before), job));
    }
    if (commit.document) store_plan(connection, *commit.document, commit.made_at);
    return changes;
  });
}

Result<std::vector<JobChange>> JobRepository::release(const std::function<std::optional<Job>(const Job&)>& step,
                                                      JobCache& cache) {
  return database_.write([&](SQLite::Database& connection) -> Result<std::vector<JobChange>> {
    auto waiting = list_jobs(connection, {.states = {JobState::waiting}, .limit = k_most_active_jobs}, cache);
    if (!waiting) return tl::unexpected{std::move(waiting.error())};
    std::vector<JobChange> changes;
    for (const auto& job : *waiting) {
      if (auto after = step(*job)) changes.push_back(write_change(connection, *job, *std::move(after)));
    }
    if (!changes.empty()) outdate_plans(connection);
    return changes;
  });
}

Result<std::optional<StoredPlan>> JobRepository::plan() {
  return database_.read([&](SQLite::Database& connection) -> Result<std::optional<StoredPlan>> {
    SQLite::Statement query{connection, "SELECT revision, made_at, document FROM plan ORDER BY revision DESC LIMIT 1"};
    if (!query.executeStep()) return std::optional<StoredPlan>{};
    return std::optional{StoredPlan{query.getColumn(0).getInt64(), Instant{Duration{query.getColumn(1).getInt64()}},
                                    query.getColumn(2).getString()}};
  });
}

}  // namespace valle::service::store
