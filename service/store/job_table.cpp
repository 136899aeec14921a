// SPDX-License-Identifier: Apache-2.0
#include "service/store/job_table.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <utility>

#include "scheduler/units/require.hpp"
#include "service/store/job_document.hpp"

namespace valle::service::store {
namespace {

using app::Job;
using scheduler::Duration;
using scheduler::Errc;
using scheduler::Instant;
using scheduler::Result;

constexpr const char* k_columns =
    "sequence, id, state, request, submitted_at, earliest_start, finish_by, start_by, slot, reason, warning, "
    "released_at, started_at, finished_at, energy, version, object_kind, object_name, promised_start_by";

std::int64_t seconds(Instant instant) { return instant.time_since_epoch().count(); }

void bind_optional(SQLite::Statement& statement, const char* name, const std::optional<std::string>& text) {
  text ? statement.bind(name, *text) : statement.bind(name);
}
void bind_optional(SQLite::Statement& statement, const char* name, const std::optional<Instant>& instant) {
  instant ? statement.bind(name, seconds(*instant)) : statement.bind(name);
}

/// The columns that change in a job's life.
void bind_changing(SQLite::Statement& statement, const Job& job) {
  statement.bind(":owner", job.request.owner.value_or(""));
  statement.bind(":state", std::string{to_text(job.state)});
  statement.bind(":request", request_document(job.request));
  statement.bind(":earliest_start", seconds(job.earliest_start));
  statement.bind(":finish_by", seconds(job.finish_by));
  statement.bind(":start_by", seconds(job.start_by));
  bind_optional(statement, ":slot", job.slot ? std::optional{slot_document(*job.slot)} : std::nullopt);
  statement.bind(":reason", job.reason);
  bind_optional(statement, ":warning", job.warning);
  bind_optional(statement, ":released_at", job.released_at);
  bind_optional(statement, ":started_at", job.started_at);
  bind_optional(statement, ":finished_at", job.finished_at);
  job.energy ? statement.bind(":energy", job.energy->base()) : statement.bind(":energy");
  statement.bind(":version", job.version);
  bind_optional(statement, ":promised_start_by", job.object ? std::optional{job.object->start_by} : std::nullopt);
}

std::string object_name(const app::ClusterObject& object) { return object.space + "/" + object.name; }

Instant instant_at(SQLite::Statement& row, int column) { return Instant{Duration{row.getColumn(column).getInt64()}}; }

std::optional<Instant> optional_instant_at(SQLite::Statement& row, int column) {
  return row.isColumnNull(column) ? std::nullopt : std::optional{instant_at(row, column)};
}

Result<Job> job_of(SQLite::Statement& row) {
  const auto state = app::job_state_from_text(row.getColumn(2).getString());
  if (!state) return scheduler::refuse(Errc::storage_failed, "a stored job has a state that is not known");
  auto request = request_from_document(row.getColumn(3).getString());
  if (!request) return tl::unexpected{std::move(request.error())};
  Job job{.sequence = row.getColumn(0).getInt64(),
          .id = row.getColumn(1).getString(),
          .state = *state,
          .request = *std::move(request),
          .submitted_at = instant_at(row, 4),
          .earliest_start = instant_at(row, 5),
          .finish_by = instant_at(row, 6),
          .start_by = instant_at(row, 7),
          .reason = row.getColumn(9).getString(),
          .released_at = optional_instant_at(row, 11),
          .started_at = optional_instant_at(row, 12),
          .finished_at = optional_instant_at(row, 13),
          .version = row.getColumn(15).getInt64()};
  if (!row.isColumnNull(8)) {
    auto slot = slot_from_document(row.getColumn(8).getString());
    if (!slot) return tl::unexpected{std::move(slot.error())};
    job.slot = *std::move(slot);
  }
  if (!row.isColumnNull(10)) job.warning = row.getColumn(10).getString();
  if (!row.isColumnNull(14)) job.energy = scheduler::Energy::of_base(row.getColumn(14).getInt64());
  if (!row.isColumnNull(16)) {
    const std::string name = row.getColumn(17).getString();
    const auto slash = name.find('/');
    job.object = app::ClusterObject{.kind = row.getColumn(16).getString(),
                                    .space = name.substr(0, slash),
                                    .name = name.substr(slash + 1),
                                    .start_by = instant_at(row, 18)};
  }
  return job;
}

bool exists(SQLite::Database& connection, const std::string& id) {
  SQLite::Statement query{connection, "SELECT 1 FROM job WHERE id = ?"};
  query.bind(1, id);
  return query.executeStep();
}

std::int64_t next_sequence(SQLite::Database& connection) {
  SQLite::Statement query{connection, "SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence WHERE name = 'job'"};
  query.executeStep();
  return query.getColumn(0).getInt64();
}

}  // namespace

Result<Job> insert_job(SQLite::Database& connection, Job job) {
  job.sequence = next_sequence(connection);
  const bool named = !job.id.empty();
  if (!named) job.id = "job-" + std::to_string(job.sequence);
  // A caller may have taken a name of ours; a longer one is free.
  while (!named && exists(connection, job.id)) job.id += "-" + std::to_string(job.sequence);
  if (named && exists(connection, job.id)) {
    return scheduler::refuse(Errc::conflict, "there is a job " + job.id + " already", "/id");
  }
  job.version = 1;
  SQLite::Statement insert{
      connection,
      "INSERT INTO job (sequence, id, owner, state, request, submitted_at, earliest_start, finish_by, start_by, slot, "
      "reason, warning, released_at, started_at, finished_at, energy, version, object_kind, object_name, "
      "promised_start_by) VALUES (:sequence, :id, :owner, :state, "
      ":request, :submitted_at, :earliest_start, :finish_by, :start_by, :slot, :reason, :warning, :released_at, "
      ":started_at, :finished_at, :energy, :version, :object_kind, :object_name, :promised_start_by)"};
  insert.bind(":sequence", job.sequence);
  insert.bind(":id", job.id);
  insert.bind(":submitted_at", seconds(job.submitted_at));
  bind_optional(insert, ":object_kind", job.object ? std::optional{job.object->kind} : std::nullopt);
  bind_optional(insert, ":object_name", job.object ? std::optional{object_name(*job.object)} : std::nullopt);
  bind_changing(insert, job);
  insert.exec();
  return job;
}

Result<std::optional<Job>> find_job(SQLite::Database& connection, const std::string& id) {
  SQLite::Statement query{connection, std::string{"SELECT "} + k_columns + " FROM job WHERE id = ?"};
  query.bind(1, id);
  if (!query.executeStep()) return std::optional<Job>{};
  return job_of(query).map([](Job job) { return std::optional{std::move(job)}; });
}

void update_job(SQLite::Database& connection, const Job& job) {
  SQLite::Statement update{
      connection,
      "UPDATE job SET owner = :owner, state = :state, request = :request, earliest_start = :earliest_start, "
      "finish_by = :finish_by, start_by = :start_by, slot = :slot, reason = :reason, warning = :warning, "
      "released_at = :released_at, started_at = :started_at, finished_at = :finished_at, energy = :energy, "
      "version = :version, promised_start_by = :promised_start_by WHERE sequence = :sequence"};
  update.bind(":sequence", job.sequence);
  bind_changing(update, job);
  scheduler::require(update.exec() == 1, "a job that is changed exists");
}

namespace {

/// `columns` of the rows that the filter shows.
SQLite::Statement filtered(SQLite::Database& connection, const JobFilter& filter, const std::string& columns) {
  std::string where = "sequence > :after";
  if (filter.owner) where += " AND owner = :owner";
  if (filter.object) where += " AND object_name = :object";
  for (std::size_t i = 0; i < filter.states.size(); ++i) {
    where += (i == 0 ? " AND state IN ('" : ", '") + std::string{to_text(filter.states[i])} + "'";
  }
  if (!filter.states.empty()) where += ")";
  SQLite::Statement query{connection,
                          "SELECT " + columns + " FROM job WHERE " + where + " ORDER BY sequence LIMIT :limit"};
  query.bind(":after", filter.after);
  query.bind(":limit", static_cast<std::int64_t>(filter.limit));
  if (filter.owner) query.bind(":owner", *filter.owner);
  if (filter.object) query.bind(":object", *filter.object);
  return query;
}

}  // namespace

Result<std::vector<Job>> list_jobs(SQLite::Database& connection, const JobFilter& filter) {
  auto query = filtered(connection, filter, k_columns);
  std::vector<Job> jobs;
  while (query.executeStep()) {
    auto job = job_of(query);
    if (!job) return tl::unexpected{std::move(job.error())};
    jobs.push_back(*std::move(job));
  }
  return jobs;
}

Result<std::vector<JobCache::JobPtr>> list_jobs(SQLite::Database& connection, const JobFilter& filter,
                                                JobCache& cache) {
  auto query = filtered(connection, filter, "sequence, version");
  SQLite::Statement row{connection, std::string{"SELECT "} + k_columns + " FROM job WHERE sequence = ?"};
  std::vector<JobCache::JobPtr> jobs;
  while (query.executeStep()) {
    const std::int64_t sequence = query.getColumn(0).getInt64();
    auto known = cache.find(sequence, query.getColumn(1).getInt64());
    if (!known) {
      row.reset();
      row.bind(1, sequence);
      scheduler::require(row.executeStep(), "a job that was listed exists");
      auto job = job_of(row);
      if (!job) return tl::unexpected{std::move(job.error())};
      known = std::make_shared<const Job>(*std::move(job));
      cache.put(known);
    }
    jobs.push_back(std::move(known));
  }
  return jobs;
}

}  // namespace valle::service::store
