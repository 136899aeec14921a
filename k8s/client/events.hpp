// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "k8s/client/client.hpp"
#include "k8s/client/recent_map.hpp"

namespace valle::k8s {

/// The object that an Event is about.
struct Subject {
  std::string api_version;
  std::string kind;
  std::string space;
  std::string name;
  std::string uid;
  std::string resource_version = {};
};

struct Event {
  enum class Type { normal, warning };
  Subject subject;
  Type type = Type::normal;
  std::string reason;  ///< one UpperCamel word of at most 128 bytes
  std::string note;    ///< for people; cut at 1,024 bytes, the server's limit
  std::string action;  ///< what we did or tried, UpperCamel: "Hold", "Release"
};

struct EventOptions {
  std::string controller = "valle.sh/valle";  ///< reportingController
  std::string instance = "valle";             ///< reportingInstance: the pod's name
  std::size_t most_remembered = 20'000;       ///< series and budgets each; the longest unused is forgotten first
  std::uint32_t burst = 10;                   ///< different events about one subject and reason at once …
  std::chrono::seconds refill{300};           ///< … and one more each
  std::chrono::seconds series_gap{360};       ///< the same event again within this time continues a series
};

/// Writes `events.k8s.io/v1` Events. What repeats itself (same subject, type, reason, action, note) becomes a series:
/// its second time writes a count, further ones only at 4, 8, 16 …; what floods is dropped and counted. Blocking; safe
/// from any thread.
class EventRecorder final {
 public:
  EventRecorder(std::shared_ptr<Client> client, WallClock wall, EventOptions options);

  enum class Outcome { written, counted, dropped };
  /// Nobody's work depends on an Event: a failure is for the log.
  [[nodiscard]] ApiResult<Outcome> record(const Event& event, const Call& call);
  [[nodiscard]] std::uint64_t dropped() const;

 private:
  struct Series {
    std::string space;
    std::string name;  ///< of the Event object
    std::uint64_t count = 0;
    SteadyTime last{};
  };
  struct Budget {
    std::uint32_t left = 0;
    SteadyTime refilled{};
  };
  enum class Act { create, count, nothing };
  struct Decision {
    Act act;
    Outcome outcome;
    Series series;
  };
  [[nodiscard]] Decision decide(const Event& event, const std::string& key);
  [[nodiscard]] bool spend(const Event& event, SteadyTime now);
  [[nodiscard]] ApiResult<Outcome> create(const Event& event, const Series& series, const Call& call);
  [[nodiscard]] ApiResult<Outcome> count(const Event& event, const Series& series, const Call& call);
  void forget(const std::string& key);

  std::shared_ptr<Client> client_;
  WallClock wall_;
  EventOptions options_;
  mutable std::mutex mutex_;
  RecentMap<Series> series_;
  RecentMap<Budget> budgets_;
  std::uint64_t dropped_ = 0;
  std::uint64_t names_ = 0;  ///< Events named so far
};

}  // namespace valle::k8s
