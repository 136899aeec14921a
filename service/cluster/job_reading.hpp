// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scheduler/energy/estimate.hpp"
#include "service/app/job.hpp"
#include "service/cluster/held_object.hpp"
#include "service/runtime/config.hpp"

namespace valle::service::cluster {

// Reasons that are told by Events of their own.
inline constexpr const char* k_asked_to_run_now = "its owner asked to run it now";
inline constexpr const char* k_started_elsewhere = "it was started by somebody else";

/// Whose account a job is on: its namespace, its queue, or the value of a label (`label:KEY`); nobody's where it has
/// none.
[[nodiscard]] std::string owner_of(const k8s::ObjectMeta& meta, const std::string& by);

/// How the objects of a cluster become jobs of the planner.
struct ReadingRules {
  std::string owner_by = "namespace";                            ///< as for `owner_of`
  scheduler::Duration default_duration = std::chrono::hours{1};  ///< where nothing says how long a job runs
  scheduler::Duration longest_wait = std::chrono::days{7};
  scheduler::Duration finish_margin{0};        ///< that finish-by is met with
  scheduler::Duration admission_allowance{0};  ///< between a release and the start of a pod
  /// What earlier runs say of a job with this signature; quick. Empty: nothing is known.
  std::function<std::optional<scheduler::LearnedEstimate>(const scheduler::JobSignature&)> learned = {};
};

/// A carbon-aware object as the planner sees it, waiting. An absolute `valle.sh/start-by` on the object counts as long
/// as the annotations don't ask for an earlier start. Refused: annotations that can't be read, regions that no site
/// has.
[[nodiscard]] scheduler::Result<app::Job> read_job(const HeldObject& object, std::span<const runtime::SiteConfig> sites,
                                                   const ReadingRules& rules);

/// The stored job as its object shows it now: released when it is held no more, running when its pods run, ended as its
/// conditions say; an earlier deadline and `run-now` are taken over. Never back to an earlier state.
[[nodiscard]] app::Job advanced(app::Job stored, const HeldObject& object, std::span<const runtime::SiteConfig> sites,
                                const ReadingRules& rules, scheduler::Instant now);

/// The name of the site that is meant by a region's label, a zone or a site's name, whatever their case.
[[nodiscard]] std::optional<std::string> site_of_region(const std::string& region,
                                                        std::span<const runtime::SiteConfig> sites);

/// The job of an object that is gone: cancelled, unless it has ended.
[[nodiscard]] app::Job vanished(app::Job stored, scheduler::Instant now);

}  // namespace valle::service::cluster
