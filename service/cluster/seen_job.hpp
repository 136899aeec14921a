// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "service/cluster/job_reading.hpp"

namespace valle::service::cluster {

/// A job as its object alone tells it: annotations that the leader wrote, conditions, pods. That is what a replica
/// without the job's record can answer. Nothing for an object that nobody has held, or whose annotations can't be read.
/// `sequence` orders jobs by creation and does not depend on which others there are.
[[nodiscard]] std::optional<app::Job> seen_job(const HeldObject& object, std::span<const runtime::SiteConfig> sites,
                                               const ReadingRules& rules, scheduler::Instant now);

}  // namespace valle::service::cluster
