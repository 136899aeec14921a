// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "k8s/api/object_meta.hpp"
#include "scheduler/model/error.hpp"
#include "scheduler/units/time.hpp"
#include "scheduler/units/units.hpp"

namespace valle::k8s {

/// A limit as its owner wrote it: an instant, or a span from the object's creation.
using Limit = std::variant<scheduler::Instant, scheduler::Duration>;

/// What the annotations of a job say (contract, section 1). What was not written is missing.
struct CarbonRequest {
  bool aware = false;
  std::optional<Limit> start_within = {};  ///< carbon-deadline: the latest start
  std::optional<Limit> finish_by = {};
  std::optional<scheduler::Duration> expected_duration = {};
  std::optional<scheduler::Energy> energy = {};
  std::optional<scheduler::Power> power = {};
  std::vector<std::string> regions = {};  ///< as written; empty: all
  std::optional<std::string> home_region = {};
  bool run_now = false;
  friend bool operator==(const CarbonRequest&, const CarbonRequest&) = default;
};

/// Reads the annotations. A value that can't be read is refused (`invalid_request`) with the annotation's name as
/// pointer and the forms that would be right; nothing is ever taken for a default. Annotations of an object that is not
/// carbon-aware are not looked at.
[[nodiscard]] scheduler::Result<CarbonRequest> carbon_request(const ObjectMeta& meta);

/// The object says by either name that it is carbon-aware, in whatever way the rest is written.
[[nodiscard]] bool claims_carbon_aware(const ObjectMeta& meta);

[[nodiscard]] scheduler::Instant instant_of(const Limit& limit, scheduler::Instant created_at);

/// The latest start: of the carbon-deadline and of finish-by less the run and a margin the earlier one; without either
/// `longest_wait` after creation. It may lie before `created_at`: then the job can't be in time.
[[nodiscard]] scheduler::Instant latest_start(const CarbonRequest& request, scheduler::Instant created_at,
                                              scheduler::Duration run, scheduler::Duration margin,
                                              scheduler::Duration longest_wait);

}  // namespace valle::k8s
