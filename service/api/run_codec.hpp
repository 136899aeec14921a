// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "service/api/member_reader.hpp"
#include "service/app/posted_run.hpp"
#include "service/store/run_repository.hpp"

namespace valle::service::api {

/// The most runs of one request.
inline constexpr std::size_t k_most_posted_runs = 10'000;

/// The members of a run that is posted, for their check against openapi.json.
[[nodiscard]] std::span<const std::string_view> posted_run_members();

/// Reads `POST /v1/runs`: an array, each element checked with its pointer.
[[nodiscard]] scheduler::Result<std::vector<scheduler::Run>> read_runs(const Json& body,
                                                                       std::span<const runtime::SiteConfig> sites,
                                                                       scheduler::Instant now);
/// `{"stored":2,"unchanged":1}`
[[nodiscard]] std::string posted_json(const store::PostedRuns& posted);

}  // namespace valle::service::api
