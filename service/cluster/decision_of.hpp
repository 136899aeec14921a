// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "k8s/reconcile/decision.hpp"
#include "service/app/job.hpp"
#include "service/runtime/config.hpp"

namespace valle::service::cluster {

/// What the stored job asks of its object. A job that is released without a plan is not pinned, unless it may run at
/// one site only: any place is better than a late start. `baseline` is left out.
[[nodiscard]] k8s::Decision decision_of(const app::Job& job, std::span<const runtime::SiteConfig> sites);

}  // namespace valle::service::cluster
