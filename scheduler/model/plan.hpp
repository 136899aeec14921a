// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scheduler/model/problem.hpp"

namespace valle::scheduler {

/// Where and when one job runs.
struct Placement {
  std::size_t job;
  std::size_t site;
  std::size_t mode = 0;
  std::vector<Interval> segments;  ///< ascending, at least one
  Energy energy{};                 ///< before PUE, with restarts
  Energy facility_energy{};        ///< with PUE; without transfer
  Emissions emissions{};           ///< with transfer
  [[nodiscard]] Instant start() const { return segments.front().begin; }
  [[nodiscard]] Instant end() const { return segments.back().end; }
  friend bool operator==(const Placement&, const Placement&) = default;
};

enum class UnplacedCode {
  window_too_short,  ///< the window is shorter than the run
  no_capacity,       ///< no allowed site ever has room for it, even alone
  no_site,           ///< no allowed site
  contention,        ///< it would fit alone, not beside the others
};
[[nodiscard]] std::string_view to_text(UnplacedCode code);

struct Unplaced {
  std::size_t job;
  UnplacedCode code;
  std::string detail;  ///< one sentence with the smallest change that would help
  std::optional<Instant> finish_by_that_works = {};
  friend bool operator==(const Unplaced&, const Unplaced&) = default;
};

struct Plan {
  std::vector<Placement> placements;  ///< by job index
  std::vector<Unplaced> unplaced;     ///< by job index
  Emissions emissions{};              ///< of the placed jobs
  Emissions run_now{};                ///< of the placed jobs, each at its earliest start at home, capacity ignored
  friend bool operator==(const Plan&, const Plan&) = default;
};

}  // namespace valle::scheduler
