// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/ports/energy_meter.hpp"

namespace valle::service::app {

/// An attempt of a run in the ledger.
struct AttemptKey {
  std::string run;
  int number = 1;
  friend auto operator<=>(const AttemptKey&, const AttemptKey&) = default;
};

/// An attempt that may be measured, and what is asked about it.
struct DueAttempt {
  AttemptKey key;
  scheduler::MeterQuestion question;
};

/// The attempts of these runs that have ended at least `settles_after` ago, had pods, and have no figure that was read
/// from outside yet, ordered by end.
[[nodiscard]] std::vector<DueAttempt> due_attempts(std::span<const scheduler::Run> runs, scheduler::Instant now,
                                                   scheduler::Duration settles_after);

/// The run with the answer written into its attempt: a figure replaces one of the same boundary, boards that the ledger
/// did not know are added to their pods. Unchanged if the attempt is not there any more.
[[nodiscard]] scheduler::Run with_answer(scheduler::Run run, int attempt, const scheduler::MeterAnswer& answer);

/// A figure without a number: asked for long enough, and nobody has seen the attempt. `detail` says why.
[[nodiscard]] scheduler::MeterAnswer unknown_answer(std::string_view meter, std::string detail);

}  // namespace valle::service::app
