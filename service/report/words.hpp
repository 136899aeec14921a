// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "scheduler/account/split.hpp"

namespace valle::service::report {

// The words of the JSON and the CSV.
[[nodiscard]] std::string_view to_text(scheduler::Assessment assessment);
[[nodiscard]] std::string_view to_text(scheduler::EnergyBoundary boundary);
[[nodiscard]] std::string_view to_text(scheduler::EnergyQuality quality);
[[nodiscard]] std::string_view to_text(scheduler::AttemptOutcome outcome);

}  // namespace valle::service::report
