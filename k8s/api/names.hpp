// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>

/// Annotations, labels, gates and other names of Kubernetes, Kueue and ours.
namespace valle::k8s::names {

inline const std::string k_gate = "valle.sh/carbon";  ///< in `k_gated_by`, and as a pod's scheduling gate
inline const std::string k_gated_by = "kueue.x-k8s.io/admission-gated-by";
inline const std::string k_queue = "kueue.x-k8s.io/queue-name";
inline const std::string k_job_uid = "kueue.x-k8s.io/job-uid";
inline const std::string k_max_exec_time = "kueue.x-k8s.io/max-exec-time-seconds";
inline const std::string k_prebuilt = "kueue.x-k8s.io/prebuilt-workload-name";
inline const std::string k_elastic = "kueue.x-k8s.io/elastic-job";
inline const std::string k_multikueue_origin = "kueue.x-k8s.io/multikueue-origin";
inline const std::string k_region_label = "topology.kubernetes.io/region";
inline const std::string k_region_toleration = "valle.sh/region";

// Written by the job's owner; the first name counts, the second is an alias.
inline const std::array<std::string, 2> k_carbon_aware{"kueue.x-k8s.io/carbon-aware", "valle.sh/carbon-aware"};
inline const std::array<std::string, 2> k_carbon_deadline{"kueue.x-k8s.io/carbon-deadline", "valle.sh/carbon-deadline"};
inline const std::string k_finish_by = "valle.sh/finish-by";
inline const std::string k_expected_duration = "valle.sh/expected-duration";
inline const std::string k_energy_kwh = "valle.sh/energy-kwh";
inline const std::string k_power_watts = "valle.sh/power-watts";
inline const std::string k_regions = "valle.sh/regions";
inline const std::string k_home_region = "valle.sh/home-region";
inline const std::string k_run_now = "valle.sh/run-now";

// Written by valle.
inline const std::string k_start_by = "valle.sh/start-by";
inline const std::string k_planned_start = "valle.sh/planned-start";
inline const std::string k_planned_region = "valle.sh/planned-region";
inline const std::string k_planned_grams = "valle.sh/planned-carbon-grams";
inline const std::string k_baseline_grams = "valle.sh/baseline-carbon-grams";
inline const std::string k_reason = "valle.sh/reason";
inline const std::string k_released_at = "valle.sh/released-at";
inline const std::string k_held = "valle.sh/held";  ///< how it is held where no gate says so: `suspend` or `queue`
inline const std::string k_held_queue = "valle.sh/queue";         ///< the queue that a job held by `queue` will enter
inline const std::string k_waits_again = "valle.sh/waits-again";  ///< on a Workload: until when we have deactivated it

/// What valle alone writes on a job: not taken from a new object.
inline const std::array k_written{k_start_by,       k_planned_start, k_planned_region, k_planned_grams,
                                  k_baseline_grams, k_reason,        k_released_at};
/// What is read of a job.
inline const std::array k_read{
    k_carbon_aware[0], k_carbon_aware[1], k_carbon_deadline[0], k_carbon_deadline[1], k_finish_by, k_energy_kwh,
    k_power_watts,     k_regions,         k_expected_duration,  k_home_region,        k_run_now,   k_held,
    k_held_queue};

inline const std::string k_check_controller = "valle.sh/carbon-check";

}  // namespace valle::k8s::names
