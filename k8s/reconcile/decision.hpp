// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "k8s/client/client.hpp"
#include "scheduler/units/time.hpp"
#include "scheduler/units/units.hpp"

namespace valle::k8s {

/// What the plan wants of one job at this moment.
struct Decision {
  bool released = false;  ///< its start has come; a release is never taken back
  std::optional<scheduler::Instant> planned_start = {};
  std::string site = {};    ///< its name, for people
  std::string region = {};  ///< value of the nodes' region label; empty: the job is not pinned
  std::string queue = {};   ///< LocalQueue of the site; empty: the job stays in its own
  scheduler::Instant start_by{};
  std::optional<scheduler::Emissions> planned = {};    ///< of the planned run
  std::optional<scheduler::Emissions> baseline = {};   ///< of a run at once at home
  std::string reason = {};                             ///< one sentence
  std::optional<scheduler::Instant> released_at = {};  ///< when it is let go: now
  std::optional<std::string> warning = {};  ///< what is wrong, e.g. released only because its latest start came
  std::int64_t epoch = 0;                   ///< of the leader who decided
  friend bool operator==(const Decision&, const Decision&) = default;
};

/// The reasons of our Events, a closed set.
enum class EventReason {
  held,         ///< CarbonHeld: waits, and until when at most
  planned,      ///< CarbonPlanned: got its first start
  replanned,    ///< CarbonReplanned: got another one
  released,     ///< CarbonReleased: may start now, as planned
  deadline,     ///< CarbonDeadline: may start now because its latest start has come
  run_now,      ///< CarbonRunNow: its owner asked for it
  invalid,      ///< CarbonInvalid: an annotation can't be read
  unsuspended,  ///< CarbonUnsuspended: somebody started it himself
  redeferred,   ///< CarbonRedeferred: evicted, and waits again within what is left of its time
  evicted,      ///< CarbonEvicted: evicted without time to wait again: Kueue brings it back as it can
  no_queue,     ///< CarbonNoQueue: Kueue can't admit it as things are: a queue is missing, or its quota too small
  late,         ///< CarbonLate: released in time, but its pods have not started by its latest start
};
[[nodiscard]] std::string_view to_text(EventReason reason);

struct JobEvent {
  EventReason reason;
  bool warning = false;
  std::string note;
  friend bool operator==(const JobEvent&, const JobEvent&) = default;
};

/// One write to the API server, with what is told about it once it has succeeded.
struct Action {
  Resource resource;
  std::string space;
  std::string name;
  Patch::Type kind = Patch::Type::merge;
  Json body;
  std::vector<JobEvent> events = {};
  bool releases = false;         ///< counted and timed apart
  std::string subresource = {};  ///< "status", or empty: the object itself
};

}  // namespace valle::k8s
