// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "scheduler/ports/intensity_source.hpp"
#include "service/app/intensity_book.hpp"

namespace valle::service::app {

/// When to fetch what. Instants are UTC throughout: the markets' local day differs by at most two hours, which the
/// offsets absorb.
struct FetchRules {
  scheduler::Duration past_the_hour = std::chrono::minutes{10};  ///< providers publish an hour a few minutes late
  scheduler::Duration retry = std::chrono::minutes{5};           ///< after a fetch that brought nothing
  scheduler::Duration history = std::chrono::hours{24};          ///< always asked again: measured rows are revised
  scheduler::Duration catch_up = std::chrono::days{10};          ///< most that is asked after an outage
  int revisions_at = 3;  ///< in this hour of each day `catch_up` is asked again: estimates are replaced days later
  scheduler::Duration ahead = std::chrono::days{7};              ///< of a forecast
  scheduler::Duration prices_from = std::chrono::hours{12};      ///< of the day: tomorrow's day-ahead prices are out
  scheduler::Duration price_retry = std::chrono::minutes{30};
  scheduler::Duration grid_every = std::chrono::hours{6};  ///< forecasts of demand, wind and sun
};

/// What is known of one zone, whatever the source.
struct KnownUntil {
  std::optional<scheduler::Instant> measured;  ///< end of the newest measured row that has begun
  std::optional<scheduler::Instant> forecast;
  std::optional<scheduler::Instant> price;
};
[[nodiscard]] KnownUntil known_until(const IntensityBook& book, const scheduler::Zone& zone, scheduler::Instant now);

struct ZoneSignal {
  scheduler::Zone zone;
  scheduler::Signal signal;
  friend auto operator<=>(const ZoneSignal&, const ZoneSignal&) = default;
};

/// When each (zone, signal) was last asked, and last brought something.
struct FetchTimes {
  std::optional<scheduler::Instant> attempt;
  std::optional<scheduler::Instant> success;
};
using FetchHistory = std::map<ZoneSignal, FetchTimes>;

/// One question to the chain.
struct Fetch {
  ZoneSignal what;
  scheduler::Interval wanted;
  friend bool operator==(const Fetch&, const Fetch&) = default;
};

/// What to fetch at `now`, measured rows of all zones first. Never asked before: now. Then measured rows and forecast
/// once an hour, at `past_the_hour`; prices from `prices_from` on until tomorrow's are there; grid forecasts every
/// `grid_every`. What brought nothing is asked again after `retry` (the chain knows which source to leave alone
/// meanwhile). Pure.
[[nodiscard]] std::vector<Fetch> due_fetches(std::span<const scheduler::Zone> zones, const IntensityBook& book,
                                             const FetchHistory& history, scheduler::Instant now,
                                             const FetchRules& rules = {});

/// The next instant after `now` at which `due_fetches` may have something, given that all that is due now was just
/// asked.
[[nodiscard]] scheduler::Instant next_look(scheduler::Instant now, const FetchRules& rules = {});

}  // namespace valle::service::app
