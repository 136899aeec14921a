// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

namespace valle::service::cluster {

/// Names of things that need looking at, each at most once, in order; urgent ones first. A name that is being worked on
/// is not given out again before it is done. Safe from any thread.
class KeyQueue final {
 public:
  void add(const std::string& key, bool urgent = false);
  /// Again after a pause that grows with each call for the same key until `forget`.
  void add_later(const std::string& key);
  void forget(const std::string& key);

  /// Waits for a key; nothing once stopped.
  [[nodiscard]] std::optional<std::string> take(const std::stop_token& stop);
  /// All that waits, at most `most`, once there is something; for a single worker, which needs no `done`.
  [[nodiscard]] std::vector<std::string> take_all(std::size_t most, const std::stop_token& stop);
  void done(const std::string& key);
  [[nodiscard]] std::size_t size() const;

 private:
  using Time = std::chrono::steady_clock::time_point;
  void place(const std::string& key, bool urgent);
  void wake_delayed(Time now);
  /// Waits until something is ready or stop is requested.
  bool wait(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);

  mutable std::mutex mutex_;
  std::condition_variable_any ready_;
  std::deque<std::string> urgent_;
  std::deque<std::string> ordinary_;
  std::map<std::string, bool> waiting_;  ///< in one of the two; is it urgent?
  std::set<std::string> working_;
  std::map<std::string, bool> again_;  ///< asked for while it is worked on
  std::multimap<Time, std::string> later_;
  std::map<std::string, std::chrono::milliseconds> pauses_;
};

}  // namespace valle::service::cluster
