// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "scheduler/account/run.hpp"
#include "scheduler/energy/estimate.hpp"

namespace valle::scheduler {

/// What a run of the ledger teaches: time and energy of its last attempt, if that one finished. Attempts that failed or
/// were evicted cost energy, but say nothing of what a whole run takes.
[[nodiscard]] std::optional<PastRun> past_run_of(const Run& run);

}  // namespace valle::scheduler
