// SPDX-License-Identifier: Apache-2.0
#include "scheduler/forecast/score.hpp"

#include <algorithm>
#include <numeric>

namespace valle::scheduler::forecast {

Hour DecisionScore::preferred_start(const std::vector<double>& forecast, Hour slack) const {
  const auto at = forecast.begin();
  double cost = std::accumulate(at, at + length_, 0.0);
  double least = cost;
  Hour best = 0;
  for (Hour start = 1; start <= slack; ++start) {
    cost += at[start + length_ - 1] - at[start - 1];
    // Less than rounding is no gain: equal hours keep the earliest start.
    if (cost < least - 1e-9 * (1 + least)) {
      least = cost;
      best = start;
    }
  }
  return best;
}

bool DecisionScore::countable(const Timeline& timeline, Hour issue) const {
  return issue >= 0 && issue + slack_ + length_ <= timeline.size() &&
         timeline.is_measured[static_cast<std::size_t>(issue + slack_ + length_ - 1)] != 0;
}

double DecisionScore::cost(const Timeline& timeline, Hour begin) const {
  return timeline.intensity_sums.mean(begin + length_ - 1, length_) * static_cast<double>(length_);
}

void DecisionScore::add(const Timeline& timeline, Hour issue, const std::vector<double>& forecast) {
  add_start(timeline, issue, preferred_start(forecast, slack_));
}

void DecisionScore::add_start(const Timeline& timeline, Hour issue, Hour start) {
  if (!countable(timeline, issue)) return;
  double least = cost(timeline, issue);
  at_once_ += least;
  emitted_ += cost(timeline, issue + start);
  for (Hour other = 1; other <= slack_; ++other) least = std::min(least, cost(timeline, issue + other));
  least_ += least;
}

double DecisionScore::share_percent() const {
  return at_once_ > least_ ? 100 * (at_once_ - emitted_) / (at_once_ - least_) : 100;
}

}  // namespace valle::scheduler::forecast
