// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/units/time.hpp"
#include "scheduler/units/units.hpp"

namespace SQLite {
class Database;
}

namespace valle::service::store {

/// The source of own forecasts, where providers' have their name.
inline constexpr const char* k_own_source = "valle";

/// Eight of ten values are expected between `low` and `high` times the mean.
struct ForecastBand {
  scheduler::Interval interval;
  scheduler::Ratio low = scheduler::k_one;
  scheduler::Ratio high = scheduler::k_one;
  friend bool operator==(const ForecastBand&, const ForecastBand&) = default;
};

/// What an own forecast rests on, beside its steps.
struct ForecastGround {
  std::string grade;                    ///< good, fair or poor
  std::string reason;                   ///< one sentence
  std::string model;                    ///< which version of which model made it
  std::vector<ForecastBand> band = {};  ///< ascending, without gaps
  bool leads = false;                   ///< proven better than the providers': counts before theirs
  friend bool operator==(const ForecastGround&, const ForecastGround&) = default;
};

/// Stores what the issue at `issued_at`, which is there already, rests on; replaces what was said of it before. All
/// calls of this file run inside a transaction of the caller and throw SQLite::Exception, also for a damaged block.
void store_ground(SQLite::Database& connection, std::int64_t series, scheduler::Instant issued_at,
                  const ForecastGround& ground);
[[nodiscard]] std::optional<ForecastGround> read_ground(SQLite::Database& connection, std::int64_t series,
                                                        scheduler::Instant issued_at);

/// Deletes grounds that no forecast rests on any more.
void prune_grounds(SQLite::Database& connection);

}  // namespace valle::service::store
