// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "connectors/chain/chain.hpp"

namespace valle::connectors {

/// An answer with data, kept for others who ask the same and for the time when the source is down.
struct KeptAnswer {
  std::shared_ptr<const scheduler::Harvest> harvest;
  scheduler::Interval asked;  ///< in whole hours
  scheduler::Instant fetched_at;
};

/// What the chain remembers of one (source, zone, signal). Plain state with pure transitions; the chain guards it.
struct PairState {
  bool in_flight = false;
  std::optional<KeptAnswer> last_good = {};
  std::optional<scheduler::Instant> last_success = {};
  std::optional<scheduler::Instant> last_attempt = {};
  scheduler::Outcome last_outcome = scheduler::Outcome::no_data;
  std::string detail = {};
  unsigned failures = 0;  ///< answers without data in a row
  std::optional<scheduler::Instant> next_attempt = {};
  std::size_t rejected = 0;
  std::size_t unusual = 0;

  /// True if the last good answer is of this refresh interval and reaches over all that is wanted.
  [[nodiscard]] bool serves(const scheduler::Interval& wanted, scheduler::Instant now,
                            scheduler::Duration refresh_interval) const;
  [[nodiscard]] bool is_waiting(scheduler::Instant now) const { return next_attempt && now < *next_attempt; }
  void record(const scheduler::SourceAnswer& answer, scheduler::Instant now, std::uint64_t seed);
};

/// What concerns a source as a whole: a firewall, a refused key, a limit, or an outage that hits several zones in a
/// row.
struct WholeState {
  std::optional<scheduler::Instant> next_attempt = {};
  scheduler::Outcome outcome = scheduler::Outcome::data;  ///< why it is left alone
  std::string detail = {};
  unsigned failures = 0;  ///< answers of that sort in a row, of any zone

  [[nodiscard]] bool is_waiting(scheduler::Instant now) const { return next_attempt && now < *next_attempt; }
  void record(const scheduler::SourceAnswer& answer, scheduler::Instant now, std::uint64_t seed);
};

/// The grade of rows fetched at `fetched_at`, seen at `now`, that are not of this refresh interval.
[[nodiscard]] Grade grade_of_kept(scheduler::Instant fetched_at, scheduler::Instant now);

}  // namespace valle::connectors
