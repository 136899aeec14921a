// SPDX-License-Identifier: Apache-2.0
#include "service/cluster/decision_of.hpp"

#include <algorithm>

namespace valle::service::cluster {

k8s::Decision decision_of(const app::Job& job, std::span<const runtime::SiteConfig> sites) {
  k8s::Decision decision{.released = job.state != app::JobState::waiting,
                         .start_by = job.object ? job.object->start_by : job.start_by,
                         .reason = job.reason,
                         .released_at = job.released_at,
                         .warning = job.warning};
  if (!job.slot) return decision;
  if (job.slot->by_plan) {
    decision.planned_start = job.slot->start();
    decision.planned = job.slot->emissions;
  }
  const bool only_there = job.request.sites && job.request.sites->size() == 1;
  if (!job.slot->by_plan && !only_there) return decision;
  decision.site = job.slot->site;
  const auto site =
      std::find_if(sites.begin(), sites.end(), [&](const auto& each) { return each.name == job.slot->site; });
  if (site == sites.end()) return decision;
  decision.region = site->region;
  decision.queue = site->queue;
  return decision;
}

}  // namespace valle::service::cluster
