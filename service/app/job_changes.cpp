// SPDX-License-Identifier: Apache-2.0
#include "service/app/job_changes.hpp"

#include <utility>

namespace valle::service::app {
namespace {

using scheduler::Errc;
using scheduler::Instant;
using scheduler::refuse;
using scheduler::Result;

tl::unexpected<scheduler::Error> not_from(const Job& job, const std::string& step) {
  std::string why = "job " + job.id + " is " + std::string{to_text(job.state)} + " and can't be " + step;
  if (job.state == JobState::waiting && job.slot) {
    why += "; its slot begins at " + scheduler::format_instant(job.slot->start());
  }
  return refuse(Errc::conflict, std::move(why));
}

/// An instant that a caller reports lies between what came before and now.
Result<Instant> reported(std::optional<Instant> at, Instant not_before, Instant now) {
  const Instant instant = at.value_or(now);
  if (instant > now) return refuse(Errc::invalid_request, "at lies in the future", "/at");
  if (instant < not_before) {
    return refuse(Errc::invalid_request, "at lies before " + scheduler::format_instant(not_before), "/at");
  }
  return instant;
}

JobState state_after(Ending ending) {
  switch (ending) {
    case Ending::finished: return JobState::finished;
    case Ending::failed: return JobState::failed;
    case Ending::cancelled: return JobState::cancelled;
  }
  return JobState::failed;
}

}  // namespace

Result<Job> released(Job job, const JobSlot& slot, Instant now) {
  if (job.state != JobState::waiting) return not_from(job, "released");
  job.state = JobState::released;
  job.slot = slot;
  job.released_at = now;
  return job;
}

Result<Job> started(Job job, std::optional<Instant> at, Instant now) {
  if (job.state == JobState::running && (!at || job.started_at == at)) return job;
  if (job.state != JobState::released) return not_from(job, "started");
  const auto instant = reported(at, job.submitted_at, now);
  if (!instant) return tl::unexpected{instant.error()};
  job.state = JobState::running;
  job.started_at = *instant;
  return job;
}

Result<Job> finished(Job job, const Finish& finish, Instant now) {
  const bool same = job.state == state_after(finish.ending) && (!finish.at || job.finished_at == finish.at) &&
                    (!finish.energy || job.energy == finish.energy);
  if (same && job.started_at) return job;
  if (job.state != JobState::running) return not_from(job, "finished");
  const auto instant = reported(finish.at, *job.started_at, now);
  if (!instant) return tl::unexpected{instant.error()};
  job.state = state_after(finish.ending);
  job.finished_at = *instant;
  job.energy = finish.energy;
  return job;
}

Result<Job> cancelled(Job job, Instant now) {
  if (job.state == JobState::cancelled) return job;
  if (!is_active(job.state)) return not_from(job, "cancelled");
  job.state = JobState::cancelled;
  job.finished_at = now;
  return job;
}

}  // namespace valle::service::app
