// SPDX-License-Identifier: Apache-2.0
#include "scheduler/energy/observer.hpp"

#include <algorithm>

namespace valle::scheduler {
namespace {

void append(Samples& to, const Samples& more) { to.insert(to.end(), more.begin(), more.end()); }

void append(Observer& to, const Observer& more) {
  for (const ZoneSamples& zone : more.zones) {
    const auto same = std::find_if(to.zones.begin(), to.zones.end(),
                                   [&](const ZoneSamples& known) { return known.zone == zone.zone; });
    if (same == to.zones.end()) {
      to.zones.push_back(zone);
    } else {
      append(same->running, zone.running);
      append(same->terminated, zone.terminated);
    }
  }
}

template <class Visit>
void each_series(const Observer& observer, Visit visit) {
  for (const ZoneSamples& zone : observer.zones) {
    for (const Samples* samples : {&zone.running, &zone.terminated}) {
      if (!samples->empty()) visit(*samples);
    }
  }
}

}  // namespace

bool Observer::empty() const {
  bool none = true;
  each_series(*this, [&](const Samples&) { none = false; });
  return none;
}

Moment Observer::first() const {
  Moment first = Moment::max();
  each_series(*this, [&](const Samples& samples) { first = std::min(first, samples.front().at); });
  return first;
}

Moment Observer::last() const {
  Moment last = Moment::min();
  each_series(*this, [&](const Samples& samples) { last = std::max(last, samples.back().at); });
  return last;
}

std::vector<Observer> joined(std::vector<Observer> observers) {
  std::erase_if(observers, [](const Observer& observer) { return observer.empty(); });
  std::stable_sort(observers.begin(), observers.end(),
                   [](const Observer& a, const Observer& b) { return a.first() < b.first(); });
  std::vector<Observer> whole;
  for (Observer& observer : observers) {
    const auto before = std::find_if(whole.begin(), whole.end(), [&](const Observer& earlier) {
      return earlier.replica == observer.replica && earlier.last() < observer.first();
    });
    if (before == whole.end()) {
      whole.push_back(std::move(observer));
    } else {
      append(*before, observer);
    }
  }
  return whole;
}

}  // namespace valle::scheduler
