// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "service/app/job.hpp"
#include "service/store/job_cache.hpp"

namespace SQLite {
class Database;
}

namespace valle::service::store {

/// Which jobs a list shows: those after `after`, in the order of submission.
struct JobFilter {
  std::vector<app::JobState> states = {};  ///< empty: all
  std::optional<std::string> owner = {};
  std::optional<std::string> object = {};  ///< `namespace/name` of a cluster's object
  std::int64_t after = 0;                  ///< sequence of the last job of the page before
  std::size_t limit = 100;
};

// Single statements on table `job`, inside a transaction of the caller.

/// Gives the job its sequence; an id that is taken is `conflict`. An empty id becomes `job-<sequence>`.
[[nodiscard]] scheduler::Result<app::Job> insert_job(SQLite::Database& connection, app::Job job);
[[nodiscard]] scheduler::Result<std::optional<app::Job>> find_job(SQLite::Database& connection, const std::string& id);
/// Writes what can change; the row must exist.
void update_job(SQLite::Database& connection, const app::Job& job);
/// The same, parsing only rows that the cache does not have in their present version.
[[nodiscard]] scheduler::Result<std::vector<JobCache::JobPtr>> list_jobs(SQLite::Database& connection,
                                                                         const JobFilter& filter, JobCache& cache);
[[nodiscard]] scheduler::Result<std::vector<app::Job>> list_jobs(SQLite::Database& connection, const JobFilter& filter);

}  // namespace valle::service::store
