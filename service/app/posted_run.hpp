// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scheduler/account/run.hpp"
#include "service/runtime/config.hpp"

namespace valle::service::app {

/// A finished run as somebody tells it: from the body of a request, or a line of a file. Values lie in the limits of
/// their fields; how they go together is not checked yet.
struct PostedRun {
  std::string id;
  std::string owner = {};
  std::string site;
  std::string home_site = {};  ///< empty: the site itself
  scheduler::Instant submitted{};
  scheduler::Instant started{};
  scheduler::Instant finished{};
  std::optional<scheduler::Energy> energy = {};  ///< of the job, before PUE; nothing: not known
  std::optional<scheduler::Energy> uncertainty = {};
  std::vector<scheduler::EnergySlice> profile = {};  ///< in order, sums to `energy`; empty: constant power
  std::optional<scheduler::Instant> start_by = {};
  std::optional<scheduler::Amount> gpus = {};
  std::string label = {};
  scheduler::AttemptOutcome outcome = scheduler::AttemptOutcome::finished;
};

/// The longest run.
inline constexpr scheduler::Duration k_longest_posted_run = std::chrono::days{366};

/// The run for the ledger, with the home site's PUE of today frozen in it. Refused, with the member's name as pointer:
/// a site that is not known (`unknown_site`), instants out of order or after `now`, a profile that does not fit.
[[nodiscard]] scheduler::Result<scheduler::Run> run_of(PostedRun posted, std::span<const runtime::SiteConfig> sites,
                                                       scheduler::Instant now);

}  // namespace valle::service::app
