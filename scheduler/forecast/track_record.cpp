// SPDX-License-Identifier: Apache-2.0
#include "scheduler/forecast/track_record.hpp"

#include "scheduler/forecast/score.hpp"
#include "scheduler/forecast/untrained.hpp"

namespace valle::scheduler::forecast {

void TrackRecord::add(const Timeline& timeline, const AsOf& known, const std::vector<double>& trained) {
  DecisionScore by_model{k_standard_length, k_standard_slack};
  DecisionScore by_none{k_standard_length, k_standard_slack};
  if (!by_model.countable(timeline, known.issue)) return;
  by_model.add(timeline, known.issue, trained);
  by_none.add(timeline, known.issue, untrained(timeline, known, k_standard_length + k_standard_slack));
  emitted_[timeline.begin_of(known.issue)] = {by_model.emitted(), by_none.emitted()};
}

Emitted TrackRecord::over(Interval interval) const {
  Emitted sum;
  const auto end = emitted_.lower_bound(interval.end);
  for (auto at = emitted_.lower_bound(interval.begin); at != end; ++at) {
    sum.trained += at->second.trained;
    sum.untrained += at->second.untrained;
  }
  return sum;
}

}  // namespace valle::scheduler::forecast
