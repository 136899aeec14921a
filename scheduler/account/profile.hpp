// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "scheduler/account/run.hpp"

namespace valle::scheduler {

/// When each attempt used how much: what is moved in time and place to see what would have been.
struct AttemptProfile {
  std::size_t attempt = 0;  ///< index into the run's attempts
  Interval ran;
  std::vector<EnergySlice> slices;
  friend bool operator==(const AttemptProfile&, const AttemptProfile&) = default;
};
using Profile = std::vector<AttemptProfile>;

/// The measured profile under a boundary (`boundary_of`): the figure's slices, or constant power where it has none.
/// Attempts that took no time are left out.
[[nodiscard]] Profile measured_profile(const Run& run, EnergyBoundary boundary);

/// The same work without its power cap: each attempt's time scaled by uncapped ÷ capped duration from its start on, its
/// energy by the ratio of the modes' energies. Slices keep their order and sum to the scaled energy.
[[nodiscard]] Profile without_cap(const Profile& capped, const PowerCap& cap);

/// The same work begun at once: attempts end to end from `start`, without the pauses between them.
[[nodiscard]] Profile begun_at(const Profile& profile, Instant start);

}  // namespace valle::scheduler
