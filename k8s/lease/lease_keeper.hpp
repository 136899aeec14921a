// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "k8s/client/client.hpp"
#include "k8s/lease/election.hpp"

namespace valle::k8s {

struct LeaseOptions {
  std::string space;  ///< namespace of the Lease
  std::string name = "valle";
  std::string identity;  ///< unique to this process: pod name and something random
  LeaseTimes times = {};
  std::uint64_t seed = 0;
};

struct Leadership {
  bool leading = false;
  std::int64_t epoch = -1;
  friend bool operator==(const Leadership&, const Leadership&) = default;
};

/// Takes part in the election on a thread of its own. Give it a Client of its own, so that no rate limit stands between
/// the leader and its renewal. `leading` and `epoch` are safe from any thread and never wait.
class LeaseKeeper final {
 public:
  /// Called on the keeper's thread with every change. The term ends at its time also while this runs: `leading()`
  /// holds.
  using OnChange = std::function<void(const Leadership&)>;

  /// `Errc::invalid_request` for times that break the rules, or without namespace, name or identity.
  [[nodiscard]] static scheduler::Result<std::unique_ptr<LeaseKeeper>> make(std::shared_ptr<Client> client,
                                                                            WallClock wall, LeaseOptions options,
                                                                            OnChange on_change = {});
  ~LeaseKeeper();
  LeaseKeeper(const LeaseKeeper&) = delete;
  LeaseKeeper& operator=(const LeaseKeeper&) = delete;

  void start();
  /// Ends the term, gives the Lease back (waits at most half the renew deadline for that) and joins the thread.
  void stop();

  /// True while this process may plan and release. Read it again just before each act.
  [[nodiscard]] bool leading() const;
  /// Of the present or last term.
  [[nodiscard]] std::int64_t epoch() const { return epoch_.load(); }
  /// Somebody else who holds the Lease, when last seen.
  [[nodiscard]] std::optional<Election::Rival> rival() const;
  /// How long he has not touched it, if that is longer than a leader that is alive ever takes: while it has not run out
  /// nobody leads.
  [[nodiscard]] std::optional<std::chrono::seconds> silent_for() const;
  /// Who held the Lease when last seen, and what went wrong last (empty: nothing since the last success).
  [[nodiscard]] std::string holder() const;
  [[nodiscard]] std::string last_error() const;

 private:
  LeaseKeeper(std::shared_ptr<Client> client, WallClock wall, LeaseOptions options, OnChange on_change);
  void run(const std::stop_token& stop);
  void read(const Call& call);
  void write(const LeaseRecord& record, const std::stop_token& stop);
  void give_back();
  void publish();
  void note(const std::string& error);
  [[nodiscard]] SteadyTime now() const { return client_->clock().now(); }
  [[nodiscard]] Call call(const std::stop_token& stop) const;
  [[nodiscard]] ApiResult<LeaseRecord> put(const LeaseRecord& record, const Call& call);

  std::shared_ptr<Client> client_;
  WallClock wall_;
  LeaseOptions options_;
  OnChange on_change_;
  Election election_;    // on the keeper's thread only
  Json object_;          // likewise: the Lease as last seen, so that what others wrote into it stays
  bool unsure_ = false;  // likewise: the last write may or may not have come through
  Leadership told_;      // likewise
  std::atomic<SteadyTime::rep> leading_until_;
  std::atomic<std::int64_t> epoch_{-1};
  mutable std::mutex mutex_;
  std::string holder_;
  std::optional<Election::Rival> rival_;
  std::string last_error_;
  std::jthread thread_;
};

}  // namespace valle::k8s
