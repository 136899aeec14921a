// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "service/api/json_writer.hpp"
#include "service/api/member_reader.hpp"
#include "service/app/job_changes.hpp"
#include "service/app/job_explanation.hpp"
#include "service/app/jobs.hpp"

namespace valle::service::api {

/// The members of a job, those of a change (the same without `id`), and those of the two reports of a run; for their
/// check against openapi.json.
[[nodiscard]] std::span<const std::string_view> job_members();
[[nodiscard]] std::span<const std::string_view> job_change_members();
[[nodiscard]] std::span<const std::string_view> started_members();
[[nodiscard]] std::span<const std::string_view> finished_members();

[[nodiscard]] scheduler::Result<app::NewJob> read_job(const Json& body);
[[nodiscard]] scheduler::Result<app::JobRequest> read_job_change(const Json& body);
[[nodiscard]] scheduler::Result<std::optional<scheduler::Instant>> read_started(const Json& body);
[[nodiscard]] scheduler::Result<app::Finish> read_finished(const Json& body);

/// The job as the contract shows it: what was asked, `state`, `slot {site,start,end}`, `startBy`, and how it went.
void write_job(JsonWriter& json, const app::Job& job);
[[nodiscard]] std::string job_json(const app::Job& job);
/// `{state, reason, startBy, slot, options, blockedBy, dataAge}`
[[nodiscard]] std::string explanation_json(const app::Explanation& explanation);

}  // namespace valle::service::api
