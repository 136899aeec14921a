// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/model/reading.hpp"
#include "scheduler/series/intensity_series.hpp"
#include "service/store/database.hpp"
#include "service/store/own_forecast_table.hpp"

namespace valle::service::store {

/// One source's numbers of one identity.
struct SeriesKey {
  std::string source;
  scheduler::SeriesIdentity identity;
  friend auto operator<=>(const SeriesKey&, const SeriesKey&) = default;
};

/// What became of the rows of one kind.
struct RowCounts {
  std::size_t added = 0;      ///< a start that was not known
  std::size_t revised = 0;    ///< another content than before
  std::size_t unchanged = 0;  ///< the content that was there
  std::size_t outdated = 0;   ///< an older revision than the one that was there; dropped
  RowCounts& operator+=(const RowCounts& other);
  friend bool operator==(const RowCounts&, const RowCounts&) = default;
};

/// Which series a harvest touched: what a snapshot must read again.
struct SeriesChange {
  SeriesKey key;
  scheduler::Interval measured;  ///< covers every measured row that was added or revised; empty if none was
  bool forecast = false;         ///< there is a new issue
};

struct StoreReport {
  RowCounts measured;
  RowCounts forecast;  ///< rows of forecasts; `unchanged`: this issue was stored with the same content
  RowCounts prices;
  RowCounts grid_forecasts;
  std::map<scheduler::RejectionReason, std::size_t> rejected;
  std::vector<SeriesChange> changes;
  std::vector<scheduler::Zone> price_zones;  ///< zones with a new or revised price
};

struct MeasuredRows {
  std::vector<scheduler::Step> steps;            ///< ascending by start; may overlap where a source changed its step
  std::optional<scheduler::Instant> updated_at;  ///< the newest revision among them
};

/// A forecast as it was issued.
struct ForecastIssue {
  scheduler::Instant issued_at;
  std::vector<scheduler::Step> steps;
};

/// A forecast that the service made itself.
struct OwnIssue {
  scheduler::SeriesIdentity identity;
  ForecastIssue issue;
  ForecastGround ground;
};

struct SourcedPrice {
  std::string source;
  scheduler::PriceReading price;
};

struct RejectionCount {
  std::string source;
  scheduler::Zone zone;
  scheduler::RejectionReason reason;
  std::int64_t count = 0;
  std::optional<scheduler::Instant> latest_start;  ///< of the latest rejected row, if its time was readable
  std::string latest_detail;
  scheduler::Instant latest_at;  ///< when it was refused
};

/// How long rows are kept: forecasts after their issue, measured rows and prices after their start.
struct Retention {
  scheduler::Duration forecasts = std::chrono::days{400};
  scheduler::Duration rows = std::chrono::days{5 * 365};
  friend bool operator==(const Retention&, const Retention&) = default;
};

/// Intensity, prices and grid forecasts in SQLite (`migrations/0001_intensity.sql`), in integer base units. Used in the
/// thread of its database; the storing calls need one with `Access::write`.
///
/// **Revisions.** Of two rows of one (source, identity, start) the one with the later `updated_at` is kept; with equal
/// `updated_at` a measured one before an estimate; if that is equal too, the one that came last. So the table does not
/// depend on the order in which the revisions of a provider arrive.
///
/// **Forecasts** are kept by issue, one compact block an issue (about 3 bytes a step), so that "as of" any earlier
/// moment is one lookup. An issue whose block equals that of its neighbour in time shares it, so an unchanged re-issue
/// costs 20 bytes. Rows of one issue may come in several harvests: they are united.
class IntensityRepository final {
 public:
  explicit IntensityRepository(Database& database) : database_{database} {}

  /// Stores one source's harvest in one transaction: all or nothing. Refuses rows that end before they begin. `asked`
  /// is the zone that rejections are counted for.
  [[nodiscard]] scheduler::Result<StoreReport> store(const std::string& source, const scheduler::Zone& asked,
                                                     const scheduler::Harvest& harvest, scheduler::Instant now);
  /// Stores an own forecast as an issue of `k_own_source`. Refused like a harvest.
  [[nodiscard]] scheduler::Result<StoreReport> store(const OwnIssue& own);
  /// Remembers what must be shown beside a source's numbers.
  [[nodiscard]] scheduler::Result<void> note_attribution(const std::string& source, const std::string& attribution);
  /// Deletes at most `most_rows` rows that are older than `retention`; returns how many. Fewer than `most_rows`:
  /// nothing is left to delete. Gives freed pages back to the disk, as many at a time.
  [[nodiscard]] scheduler::Result<std::size_t> prune(scheduler::Instant now, const Retention& retention,
                                                     std::size_t most_rows);

  /// Every series with at least one row, ascending.
  [[nodiscard]] scheduler::Result<std::vector<SeriesKey>> series() const;
  /// Measured rows that overlap `interval`.
  [[nodiscard]] scheduler::Result<MeasuredRows> measured(const SeriesKey& key, scheduler::Interval interval) const;
  /// The newest forecast that was issued at or before `as_of`; nothing if there was none yet.
  [[nodiscard]] scheduler::Result<std::optional<ForecastIssue>> forecast(const SeriesKey& key,
                                                                         scheduler::Instant as_of) const;
  /// What an own forecast of that instant of issue rests on; nothing if there is none.
  [[nodiscard]] scheduler::Result<std::optional<ForecastGround>> ground(const SeriesKey& key,
                                                                        scheduler::Instant issued_at) const;
  /// The instants of issue in [begin, end), ascending, at most `limit`.
  [[nodiscard]] scheduler::Result<std::vector<scheduler::Instant>> issues(const SeriesKey& key,
                                                                          scheduler::Interval interval,
                                                                          std::size_t limit) const;
  /// Prices of a zone that overlap `interval`, of every source: by source, then start.
  [[nodiscard]] scheduler::Result<std::vector<SourcedPrice>> prices(const scheduler::Zone& zone,
                                                                    scheduler::Interval interval) const;
  /// Zones with at least one price.
  [[nodiscard]] scheduler::Result<std::vector<scheduler::Zone>> price_zones() const;
  /// A source's newest forecast of demand, wind or sun that was issued at or before `as_of`.
  [[nodiscard]] scheduler::Result<std::vector<scheduler::GridForecastReading>> grid_forecast(
      const std::string& source, const scheduler::Zone& zone, scheduler::GridQuantity quantity,
      scheduler::Instant as_of) const;
  [[nodiscard]] scheduler::Result<std::vector<RejectionCount>> rejections() const;
  /// By source.
  [[nodiscard]] scheduler::Result<std::map<std::string, std::string>> attributions() const;

 private:
  Database& database_;
};

}  // namespace valle::service::store
