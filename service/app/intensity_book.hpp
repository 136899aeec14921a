// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/model/reading.hpp"
#include "scheduler/series/intensity_series.hpp"
#include "scheduler/series/price_series.hpp"
#include "service/app/known_series.hpp"
#include "service/store/intensity_repository.hpp"

namespace valle::service::app {

/// The name of the bundled synthetic profile. It is never used beside real data.
inline constexpr std::string_view k_sample_source = "sample";

/// A forecast older than this, or measured rows as old where there is no forecast, are stale for questions about the
/// future.
inline constexpr scheduler::Duration k_stale_after = std::chrono::hours{6};

/// What the numbers inside a window are.
enum class WindowKind { measured, forecast, mixed };
[[nodiscard]] std::string_view to_text(WindowKind kind);

/// How good they are. The first that applies: `sample` (the bundled profile); `stale` (the window reaches beyond now
/// and the newest issue, or measured revision where the window holds no forecast, is older than `k_stale_after`);
/// `poor`, `fair` (the window holds some of an own forecast of that grade); `estimated` (some of the known time in the
/// window is marked as estimated by the source); else `good`.
enum class Grade { good, fair, poor, estimated, stale, sample };
[[nodiscard]] std::string_view to_text(Grade grade);

/// What of a window is an own forecast.
struct OwnPart {
  scheduler::Interval interval;  ///< cut to the window
  scheduler::Instant issued_at;
  std::shared_ptr<const store::ForecastGround> ground;  ///< never null
};

/// One zone of a choice: the series to reckon with, and what must be said about it.
struct ChosenSeries {
  std::size_t zone;                                          ///< index into the question's zones
  std::string source;                                        ///< `k_own_source` where the window holds nothing else
  std::shared_ptr<const scheduler::IntensitySeries> series;  ///< `KnownSeries::combined`
  WindowKind kind = WindowKind::measured;
  std::optional<scheduler::Instant>
      issued_at;                           ///< of the forecast if the window holds some of it, else the newest revision
  std::optional<scheduler::Duration> age;  ///< now − issued_at, at least 0
  scheduler::Instant known_until;          ///< the end of the last value, wherever the window ends
  scheduler::Ratio estimated{};            ///< share of the known time in the window; 1 ppm = 0.0001 %
  scheduler::Accounting accounting;
  Grade grade = Grade::good;
  std::string attribution;
  std::optional<OwnPart> own = {};  ///< nothing if the window holds none of it
};

struct ZoneLeftOut {
  std::size_t zone;
  std::string reason;  ///< one sentence for people
};

struct ChoiceQuestion {
  std::span<const scheduler::Zone> zones;
  scheduler::Interval window;
  scheduler::Duration needed{1};  ///< a source covers a zone if it knows so many seconds in a row inside the window
  scheduler::Instant now;
  std::optional<scheduler::Scope> scope = {};  ///< only this one
  std::optional<std::string> source = {};      ///< only this one
};

/// Numbers that go together: one (scope, basis, method) for all zones.
struct Choice {
  std::optional<scheduler::Accounting> accounting;  ///< nothing if no zone is covered
  std::vector<ChosenSeries> zones;                  ///< ascending by zone index
  std::vector<ZoneLeftOut> left_out;                ///< ascending by zone index
};

/// One value with where it is from.
struct SourcedStep {
  scheduler::Step step;
  std::string source;
  scheduler::Accounting accounting;
};

enum class Estimates { with, without };

/// How old the newest numbers of a zone are, per source.
struct NewestValue {
  scheduler::Zone zone;
  std::string source;
  scheduler::Instant measured_end;  ///< the end of the newest measured value that has begun by now
};

/// Rows of one zone, as `GET /v1/intensity` shows them.
struct KnownRows {
  std::optional<ChosenSeries> chosen;             ///< nothing: no source has any of the window
  std::vector<scheduler::Step> rows;              ///< whole steps that overlap the window
  std::vector<scheduler::Interval> gaps;          ///< cut to the window
  std::optional<scheduler::Instant> known_until;  ///< the end of the last value of this series
};

struct RowsQuestion {
  scheduler::Zone zone;
  scheduler::Interval window;
  scheduler::Instant now;
  std::optional<scheduler::ReadingKind> kind = {};  ///< only measured or only forecast rows
  std::optional<scheduler::Scope> scope = {};
  std::optional<std::string> source = {};
};

/// An immutable snapshot of all known intensity and prices, safe to read from any thread. Successors share what did not
/// change. Own forecasts go on where what a source tells of the same identity ends. Sources rank as in the
/// configuration, then by name.
class IntensityBook final {
 public:
  explicit IntensityBook(std::vector<std::string> source_order = {});

  /// Everything that the store knows.
  [[nodiscard]] static scheduler::Result<std::shared_ptr<const IntensityBook>> load(
      const store::IntensityRepository& repository, std::vector<std::string> source_order);
  /// A successor that has read again what `report` says has changed. What a prune deleted stays until the next `load`.
  [[nodiscard]] scheduler::Result<std::shared_ptr<const IntensityBook>> refreshed(
      const store::IntensityRepository& repository, const store::StoreReport& report) const;
  /// A successor that has read everything again, and keeps what is not in the store.
  [[nodiscard]] scheduler::Result<std::shared_ptr<const IntensityBook>> reloaded(
      const store::IntensityRepository& repository) const;
  /// A successor that also holds a harvest which is not in the store: files on the command line, the bundled sample.
  /// Replaces what this source said of the same identities, measured rows and forecast each for itself. Refuses
  /// overlapping rows.
  [[nodiscard]] scheduler::Result<std::shared_ptr<const IntensityBook>> with(const std::string& source,
                                                                             const std::string& attribution,
                                                                             const scheduler::Harvest& harvest) const;

  /// Ranked: by source, then zone, then accounting.
  [[nodiscard]] std::span<const KnownSeries> series() const { return series_; }
  /// Zones of which any usable source knows a value, ascending; without those that only the sample knows beside real
  /// data.
  [[nodiscard]] std::vector<scheduler::Zone> zones() const;
  [[nodiscard]] bool empty() const { return series_.empty(); }
  /// What was refused at the door so far, by source, zone and reason, as the store has counted it.
  [[nodiscard]] std::span<const store::RejectionCount> rejections() const { return rejections_; }

  /// The contract's "Which numbers go together": one (scope, basis, method) for all zones, that of the first source in
  /// the order that covers most of them; then for each zone the first source of that identity that covers it.
  [[nodiscard]] Choice choose(const ChoiceQuestion& question) const;

  /// The value in force at `t`, by the same order for this zone alone.
  [[nodiscard]] std::optional<SourcedStep> value_at(const scheduler::Zone& zone, scheduler::Instant t) const;
  /// The newest measured value that has begun by `now`.
  [[nodiscard]] std::optional<SourcedStep> newest_measured(const scheduler::Zone& zone, scheduler::Instant now,
                                                           Estimates estimates) const;
  [[nodiscard]] KnownRows rows(const RowsQuestion& question) const;
  /// For metrics: by zone, then rank of the source.
  [[nodiscard]] std::vector<NewestValue> newest(scheduler::Instant now) const;
  /// Day-ahead prices: those of the first source in the order that has any part of `window`; null if there is none.
  [[nodiscard]] const scheduler::PriceSeries* prices(const scheduler::Zone& zone, scheduler::Interval window) const;
  /// Day-ahead prices of a zone of every source, ranked.
  [[nodiscard]] std::vector<const scheduler::PriceSeries*> all_prices(const scheduler::Zone& zone) const;
  /// The end of the last forecast step of the zone, of any source; own forecasts do not count.
  [[nodiscard]] std::optional<scheduler::Instant> forecast_known_until(const scheduler::Zone& zone) const;
  /// The end of the last known price of the zone.
  [[nodiscard]] std::optional<scheduler::Instant> prices_known_until(const scheduler::Zone& zone) const;

 private:
  void add(KnownSeries known);
  void add(std::shared_ptr<const scheduler::PriceSeries> prices);
  [[nodiscard]] bool usable(const std::string& source) const;
  [[nodiscard]] const KnownSeries* own_of(const scheduler::SeriesIdentity& identity) const;
  /// Usable series of one zone, ranked, that pass the filters. Own forecasts are part of the others; by themselves they
  /// are there only if `source` names them.
  [[nodiscard]] std::vector<const KnownSeries*> candidates(const scheduler::Zone& zone,
                                                           const std::optional<scheduler::Scope>& scope,
                                                           const std::optional<std::string>& source) const;

  std::vector<std::string> source_order_;
  std::vector<KnownSeries> series_;                                    // ranked
  std::vector<std::shared_ptr<const scheduler::PriceSeries>> prices_;  // ranked
  std::vector<store::RejectionCount> rejections_;
  bool real_ = false;  // some series is not the sample
};

/// Where the newest snapshot is read from by every thread, and replaced by the store's writing thread.
class CurrentBook final {
 public:
  explicit CurrentBook(std::shared_ptr<const IntensityBook> book) : book_{std::move(book)} {}
  [[nodiscard]] std::shared_ptr<const IntensityBook> get() const {
    const std::scoped_lock lock{mutex_};
    return book_;
  }
  void publish(std::shared_ptr<const IntensityBook> book) {
    const std::scoped_lock lock{mutex_};
    book_.swap(book);  // the old one ends after the lock does
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const IntensityBook> book_;
};

}  // namespace valle::service::app

namespace valle {
namespace app = service::app;
}  // namespace valle
