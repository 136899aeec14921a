// SPDX-License-Identifier: Apache-2.0
#include "k8s/api/job_set.hpp"

#include <algorithm>
#include <utility>

namespace valle::k8s {
namespace {

std::int64_t count_of(const Json& object, const char* name) {
  return std::max<std::int64_t>(0, number_member(object, name).value_or(1));
}

}  // namespace

scheduler::Result<JobSet> parse_job_set(const Json& object) {
  auto parsed = named_meta_of(object, "JobSet").map([](ObjectMeta meta) { return JobSet{.meta = std::move(meta)}; });
  if (!parsed) return parsed;
  JobSet& set = *parsed;
  const Json& spec = inner(object, "spec");
  set.suspended = flag_member(spec, "suspend");
  set.managed_by = text_member(spec, "managedBy");
  for (const auto& each : inner(spec, "replicatedJobs")) {
    const Json& job = inner(inner(each, "template"), "spec");
    set.jobs.push_back({.name = text_member(each, "name"),
                        .replicas = count_of(each, "replicas"),
                        .parallelism = count_of(job, "parallelism"),
                        .pods = pod_template_of(inner(job, "template"))});
  }
  auto progress = progress_of(object, "Completed", set.suspended);
  set.phase = progress.phase;
  set.finished_at = progress.finished_at;
  set.failure = std::move(progress.failure);
  return parsed;
}

}  // namespace valle::k8s
