// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "k8s/api/admission_check.hpp"
#include "k8s/api/kueue.hpp"
#include "k8s/reconcile/decision.hpp"

namespace valle::k8s {

/// What the plan wants of a job that was released once, when Kueue has taken its quota away again.
struct SecondWait {
  std::optional<scheduler::Instant> until = {};  ///< a cleaner start; nothing: as soon as Kueue can
  scheduler::Instant start_by{};                 ///< of its first release; it never waits beyond
  std::string site = {};                         ///< for people
  friend bool operator==(const SecondWait&, const SecondWait&) = default;
};

/// Until when we have deactivated it, as its annotation says.
[[nodiscard]] std::optional<scheduler::Instant> waits_again_until(const Workload& workload);

/// What to do with a Workload that was evicted (preempted, its node lost, its pods not ready in time). The gate can't
/// be put back; it waits deactivated (`spec.active`), without quota, and is activated again at `until`, or earlier if
/// its plan says so. One that has quota again is left alone, and so is one that somebody else deactivated or Kueue
/// ended.
[[nodiscard]] std::vector<Action> reconcile(const Workload& workload, const SecondWait& wish, scheduler::Instant now);

/// Our answer to the AdmissionCheck of that name, written once it is asked: always Ready, for a check that is pending
/// holds quota. Nothing while an eviction is under way (an answer then can strand the Workload), and nothing for a
/// check that is not there or answered.
[[nodiscard]] std::vector<Action> verdict(const Workload& workload, const std::string& check, scheduler::Instant now);

/// Says that our AdmissionCheck has a controller; without it all its ClusterQueues stand still. Never taken back.
[[nodiscard]] std::vector<Action> activate(const AdmissionCheck& check, scheduler::Instant now);

}  // namespace valle::k8s
