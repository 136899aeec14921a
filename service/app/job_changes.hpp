// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "scheduler/model/error.hpp"
#include "service/app/job.hpp"

namespace valle::service::app {

/// How a run ended, by the words of `POST /v1/jobs/{id}/finished`.
enum class Ending { finished, failed, cancelled };

struct Finish {
  std::optional<scheduler::Instant> at = {};
  std::optional<scheduler::Energy> energy = {};
  Ending ending = Ending::finished;
};

/// The steps of a job's life, pure: each gives the job as it is afterwards, or says why the step is not possible
/// (`conflict`), or which instant is wrong (`invalid-request` at `/at`). A step that has been taken already with the
/// same content changes nothing.
[[nodiscard]] scheduler::Result<Job> released(Job job, const JobSlot& slot, scheduler::Instant now);
[[nodiscard]] scheduler::Result<Job> started(Job job, std::optional<scheduler::Instant> at, scheduler::Instant now);
[[nodiscard]] scheduler::Result<Job> finished(Job job, const Finish& finish, scheduler::Instant now);
[[nodiscard]] scheduler::Result<Job> cancelled(Job job, scheduler::Instant now);

}  // namespace valle::service::app
