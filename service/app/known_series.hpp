// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/series/intensity_series.hpp"
#include "service/store/intensity_repository.hpp"

namespace valle::service::app {

/// All that one source knows of one identity. Immutable; series are shared between snapshots.
struct KnownSeries {
  store::SeriesKey key;
  std::shared_ptr<const scheduler::IntensitySeries> measured;  ///< never null
  std::shared_ptr<const scheduler::IntensitySeries> forecast;  ///< the newest issue; never null, maybe empty
  std::shared_ptr<const scheduler::IntensitySeries> combined;  ///< measured wins over forecast on the same instant
  std::optional<scheduler::Instant> issued_at;                 ///< of `forecast`
  std::optional<scheduler::Instant> updated_at;                ///< the newest revision in `measured`
  std::string attribution;
};

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
