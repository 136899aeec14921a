// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "k8s/client/clock.hpp"
#include "scheduler/model/error.hpp"

namespace valle::k8s {

/// duration > renew_deadline > 1.2 × retry_period > 0, and the duration a whole number of seconds.
struct LeaseTimes {
  std::chrono::seconds duration{15};                 ///< how long others wait after the last change that they saw
  std::chrono::milliseconds renew_deadline{10'000};  ///< how long we act after the last renewal that succeeded
  std::chrono::milliseconds retry_period{2'000};
};
/// Nothing, or which rule is broken (`Errc::invalid_request`).
[[nodiscard]] scheduler::Result<void> check(const LeaseTimes& times);

/// `spec` of a Lease, and its resourceVersion. Times are texts: they are shown and kept, never compared with a clock.
struct LeaseRecord {
  std::string holder = {};  ///< empty: released
  std::chrono::seconds duration{0};
  std::string acquire_time = {};
  std::string renew_time = {};
  std::int64_t transitions = 0;
  std::string resource_version = {};
  friend bool operator==(const LeaseRecord&, const LeaseRecord&) = default;
};

/// Leader election by a Lease after client-go's rules, as a pure state machine: it says what to do next and is told
/// what came of it. Time is monotonic and a parameter; only the local time at which a record was *seen to change*
/// counts. There is no fencing: a paused leader may still write, hence the epoch and guarded writes.
class Election final {
 public:
  struct Wait {
    SteadyTime until;
  };
  struct Read {};
  /// POST (no resource_version) or PUT (guarded by it).
  struct Write {
    LeaseRecord record;
  };
  using Step = std::variant<Wait, Read, Write>;

  /// `identity` is unique to this process. Asserts that the times pass `check`.
  Election(std::string identity, LeaseTimes times, std::uint64_t seed);

  /// What to do now. `wall` is the text of the wall clock for what is written.
  [[nodiscard]] Step next(SteadyTime now, const std::string& wall);

  /// The answer to a Read: the record, or nothing for 404. `now` is when it came.
  void saw(const std::optional<LeaseRecord>& record, SteadyTime now);
  /// A Write succeeded. `begun` is when it was sent: leading counts from there, so that nobody who saw the write can be
  /// ahead of us. `stored` is what the server answered.
  void wrote(const LeaseRecord& stored, SteadyTime begun, SteadyTime now);
  /// 409: somebody was faster.
  void lost_race(SteadyTime now);
  /// Anything else; whether a Write happened is not known.
  void failed(SteadyTime now);

  /// Whether we may act.
  [[nodiscard]] bool leading(SteadyTime now) const { return leading_until_ && now < *leading_until_; }
  [[nodiscard]] std::optional<SteadyTime> leading_until() const { return leading_until_; }
  /// Of our present or last term; grows with each. −1 before the first.
  [[nodiscard]] std::int64_t epoch() const { return epoch_; }
  /// The holder last seen; empty if none or unknown.
  [[nodiscard]] std::string holder() const { return seen_ ? seen_->holder : std::string{}; }
  /// Somebody else who holds the Lease, as last seen. A leader that is alive changes it every few seconds.
  struct Rival {
    std::string holder;
    std::chrono::seconds duration{0};  ///< as the record says, or ours where it says nothing
    SteadyTime changed_at{};           ///< when we last saw it change
    [[nodiscard]] SteadyTime free_at() const { return changed_at + duration; }
    friend bool operator==(const Rival&, const Rival&) = default;
  };
  [[nodiscard]] std::optional<Rival> rival() const;
  /// Ends our term at once. The record to PUT so that the next candidate need not wait; nothing if the
  /// Lease is not ours.
  [[nodiscard]] std::optional<LeaseRecord> resign(const std::string& wall);

 private:
  [[nodiscard]] LeaseRecord claim(const std::string& wall) const;
  [[nodiscard]] LeaseRecord renewal(const std::string& wall) const;
  [[nodiscard]] bool is_of_our_term() const;
  void end_term();
  void wait_a_while(SteadyTime now);

  std::string identity_;
  LeaseTimes times_;
  std::uint64_t random_;
  std::optional<LeaseRecord> seen_;
  SteadyTime seen_at_{};
  bool fresh_ = false;  ///< `seen_` was read since the last wait
  SteadyTime next_at_{SteadyTime::min()};
  std::optional<SteadyTime> leading_until_;
  std::int64_t epoch_ = -1;
};

}  // namespace valle::k8s
