// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "scheduler/energy/figure.hpp"
#include "scheduler/ports/energy_meter.hpp"

namespace valle::scheduler {

/// The words that JSON, metrics and logs use.
[[nodiscard]] std::string_view to_text(EnergyBoundary boundary);
[[nodiscard]] std::string_view to_text(EnergyQuality quality);
[[nodiscard]] std::string_view to_text(MeterOutcome outcome);

}  // namespace valle::scheduler
