// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "service/app/backtest.hpp"
#include "service/app/intensity_book.hpp"

namespace valle::service::app {

/// Own forecasts of each site's zone, from what was known when each slot began (an hour one hour after its end, prices
/// from 13:00 of the day before). Refused with `no-intensity-data` where a zone has no
/// history before the problem begins.
[[nodiscard]] scheduler::Result<SlotForecast> own_slot_forecast(const scheduler::Problem& problem,
                                                                const IntensityBook& book);

/// The newest forecast that a provider had issued when each slot began, of the first source in the book's order that
/// ever issued one of the zone; behind its end, and before its first, the value of the same hour of the last whole day.
/// Refused with `no-intensity-data` where no source ever issued one. `repository` must outlive the result.
[[nodiscard]] scheduler::Result<SlotForecast> provider_slot_forecast(const scheduler::Problem& problem,
                                                                     const IntensityBook& book,
                                                                     const store::IntensityRepository& repository);

}  // namespace valle::service::app
