// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "scheduler/ports/intensity_source.hpp"

namespace valle::connectors {

inline constexpr std::string_view k_sample_source = "sample";

/// Source kind `sample`: an invented profile of FR, ES and DE for a first look where nothing is configured: France low,
/// Spain with a dip at noon, Germany high; a daily and weekly shape and some weather, all a pure function of zone and
/// hour. It knows now − 7 days … now + 7 days, hourly, and invents day-ahead prices too. Never for real decisions.
[[nodiscard]] std::unique_ptr<scheduler::IntensitySource> make_sample_source();

/// The invented intensity of the hour that begins at `hour`. `zone` is FR, ES or DE; others get Germany's shape.
[[nodiscard]] scheduler::CarbonIntensity sample_intensity(const scheduler::Zone& zone, scheduler::Instant hour);

}  // namespace valle::connectors
