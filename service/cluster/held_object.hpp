// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "k8s/api/job.hpp"
#include "k8s/api/job_set.hpp"
#include "k8s/api/volcano.hpp"
#include "k8s/estimate/estimate.hpp"

namespace valle::service::cluster {

/// An object of a cluster that can be held, of whatever kind, as the planner needs to see it.
struct HeldObject {
  std::string kind;  ///< `Job`, `VolcanoJob`, `JobSet`
  k8s::ObjectMeta meta;
  bool held = false;       ///< something of ours still keeps it from starting
  bool suspended = false;  ///< by whomever
  k8s::JobPhase phase = k8s::JobPhase::running;
  bool pods_run = false;
  std::optional<scheduler::Instant> started_at = {};
  std::optional<scheduler::Instant> finished_at = {};
  std::vector<k8s::PodSet> pods = {};
  std::optional<scheduler::Duration> active_deadline = {};

  /// `Job/namespace/name`
  [[nodiscard]] std::string key() const { return kind + "/" + meta.key(); }
  [[nodiscard]] bool over() const { return phase == k8s::JobPhase::finished || phase == k8s::JobPhase::failed; }
};

[[nodiscard]] HeldObject held_object(const k8s::Job& job);
/// A vcjob's gates stay in its templates for ever: it is held until its release is recorded.
[[nodiscard]] HeldObject held_object(const k8s::VolcanoJob& job);
[[nodiscard]] HeldObject held_object(const k8s::JobSet& set);

}  // namespace valle::service::cluster
