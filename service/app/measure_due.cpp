// SPDX-License-Identifier: Apache-2.0
#include "service/app/measure_due.hpp"

#include <algorithm>

namespace valle::service::app {

using namespace scheduler;

namespace {

/// Of boards, pods and nodes; what the caller has told is of the job's own boundary and no reading.
bool is_read_from_outside(const EnergyFigure& figure) { return figure.boundary != EnergyBoundary::job; }

bool is_open(const Attempt& attempt) {
  return attempt.outcome != AttemptOutcome::running && !attempt.ran.empty() && !attempt.pods.empty() &&
         std::none_of(attempt.figures.begin(), attempt.figures.end(), is_read_from_outside);
}

}  // namespace

std::vector<DueAttempt> due_attempts(std::span<const Run> runs, Instant now, Duration settles_after) {
  std::vector<DueAttempt> due;
  for (const Run& run : runs) {
    for (const Attempt& attempt : run.attempts) {
      if (!is_open(attempt) || attempt.ran.end + settles_after > now) continue;
      due.push_back({{run.id, attempt.number}, {attempt.ran, attempt.pods}});
    }
  }
  std::stable_sort(due.begin(), due.end(),
                   [](const DueAttempt& a, const DueAttempt& b) { return a.question.ran.end < b.question.ran.end; });
  return due;
}

Run with_answer(Run run, int number, const MeterAnswer& answer) {
  const auto attempt =
      std::find_if(run.attempts.begin(), run.attempts.end(), [&](const Attempt& a) { return a.number == number; });
  if (attempt == run.attempts.end()) return run;
  for (const EnergyFigure& figure : answer.figures) {
    std::erase_if(attempt->figures, [&](const EnergyFigure& old) { return old.boundary == figure.boundary; });
    attempt->figures.push_back(figure);
  }
  for (const auto& [uid, board] : answer.boards_learnt) {
    for (PodOfRun& pod : attempt->pods) {
      const bool known = std::find(pod.gpu_uuids.begin(), pod.gpu_uuids.end(), board) != pod.gpu_uuids.end();
      if (pod.uid == uid && !known) pod.gpu_uuids.push_back(board);
    }
  }
  return run;
}

MeterAnswer unknown_answer(std::string_view meter, std::string detail) {
  EnergyFigure figure;
  figure.boundary = EnergyBoundary::pod;
  figure.quality = EnergyQuality::unknown;
  figure.source = meter;
  figure.method = "none: no samples";
  if (!detail.empty()) figure.notes.push_back(std::move(detail));
  return {.outcome = MeterOutcome::no_data, .figures = {figure}};
}

}  // namespace valle::service::app
