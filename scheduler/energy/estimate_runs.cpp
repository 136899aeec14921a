// SPDX-License-Identifier: Apache-2.0
#include "scheduler/energy/estimate_runs.hpp"

namespace valle::scheduler {

std::optional<PastRun> past_run_of(const Run& run) {
  if (!run.finished || run.attempts.empty()) return {};
  const Attempt& last = run.attempts.back();
  if (last.outcome != AttemptOutcome::finished || last.ran.empty()) return {};
  PastRun past{.finished = *run.finished, .run_time = last.ran.length(), .energy = {}};
  for (const auto& figure : last.figures) {
    if (teaches(figure)) past.energy.push_back({figure.boundary, figure.energy});
  }
  return past;
}

}  // namespace valle::scheduler
