// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "scheduler/forecast/timeline.hpp"
#include "service/app/intensity_book.hpp"

namespace valle::service::app {

/// What own forecasts of a zone learn from: one source and one identity, never several mixed.
struct OwnHistory {
  scheduler::forecast::HourlyHistory hours;
  std::string source;
  scheduler::Accounting accounting;
  std::string attribution;
  scheduler::Duration step;  ///< of the newest measured rows, an hour at most
};

/// The measured rows of the first source in the book's order that has any of the zone, as hourly means (an hour is
/// there only if all of it is known), and the zone's day-ahead prices. The sample serves only where nothing else does.
/// Refused with `unknown_zone` where the book has no measured row of the zone.
[[nodiscard]] scheduler::Result<OwnHistory> own_history(const IntensityBook& book, const scheduler::Zone& zone);

}  // namespace valle::service::app
