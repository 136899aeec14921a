// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "k8s/client/client.hpp"

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
  std::string instance;                       ///< reportingInstance: the pod's name
  std::size_t most_subjects = 20'000;         ///< remembered; the longest unused is forgotten first
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
  struct Series;
  struct Spam;
  std::shared_ptr<Client> client_;
  WallClock wall_;
  EventOptions options_;
  mutable std::mutex mutex_;
  std::uint64_t dropped_ = 0;
};

}  // namespace valle::k8s
