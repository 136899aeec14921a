// SPDX-License-Identifier: Apache-2.0
#include "k8s/lease/election.hpp"

#include <algorithm>
#include <utility>

#include "k8s/client/jitter.hpp"
#include "scheduler/units/require.hpp"

namespace valle::k8s {

using scheduler::Errc;
using scheduler::refuse;
using std::chrono::milliseconds;
using std::chrono::seconds;

scheduler::Result<void> check(const LeaseTimes& times) {
  if (times.retry_period <= milliseconds{0}) return refuse(Errc::invalid_request, "the retry period must be positive");
  // client-go's jitter factor of 1.2, in integers.
  if (5 * times.renew_deadline <= 6 * times.retry_period) {
    return refuse(Errc::invalid_request, "the renew deadline must be longer than 1.2 retry periods");
  }
  if (times.duration <= times.renew_deadline) {
    return refuse(Errc::invalid_request, "the lease's duration must be longer than the renew deadline");
  }
  if (times.duration > seconds{3600}) return refuse(Errc::invalid_request, "the lease's duration is an hour at most");
  return {};
}

Election::Election(std::string identity, LeaseTimes times, std::uint64_t seed)
    : identity_{std::move(identity)}, times_{times}, random_{seed} {
  scheduler::require(!identity_.empty(), "a candidate has an identity");
  scheduler::require(check(times_).has_value(), "the times of a lease were checked");
}

Election::Step Election::next(SteadyTime now, const std::string& wall) {
  if (leading_until_ && !leading(now)) end_term();
  if (now < next_at_) return Wait{leading_until_ ? std::min(next_at_, *leading_until_) : next_at_};
  if (!fresh_) return Read{};
  if (leading_until_) return Write{renewal(wall)};
  const auto other = rival();
  if (!other || now >= other->free_at()) return Write{claim(wall)};
  wait_a_while(now);
  next_at_ = std::min(next_at_, other->free_at());  // not a moment later than it can be had
  return Wait{next_at_};
}

std::optional<Election::Rival> Election::rival() const {
  if (!seen_ || seen_->holder.empty() || seen_->holder == identity_) return {};
  // A record that does not say how long it holds gets our own time: too long is safe, too short is not.
  return Rival{seen_->holder, seen_->duration > seconds{0} ? seen_->duration : times_.duration, seen_at_};
}

LeaseRecord Election::claim(const std::string& wall) const {
  LeaseRecord record{.holder = identity_, .duration = times_.duration, .acquire_time = wall, .renew_time = wall};
  // Above every epoch that was ours, even if somebody has deleted the Lease and its count with it.
  record.transitions = std::max(seen_ ? seen_->transitions : -1, epoch_) + 1;
  if (seen_) record.resource_version = seen_->resource_version;
  return record;
}

LeaseRecord Election::renewal(const std::string& wall) const {
  LeaseRecord record = *seen_;
  record.duration = times_.duration;
  record.renew_time = wall;
  return record;
}

void Election::saw(const std::optional<LeaseRecord>& record, SteadyTime now) {
  const auto without_version = [](LeaseRecord of) {
    of.resource_version.clear();
    return of;
  };
  const bool same = record && seen_ && without_version(*record) == without_version(*seen_);
  if (!same) seen_at_ = now;
  seen_ = record;
  if (leading_until_ && !is_of_our_term()) end_term();
  fresh_ = true;  // it was read just now, whosever it is
  next_at_ = now;
}

bool Election::is_of_our_term() const { return seen_ && seen_->holder == identity_ && seen_->transitions == epoch_; }

void Election::end_term() {
  leading_until_.reset();
  fresh_ = false;
}

void Election::wrote(const LeaseRecord& stored, SteadyTime begun, SteadyTime now) {
  const bool renewed = stored.transitions == epoch_;
  const bool lapsed = renewed && !leading(now);
  seen_ = stored;
  seen_at_ = now;
  fresh_ = true;
  if (lapsed) {
    // The renewal came through, but too late: others were told that the term is over. Begin another.
    leading_until_.reset();
    next_at_ = now;
    return;
  }
  epoch_ = stored.transitions;
  leading_until_ = begun + times_.renew_deadline;
  next_at_ = now + times_.retry_period;
}

void Election::lost_race(SteadyTime now) {
  fresh_ = false;
  // A leader looks at once, nearly: its own earlier renewal may have come through unnoticed.
  if (leading_until_) {
    next_at_ = now + times_.retry_period / 4;
  } else {
    wait_a_while(now);
  }
}

void Election::failed(SteadyTime now) {
  fresh_ = false;
  if (leading_until_) {
    next_at_ = now + times_.retry_period;
  } else {
    wait_a_while(now);
  }
}

void Election::wait_a_while(SteadyTime now) {
  random_ = scrambled(random_);
  next_at_ = now + between(times_.retry_period, times_.retry_period * 11 / 5, random_);
  fresh_ = false;
}

std::optional<LeaseRecord> Election::resign(const std::string& wall) {
  end_term();
  if (!seen_ || seen_->holder != identity_) return std::nullopt;
  LeaseRecord record = *seen_;
  record.holder.clear();
  record.duration = seconds{1};
  record.renew_time = wall;
  return record;
}

}  // namespace valle::k8s
