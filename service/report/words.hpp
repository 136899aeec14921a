// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "scheduler/account/split.hpp"
#include "scheduler/energy/words.hpp"

namespace valle::service::report {

// The words of the JSON and the CSV; those of energy are the core's.
using scheduler::to_text;
[[nodiscard]] std::string_view to_text(scheduler::Assessment assessment);
[[nodiscard]] std::string_view to_text(scheduler::AttemptOutcome outcome);

}  // namespace valle::service::report
