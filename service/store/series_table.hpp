// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "service/store/intensity_repository.hpp"

namespace valle::service::store {

/// A row of table `series`: one thing that one source tells of one zone.
struct SeriesSubject {
  std::string source;
  scheduler::Zone zone;
  std::string subject;  ///< intensity, price, demand, wind, solar
  std::string scope = {};
  std::string basis = {};
  std::string method = {};
};
[[nodiscard]] SeriesSubject intensity_subject(const SeriesKey& key);
[[nodiscard]] SeriesSubject price_subject(const std::string& source, const scheduler::Zone& zone);
[[nodiscard]] SeriesSubject grid_subject(const std::string& source, const scheduler::Zone& zone,
                                         scheduler::GridQuantity quantity);

/// Its number, if it is there. All calls of this file run inside a transaction of the caller and throw
/// SQLite::Exception.
[[nodiscard]] std::optional<std::int64_t> find_series(SQLite::Database& connection, const SeriesSubject& subject);
[[nodiscard]] std::int64_t find_or_add_series(SQLite::Database& connection, const SeriesSubject& subject);
/// Intensity series with at least one reading or forecast, ascending.
[[nodiscard]] std::vector<SeriesKey> known_intensity_series(SQLite::Database& connection);

struct NumberedSource {
  std::int64_t series;
  std::string source;
};
/// Price series of a zone, by source.
[[nodiscard]] std::vector<NumberedSource> price_series_of(SQLite::Database& connection, const scheduler::Zone& zone);
[[nodiscard]] std::vector<scheduler::Zone> zones_with_prices(SQLite::Database& connection);

/// Runs a DELETE with ?1 = series, ?2 = before (seconds), ?3 = most rows for one series after the other, until `most`
/// rows are gone in all. Returns how many.
[[nodiscard]] std::size_t delete_from_each_series(SQLite::Database& connection, const char* statement,
                                                  scheduler::Instant before, std::size_t most);

}  // namespace valle::service::store
