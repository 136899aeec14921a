// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "service/app/intensity_book.hpp"

namespace valle::service::app {

/// The series of each of `zones`, all by one (scope, basis, method), that know every second of `window`. Refused with
/// `no-intensity-data` (facts zones, from, to: the first gap) where one does not.
[[nodiscard]] scheduler::Result<std::vector<std::shared_ptr<const scheduler::IntensitySeries>>> complete_series(
    std::span<const scheduler::Zone> zones, scheduler::Interval window, const IntensityBook& book,
    scheduler::Instant now);

/// One mean a slot; the window, a whole number of slots, must be known to the last second.
[[nodiscard]] std::vector<scheduler::CarbonIntensity> slot_means(const scheduler::IntensitySeries& series,
                                                                 scheduler::Interval window, scheduler::Duration slot);

/// The same for one zone of several that are used together.
[[nodiscard]] scheduler::Result<std::vector<scheduler::CarbonIntensity>> slot_means(
    const scheduler::Zone& zone, std::span<const scheduler::Zone> together, scheduler::Interval window,
    scheduler::Duration slot, const IntensityBook& book, scheduler::Instant now);

}  // namespace valle::service::app
