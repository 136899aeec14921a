// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/model/error.hpp"
#include "scheduler/units/time.hpp"
#include "service/store/database.hpp"

namespace valle::service::store {

/// What names a report: the week as `2026-W48`, in a time zone.
struct ReportKey {
  std::string week;
  std::string time_zone;
};

/// A report that was made: what it takes to make it again, and what it came to.
struct ReportRevision {
  std::int64_t revision = 0;
  scheduler::Instant made_at{};
  std::int64_t ledger = 0;       ///< state of the ledger (`RunRepository::state`)
  std::int64_t fingerprint = 0;  ///< of every number in it
  std::string grid = {};         ///< sites and realised intensity, as JSON
  std::string totals = {};       ///< as JSON
  friend bool operator==(const ReportRevision&, const ReportRevision&) = default;
};

/// Revisions of reports in SQLite (`migrations/0004_ledger.sql`). In the thread of its database.
class ReportRepository final {
 public:
  explicit ReportRepository(Database& database) : database_{database} {}

  /// The newest one, or a given one; nothing if there is none.
  [[nodiscard]] scheduler::Result<std::optional<ReportRevision>> find(const ReportKey& key,
                                                                      std::optional<std::int64_t> revision);
  /// Keeps `made` as the next revision, unless the newest has the same fingerprint. Returns the one that holds now (its
  /// number and instant). Needs a connection that writes.
  [[nodiscard]] scheduler::Result<ReportRevision> keep(const ReportKey& key, ReportRevision made);
  /// The newest revision that the webhook has taken; 0 if none.
  [[nodiscard]] scheduler::Result<std::int64_t> delivered(const ReportKey& key);
  [[nodiscard]] scheduler::Result<void> note_delivered(const ReportKey& key, std::int64_t revision);

 private:
  Database& database_;
};

}  // namespace valle::service::store
