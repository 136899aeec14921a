// SPDX-License-Identifier: Apache-2.0
#include "service/cluster/held_object.hpp"

#include "k8s/reconcile/job_hold.hpp"
#include "k8s/reconcile/job_set_hold.hpp"
#include "k8s/reconcile/volcano_hold.hpp"

namespace valle::service::cluster {

HeldObject held_object(const k8s::Job& job) {
  return {.kind = "Job",
          .meta = job.meta,
          .held = k8s::hold_of(job) != k8s::Hold::none,
          .suspended = job.suspended,
          .phase = job.phase,
          .pods_run = job.ready > 0,
          .started_at = job.started_at,
          .finished_at = job.finished_at,
          .pods = k8s::pod_sets_of(job),
          .active_deadline = job.active_deadline};
}

HeldObject held_object(const k8s::VolcanoJob& job) {
  HeldObject object{.kind = "VolcanoJob",
                    .meta = job.meta,
                    .held = k8s::holds_pods(job) && !k8s::remembered(job.meta).released_at,
                    .phase = job.phase,
                    .pods_run = job.pods_run,
                    .pods = k8s::pod_sets_of(job)};
  if (job.pods_run) object.started_at = job.changed_at;
  if (object.over()) object.finished_at = job.changed_at;
  return object;
}

HeldObject held_object(const k8s::JobSet& set) {
  // A JobSet tells no start time: it is taken to run from its release on.
  const auto released = k8s::remembered(set.meta).released_at;
  return {.kind = "JobSet",
          .meta = set.meta,
          .held = k8s::hold_of(set) != k8s::Hold::none,
          .suspended = set.suspended,
          .phase = set.phase,
          .pods_run = !set.suspended,
          .started_at = released,
          .finished_at = set.finished_at,
          .pods = k8s::pod_sets_of(set)};
}

}  // namespace valle::service::cluster
