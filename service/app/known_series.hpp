// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/series/intensity_series.hpp"
#include "service/store/intensity_repository.hpp"

namespace valle::service::app {

/// The part of a source's series that is an own forecast.
struct OwnTail {
  scheduler::Interval interval;
  scheduler::Instant issued_at;
  std::shared_ptr<const store::ForecastGround> ground;  ///< never null
};

/// All that one source knows of one identity. Immutable; series are shared between snapshots.
struct KnownSeries {
  store::SeriesKey key;
  std::shared_ptr<const scheduler::IntensitySeries> measured;  ///< never null
  std::shared_ptr<const scheduler::IntensitySeries> forecast;  ///< the newest issue; never null, maybe empty
  std::shared_ptr<const scheduler::IntensitySeries> told;      ///< measured wins over forecast on the same instant
  std::shared_ptr<const scheduler::IntensitySeries> combined;  ///< `told`, and behind its end own forecasts
  std::optional<scheduler::Instant> issued_at;                 ///< of `forecast`
  std::optional<scheduler::Instant> updated_at;                ///< the newest revision in `measured`
  std::string attribution;
  std::shared_ptr<const store::ForecastGround> ground = {};  ///< of own forecasts; null for what others told
  std::optional<OwnTail> tail = {};                          ///< what `combined` has beside `told`
  [[nodiscard]] bool is_own() const { return key.source == store::k_own_source; }
};

/// `known` with the newest own forecast of its identity behind the end of what its source told, or of what it measured
/// where own forecasts lead; null: without. Gaps are never filled. A file that tells of time after the issue is used as
/// it stands: it gets no tail.
void set_tail(KnownSeries& known, const KnownSeries* own);

/// A series from rows that may overlap because a source changed its step: the shorter step counts where it lies, of two
/// equally long ones the later.
[[nodiscard]] scheduler::Result<scheduler::IntensitySeries> series_of(std::vector<scheduler::Step> steps);

[[nodiscard]] scheduler::Result<KnownSeries> known_series(const store::SeriesKey& key, store::MeasuredRows measured,
                                                          std::optional<store::ForecastIssue> forecast,
                                                          std::string attribution);

/// Reads one series of the store.
[[nodiscard]] scheduler::Result<KnownSeries> load_series(const store::IntensityRepository& repository,
                                                         const store::SeriesKey& key, std::string attribution);

/// `before` with what `change` says read again: only the time that it covers, unless steps of different lengths meet
/// there.
[[nodiscard]] scheduler::Result<KnownSeries> refresh_series(const store::IntensityRepository& repository,
                                                            const KnownSeries& before,
                                                            const store::SeriesChange& change);

}  // namespace valle::service::app
