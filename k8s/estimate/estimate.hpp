// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "k8s/annotations/carbon_request.hpp"
#include "k8s/api/job.hpp"
#include "k8s/api/job_set.hpp"
#include "k8s/api/volcano.hpp"
#include "scheduler/energy/estimate.hpp"
#include "scheduler/model/problem.hpp"

namespace valle::k8s {

/// So many pods of one template that run at one time.
struct PodSet {
  PodTemplate pods;
  std::int64_t count = 1;
};
[[nodiscard]] std::vector<PodSet> pod_sets_of(const Job& job);
[[nodiscard]] std::vector<PodSet> pod_sets_of(const VolcanoJob& job);
[[nodiscard]] std::vector<PodSet> pod_sets_of(const JobSet& set);

/// A resource as the planner names and counts it: `cpu` in cores, `memory` in GiB, `gpu` for GPUs of any vendor, other
/// extended resources by their own name. Nothing for what is not planned with (storage, pods, huge pages).
[[nodiscard]] std::optional<scheduler::ResourceDemand> planned_resource(const std::string& name,
                                                                        scheduler::Amount amount);

/// What a job holds while it runs, by resource name; resources of which it asks for nothing are left out. At most 1e12
/// of each.
[[nodiscard]] std::vector<scheduler::ResourceDemand> demand_of(std::span<const PodSet> sets);

/// The model of the accelerators that the job's pods are bound to by their node selector; empty where they are bound to
/// none, or to several.
[[nodiscard]] std::string board_model_of(std::span<const PodSet> sets);

/// What tells the job from others that need different energy and time.
[[nodiscard]] scheduler::JobSignature signature_of(std::span<const PodSet> sets);

/// An estimate and where it comes from, in words for people.
struct DurationEstimate {
  scheduler::Duration duration;
  std::string from;
};
/// The annotation, else what earlier runs took, else the label max-exec-time-seconds, else `active_deadline`, else
/// `otherwise`.
[[nodiscard]] DurationEstimate expected_duration(const CarbonRequest& request, const ObjectMeta& meta,
                                                 const std::optional<scheduler::LearnedEstimate>& learned,
                                                 std::optional<scheduler::Duration> active_deadline,
                                                 scheduler::Duration otherwise);

/// Priors where a job says nothing of its power: the board of a data-centre GPU of unknown model under training load,
/// and a busy core with its share of the node. Boards of known models count by `scheduler::board_prior`.
struct PowerTable {
  scheduler::Power per_gpu = scheduler::Power::of_base(400'000);
  scheduler::Power per_core = scheduler::Power::of_base(10'000);
};
struct PowerEstimate {
  std::optional<scheduler::Energy> energy = {};  ///< one of the two is given
  std::optional<scheduler::Power> power = {};
  std::string from;
};
/// The annotations, else what earlier runs used, else GPUs and cores by the table; a job that asks for neither is taken
/// for one core. What was learned is the energy of one run: it holds whatever the run is expected to take.
[[nodiscard]] PowerEstimate expected_power(const CarbonRequest& request,
                                           const std::optional<scheduler::LearnedEstimate>& learned,
                                           std::span<const scheduler::ResourceDemand> demand,
                                           std::string_view board_model = {}, const PowerTable& table = {});

}  // namespace valle::k8s
