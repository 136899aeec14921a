// SPDX-License-Identifier: Apache-2.0
#include "service/app/job.hpp"

#include <algorithm>

namespace valle::service::app {

std::string_view to_text(JobState state) {
  switch (state) {
    case JobState::waiting: return "waiting";
    case JobState::released: return "released";
    case JobState::running: return "running";
    case JobState::finished: return "finished";
    case JobState::failed: return "failed";
    case JobState::cancelled: return "cancelled";
  }
  return "";
}

std::optional<JobState> job_state_from_text(std::string_view text) {
  const auto found =
      std::find_if(k_job_states.begin(), k_job_states.end(), [text](JobState state) { return to_text(state) == text; });
  return found == k_job_states.end() ? std::nullopt : std::optional{*found};
}

bool is_active(JobState state) {
  return state == JobState::waiting || state == JobState::released || state == JobState::running;
}

JobRequest merged(JobRequest request, const JobRequest& change) {
  if (change.finish_by || change.latest_start || change.max_wait) {
    request.finish_by.reset();
    request.latest_start.reset();
    request.max_wait.reset();
  }
  if (change.power || change.energy) {
    request.power.reset();
    request.energy.reset();
  }
  const auto take = [](auto& member, const auto& given) {
    if (given) member = given;
  };
  take(request.owner, change.owner);
  take(request.earliest_start, change.earliest_start);
  take(request.finish_by, change.finish_by);
  take(request.latest_start, change.latest_start);
  take(request.max_wait, change.max_wait);
  take(request.duration, change.duration);
  take(request.power, change.power);
  take(request.energy, change.energy);
  take(request.modes, change.modes);
  take(request.demand, change.demand);
  take(request.sites, change.sites);
  take(request.home_site, change.home_site);
  take(request.priority, change.priority);
  take(request.interruption, change.interruption);
  take(request.fixed, change.fixed);
  take(request.group, change.group);
  take(request.transfer_gb, change.transfer_gb);
  return request;
}

}  // namespace valle::service::app
