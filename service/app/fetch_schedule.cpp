// SPDX-License-Identifier: Apache-2.0
#include "service/app/fetch_schedule.hpp"

#include <algorithm>

namespace valle::service::app {
namespace {

using scheduler::Duration;
using scheduler::Instant;
using scheduler::Interval;
using scheduler::Signal;
using scheduler::Zone;
using std::chrono::days;
using std::chrono::hours;

/// Which round of `every` an instant belongs to; rounds begin at `offset` past.
std::int64_t round_of(Instant t, Duration every, Duration offset) {
  return std::chrono::floor<Duration>(t - offset).time_since_epoch().count() / every.count();
}

/// Once a round, and again after `retry` while the round has brought nothing.
bool due_once_a_round(const FetchTimes& times, Instant now, Duration every, Duration retry, Duration offset) {
  if (!times.attempt) return true;
  const std::int64_t round = round_of(now, every, offset);
  if (times.success && round_of(*times.success, every, offset) == round) return false;
  return round_of(*times.attempt, every, offset) < round || now - *times.attempt >= retry;
}

/// The end of the last market day whose prices should be out at `now`. A market day ends at 22:00 or 23:00 UTC.
Instant prices_out_until(Instant now, const FetchRules& rules) {
  const auto day = std::chrono::floor<days>(now);
  const bool tomorrow = now - day >= rules.prices_from;
  return day + (tomorrow ? days{1} : days{0}) + hours{22};
}

bool prices_due(const FetchTimes& times, const KnownUntil& known, Instant now, const FetchRules& rules) {
  if (known.price && *known.price >= prices_out_until(now, rules)) return false;
  return !times.attempt || now - *times.attempt >= rules.price_retry;
}

bool due(const ZoneSignal& what, const FetchTimes& times, const KnownUntil& known, Instant now,
         const FetchRules& rules) {
  switch (what.signal) {
    case Signal::measured:
    case Signal::forecast: return due_once_a_round(times, now, hours{1}, rules.retry, rules.past_the_hour);
    case Signal::price: return prices_due(times, known, now, rules);
    case Signal::grid_forecast:
      return due_once_a_round(times, now, rules.grid_every, rules.price_retry, rules.past_the_hour);
  }
  return false;
}

Interval wanted(Signal signal, const KnownUntil& known, Instant now, const FetchRules& rules) {
  const Instant hour = std::chrono::floor<hours>(now);
  switch (signal) {
    case Signal::measured: {
      const bool revisions = hour - std::chrono::floor<days>(hour) == hours{rules.revisions_at};
      const Instant usual = hour - (revisions ? rules.catch_up : rules.history);
      const Instant missing = std::max(known.measured.value_or(usual), hour - rules.catch_up);
      return {std::min(usual, missing), hour + hours{1}};
    }
    // Never for less than is known: a newer issue replaces the one before, and files may reach far.
    case Signal::forecast: return {hour, std::max(hour + rules.ahead, known.forecast.value_or(hour))};
    case Signal::price: return {std::chrono::floor<days>(now) - days{1}, std::chrono::floor<days>(now) + days{3}};
    case Signal::grid_forecast: return {hour, hour + days{2}};
  }
  return {};
}

}  // namespace

KnownUntil known_until(const IntensityBook& book, const Zone& zone, Instant now) {
  KnownUntil known;
  for (const NewestValue& newest : book.newest(now)) {
    if (newest.zone == zone) known.measured = std::max(known.measured, std::optional{newest.measured_end});
  }
  known.forecast = book.forecast_known_until(zone);
  known.price = book.prices_known_until(zone);
  return known;
}

std::vector<Fetch> due_fetches(std::span<const Zone> zones, const IntensityBook& book, const FetchHistory& history,
                               Instant now, const FetchRules& rules) {
  std::vector<Fetch> fetches;
  for (const Signal signal : {Signal::measured, Signal::forecast, Signal::price, Signal::grid_forecast}) {
    for (const Zone& zone : zones) {
      const ZoneSignal what{zone, signal};
      const auto times = history.find(what);
      const KnownUntil known = known_until(book, zone, now);
      if (due(what, times == history.end() ? FetchTimes{} : times->second, known, now, rules)) {
        fetches.push_back({what, wanted(signal, known, now, rules)});
      }
    }
  }
  return fetches;
}

Instant next_look(Instant now, const FetchRules& rules) {
  const Instant round = std::chrono::floor<hours>(now - rules.past_the_hour) + hours{1} + rules.past_the_hour;
  return std::min(round, now + rules.retry);
}

}  // namespace valle::service::app
