// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduler/energy/board_points.hpp"

namespace valle::scheduler {

/// What one tenant used of a board, every interval between points split over those who had the board then, in
/// proportion of seconds × own mean power; what nobody had is idle. All tenants' parts and the idle ones sum to the
/// counter: nothing is counted twice.
struct Portion {
  Samples curve;  ///< joules used up to an instant, from the run's start
  double joules = 0;
  double shared_joules = 0;   ///< of it, from intervals in which others ran at the same time
  bool reaches_start = true;  ///< points on both sides of the start
  bool reaches_end = true;
};
[[nodiscard]] Portion in_proportion(const BoardPoints& points, const BoardQuestion& question);

}  // namespace valle::scheduler
