// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "k8s/api/job_set.hpp"
#include "k8s/api/kueue.hpp"
#include "k8s/reconcile/decision.hpp"
#include "k8s/reconcile/job_hold.hpp"

namespace valle::k8s {

[[nodiscard]] inline Hold hold_of(const JobSet& set) { return hold_of(set.meta, set.suspended); }

/// As for a Job (see there). Its pods' templates stand in a list, which a merge patch would replace as a whole; so the
/// release is one JSON patch that tests the resourceVersion and pins each template in its place.
[[nodiscard]] std::vector<Action> reconcile(const JobSet& set, const Workload* workload, const Decision& decision,
                                            Starter starter = Starter::kueue);

}  // namespace valle::k8s
