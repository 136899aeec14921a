// SPDX-License-Identifier: Apache-2.0
#include "scheduler/energy/counter.hpp"

#include <algorithm>
#include <cmath>

namespace valle::scheduler {
namespace {

bool is_reading(double value) { return std::isfinite(value) && value >= 0 && value < k_largest_total_joules; }

/// Takes samples one by one and keeps the total.
class Reader {
 public:
  explicit Reader(const CounterTerms& terms) : terms_{terms} {}

  void take(const Sample& sample) {
    if (!is_reading(sample.value)) {
      ++reading_.dropped;
    } else if (!last_) {
      keep(sample, terms_.kind == CounterKind::born_at_zero ? sample.value : 0);
    } else {
      take_next(sample);
    }
  }

  CounterReading reading() && { return std::move(reading_); }

 private:
  void take_next(const Sample& sample) {
    const double seconds = seconds_between(last_->at, sample.at);
    const double rise = sample.value - last_->value;
    if (terms_.range_joules) return take_wrapping(sample, seconds, rise);
    if (rise > k_implausible * terms_.limit_watts * (seconds + terms_.slack_seconds)) {
      ++reading_.dropped;
    } else if (rise < 0) {
      restart(sample);
    } else {
      keep(sample, rise);
    }
  }

  void take_wrapping(const Sample& sample, double seconds, double rise) {
    const double range = *terms_.range_joules;
    if (seconds * terms_.limit_watts > range) {
      reading_.gaps.push_back({{last_->at, sample.at}, "may have wrapped more than once"});
      keep(sample, 0);
    } else if (rise >= 0) {
      keep(sample, rise);
    } else if (const double through = rise + range; through <= terms_.limit_watts * (seconds + terms_.slack_seconds)) {
      ++reading_.wraps;
      keep(sample, through);
    } else {
      restart(sample);
    }
  }

  void restart(const Sample& sample) {
    reading_.restarts.push_back({*last_, sample});
    keep(sample, sample.value);
  }

  void keep(const Sample& sample, double rise) {
    total_ += rise;
    last_ = sample;
    reading_.totals.push_back({sample.at, total_});
  }

  const CounterTerms& terms_;
  CounterReading reading_;
  std::optional<Sample> last_;
  double total_ = 0;
};

}  // namespace

CounterReading read_counter(std::span<const Sample> samples, const CounterTerms& terms) {
  Reader reader{terms};
  for (const Sample& sample : samples) reader.take(sample);
  return std::move(reader).reading();
}

double lost_at_restarts(const CounterReading& reading) {
  if (reading.restarts.empty()) return 0;
  double seconds = 0;
  double joules = 0;
  std::size_t next = 0;
  for (std::size_t i = 1; i < reading.totals.size(); ++i) {
    const Sample& from = reading.totals[i - 1];
    const Sample& to = reading.totals[i];
    if (next < reading.restarts.size() && reading.restarts[next].after.at == to.at) {
      ++next;
      continue;
    }
    seconds += seconds_between(from.at, to.at);
    joules += to.value - from.value;
  }
  if (seconds <= 0) return 0;
  double lost = 0;
  for (const Restart& restart : reading.restarts) {
    const double expected = joules / seconds * seconds_between(restart.before.at, restart.after.at);
    lost += std::max(0.0, expected - restart.after.value);
  }
  return lost;
}

}  // namespace valle::scheduler
