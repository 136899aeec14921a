// SPDX-License-Identifier: Apache-2.0
#include "connectors/chain/source_state.hpp"

#include <algorithm>

#include "connectors/door/door.hpp"
#include "connectors/retry/retry.hpp"

namespace valle::connectors {
namespace {

using scheduler::Duration;
using scheduler::Instant;
using scheduler::Outcome;

constexpr Duration k_aged_for = std::chrono::hours{24};
/// One zone in trouble is its own affair; a second one in a row says that the source is down.
constexpr unsigned k_outages_that_count = 2;

/// Which of the refresh intervals since the epoch an instant lies in.
std::int64_t slot_of(Instant instant, Duration interval) { return instant.time_since_epoch() / interval; }

bool concerns_all_zones(Outcome outcome) {
  return outcome == Outcome::authentication || outcome == Outcome::blocked || outcome == Outcome::rate_limited;
}

}  // namespace

bool PairState::serves(const scheduler::Interval& wanted, Instant now, Duration refresh_interval) const {
  if (!last_good || refresh_interval.count() == 0) return false;
  return slot_of(last_good->fetched_at, refresh_interval) == slot_of(now, refresh_interval) &&
         last_good->asked.begin <= wanted.begin && wanted.end <= last_good->asked.end;
}

void PairState::record(const scheduler::SourceAnswer& answer, Instant now, std::uint64_t seed) {
  last_attempt = now;
  last_outcome = answer.outcome;
  detail = answer.detail;
  rejected += answer.harvest.rejected.size();
  const auto& rows = answer.harvest.intensity;
  unusual += static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [](const auto& row) { return is_unusual(row.identity, row.value); }));
  next_attempt.reset();
  if (answer.outcome == Outcome::data) {
    last_success = now;
    failures = 0;
    return;
  }
  ++failures;
  const Duration pause = pause_after(answer.outcome, failures, answer.retry_after, seed);
  if (pause.count() > 0) next_attempt = now + pause;
}

void WholeState::record(const scheduler::SourceAnswer& answer, Instant now, std::uint64_t seed) {
  const bool outage = answer.outcome == Outcome::unavailable;
  if (!outage && !concerns_all_zones(answer.outcome)) {
    *this = {};
    return;
  }
  failures = outcome == answer.outcome ? failures + 1 : 1;
  outcome = answer.outcome;
  detail = answer.detail;
  next_attempt.reset();
  if (outage && failures < k_outages_that_count) return;
  const unsigned counted = outage ? failures - k_outages_that_count + 1 : failures;
  next_attempt = now + pause_after(answer.outcome, counted, answer.retry_after, seed);
}

Grade grade_of_kept(Instant fetched_at, Instant now) {
  return now - fetched_at <= k_aged_for ? Grade::aged : Grade::stale;
}

}  // namespace valle::connectors
