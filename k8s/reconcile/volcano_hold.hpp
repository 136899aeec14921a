// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "k8s/api/pod.hpp"
#include "k8s/api/volcano.hpp"
#include "k8s/reconcile/decision.hpp"

namespace valle::k8s {

/// The vcjob's pods are made with our scheduling gate: every task's template has it, and a template never changes.
[[nodiscard]] bool holds_pods(const VolcanoJob& job);

/// What to do so that the vcjob is as the decision wants it. A release is recorded on the vcjob first; then each of its
/// pods that has our gate loses it and is pinned to the region, in one JSON patch that tests the gate's place. That
/// goes on for the job's whole life: pods that come later (a restart, an eviction) are made gated again. The gang
/// starts when enough of its pods are free, so their order does not matter. `pods` may hold pods of others.
[[nodiscard]] std::vector<Action> reconcile(const VolcanoJob& job, std::span<const Pod> pods, const Decision& decision);

}  // namespace valle::k8s
