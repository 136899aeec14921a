// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "scheduler/forecast/timeline.hpp"
#include "service/app/intensity_book.hpp"

namespace valle::service::app {

/// What own forecasts learn from: measured rows of one identity, never several mixed.
struct OwnHistory {
  scheduler::forecast::HourlyHistory hours;
  std::string source;  ///< the first in the book's order
  scheduler::Accounting accounting;
  std::string attribution;
  scheduler::Duration step;  ///< of the newest measured rows, an hour at most
};

/// The measured rows of one identity, of the first source in the book's order that knows the hour, as hourly means (an
/// hour is there only if all of it is known), and the zone's day-ahead prices. Nothing from before `since`. The sample
/// serves only where nothing else does. Refused with `no_intensity_data` where no whole hour is known.
[[nodiscard]] scheduler::Result<OwnHistory> own_history(const IntensityBook& book,
                                                        const scheduler::SeriesIdentity& identity,
                                                        scheduler::Instant since);

/// The same for the identity of the first source that has measured rows of the zone, at most five years. Refused with
/// `unknown_zone` where there is none.
[[nodiscard]] scheduler::Result<OwnHistory> own_history(const IntensityBook& book, const scheduler::Zone& zone);

}  // namespace valle::service::app
