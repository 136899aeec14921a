// SPDX-License-Identifier: Apache-2.0
#include "service/store/run_repository.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <utility>

#include "service/store/fast_query.hpp"

namespace valle::service::store {
namespace {

using scheduler::Errc;
using scheduler::Instant;
using scheduler::Interval;
using scheduler::PodOfRun;
using scheduler::Result;
using scheduler::Run;

std::int64_t seconds(Instant instant) { return instant.time_since_epoch().count(); }

/// `posted` as it would stand had it been posted when `stored` was.
bool same_content(Run posted, const Run& stored) {
  posted.home_pue = stored.home_pue;
  if (posted.attempts.size() != stored.attempts.size()) return false;
  for (std::size_t i = 0; i < posted.attempts.size(); ++i) posted.attempts[i].pue = stored.attempts[i].pue;
  return posted == stored;
}

Result<std::vector<Run>> collect(SQLite::Database& connection, const std::string& where,
                                 std::initializer_list<std::int64_t> bounds) {
  std::vector<Run> runs;
  const auto read = each_run(connection, where, bounds, [&runs](RunRow& row) {
    runs.push_back(std::exchange(row.run, {}));
    return true;
  });
  if (!read) return tl::unexpected{read.error()};
  return runs;
}

}  // namespace

Result<std::vector<std::string>> RunRepository::change(std::span<const std::string> ids,
                                                       const scheduler::RunChange& step) {
  return database_.write([&](SQLite::Database& connection) -> Result<std::vector<std::string>> {
    std::vector<std::string> changed;
    RunFinder find{connection};
    RunInserter insert{connection};
    for (const auto& id : ids) {
      auto stored = find(id);
      if (!stored) return tl::unexpected{std::move(stored.error())};
      const auto after = step(id, *stored ? &(*stored)->run : nullptr);
      if (!after || (*stored && *after == (*stored)->run)) continue;
      if (*stored) {
        replace_run(connection, **stored, *after);
      } else {
        insert(*after);
      }
      changed.push_back(id);
    }
    return changed;
  });
}

Result<std::optional<Run>> RunRepository::find(const std::string& id) {
  return database_.read([&](SQLite::Database& connection) -> Result<std::optional<Run>> {
    auto found = RunFinder{connection}(id);
    if (!found) return tl::unexpected{std::move(found.error())};
    return *found ? std::optional{std::move((*found)->run)} : std::nullopt;
  });
}

Result<std::vector<Run>> RunRepository::running(std::size_t limit) {
  return database_.read([&](SQLite::Database& connection) {
    return collect(connection, "finished_at IS NULL AND started_at IS NOT NULL ORDER BY sequence LIMIT ?1",
                   {static_cast<std::int64_t>(limit)});
  });
}

Result<std::vector<Run>> RunRepository::finished(Interval when, std::size_t limit) {
  return database_.read([&](SQLite::Database& connection) {
    return collect(connection,
                   "finished_at >= ?1 AND finished_at < ?2 AND started_at IS NOT NULL AND replaced_by IS NULL ORDER BY "
                   "finished_at DESC, sequence DESC LIMIT ?3",
                   {seconds(when.begin), seconds(when.end), static_cast<std::int64_t>(limit)});
  });
}

Result<std::vector<PodOfRun>> RunRepository::pods(Interval window) {
  return database_.read([&](SQLite::Database& connection) -> Result<std::vector<PodOfRun>> {
    std::vector<PodOfRun> pods;
    const auto take = [&](RunRow& row) {
      for (auto& attempt : row.run.attempts) {
        const bool running = attempt.outcome == scheduler::AttemptOutcome::running;
        for (auto& pod : attempt.pods) {
          const bool ends_before = !running && pod.ran.end <= window.begin;
          if (pod.ran.begin < window.end && !ends_before) pods.push_back(std::move(pod));
        }
      }
      return true;
    };
    // Two looks, as each has an index of its own; a run is found by one of them at most.
    const auto over =
        each_run(connection, "finished_at > ?1 AND started_at < ?2 AND document IS NOT NULL AND replaced_by IS NULL",
                 {seconds(window.begin), seconds(window.end)}, take);
    if (!over) return tl::unexpected{over.error()};
    const auto running = each_run(connection, "finished_at IS NULL AND document IS NOT NULL", {}, take);
    if (!running) return tl::unexpected{running.error()};
    return pods;
  });
}

Result<PostedRuns> RunRepository::post(std::span<const Run> runs, OnConflict on_conflict) {
  return database_.write([&](SQLite::Database& connection) -> Result<PostedRuns> {
    PostedRuns done;
    RunFinder find{connection};
    RunInserter insert{connection};
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const auto stored = find(runs[i].id);
      if (!stored) return tl::unexpected{stored.error()};
      if (!*stored) {
        insert(runs[i]);
        ++done.added;
      } else if (same_content(runs[i], (*stored)->run)) {
        ++done.unchanged;
      } else if (on_conflict == OnConflict::leave_out) {
        done.conflicts.push_back(i);
      } else {
        return scheduler::refuse(Errc::conflict, "a run " + runs[i].id + " is there already, with another content",
                                 "/" + std::to_string(i) + "/id");
      }
    }
    return done;
  });
}

Result<std::vector<std::string>> RunRepository::unrecorded_jobs() {
  return database_.read([](SQLite::Database& connection) -> Result<std::vector<std::string>> {
    FastQuery query{
        connection,
        "SELECT id FROM job WHERE started_at IS NOT NULL AND finished_at IS NOT NULL AND NOT EXISTS (SELECT "
        "1 FROM run WHERE run.id = job.id AND replaced_by IS NULL AND run.finished_at IS NOT NULL) LIMIT "
        "100000"};
    std::vector<std::string> ids;
    while (query.step()) ids.push_back(query.text(0));
    return ids;
  });
}

Result<std::int64_t> RunRepository::state() {
  return database_.read([](SQLite::Database& connection) -> Result<std::int64_t> {
    FastQuery query{connection, "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'run'"};
    return query.step() ? query.integer(0) : 0;
  });
}

Result<void> RunRepository::each_finished(Interval when, std::int64_t state, const TakeRun& take) {
  return database_.read([&](SQLite::Database& connection) {
    return each_run(connection,
                    "finished_at >= ?1 AND finished_at < ?2 AND started_at IS NOT NULL AND sequence <= ?3 AND "
                    "(replaced_by IS NULL OR replaced_by > ?3) ORDER BY finished_at, sequence",
                    {seconds(when.begin), seconds(when.end), state}, take);
  });
}

}  // namespace valle::service::store
