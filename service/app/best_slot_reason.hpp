// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "service/app/best_slot.hpp"

namespace valle::service::app {

/// The answer in one sentence for people: `FR at 23:00Z: 32 g/kWh against 185 g/kWh now in ES`. `least_saving` > 0: the
/// best of `answer` saves less than that, so the advice is to run now.
[[nodiscard]] std::string reason_of(const BestSlotAnswer& answer, const scheduler::Zone& home, Percent least_saving);

}  // namespace valle::service::app
