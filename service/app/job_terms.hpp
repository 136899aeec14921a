// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "scheduler/model/error.hpp"
#include "service/app/job.hpp"
#include "service/runtime/config.hpp"

namespace valle::service::app {

/// What a request means: every default filled in, names looked up, instants absolute.
struct JobTerms {
  scheduler::Instant earliest_start;
  scheduler::Instant finish_by;
  scheduler::Instant start_by;         ///< latest start of the shortest mode
  std::vector<scheduler::Mode> modes;  ///< at least one
  std::vector<std::size_t> sites;      ///< indexes into the sites given; at least one
  std::size_t home_site = 0;
  [[nodiscard]] scheduler::Duration shortest() const;
};

/// Reads the request's meaning. Refused, with the contract's pointers: members that exclude each other, unknown sites.
/// Whether the job can meet its deadline is another question: see `feasible`.
[[nodiscard]] scheduler::Result<JobTerms> terms_of(const JobRequest& request,
                                                   std::span<const runtime::SiteConfig> sites,
                                                   scheduler::Instant submitted_at, scheduler::Duration longest_wait);

/// Whether the job, were it alone, could meet its deadline: `window-too-short` (fact smallestFinishBy), or `infeasible`
/// where no allowed site has the capacity.
[[nodiscard]] scheduler::Result<void> feasible(const JobRequest& request, const JobTerms& terms,
                                               std::span<const runtime::SiteConfig> sites);

}  // namespace valle::service::app
