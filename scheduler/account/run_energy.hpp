// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "scheduler/account/run.hpp"

namespace valle::scheduler {

/// What a whole run used, all attempts by the same boundary.
struct RunEnergy {
  EnergyBoundary boundary = EnergyBoundary::job;
  EnergyQuality quality = EnergyQuality::measured;  ///< the worst of the attempts
  Energy energy;
  Energy uncertainty;          ///< sum: errors of one meter go the same way
  std::optional<Energy> idle;  ///< beside `energy`; nothing unless every attempt's figure tells it
  Duration covered{};          ///< measured seconds
  bool complete = true;
  bool allocated = false;
  std::size_t notes = 0;  ///< how many remarks the figures carry
  friend bool operator==(const RunEnergy&, const RunEnergy&) = default;
};

/// The figure of an attempt under a boundary; null if there is none with a number.
[[nodiscard]] const EnergyFigure* figure_of(const Attempt& attempt, EnergyBoundary boundary);

/// The boundary that a run is counted by: the first of job, wall, node, board, pod under which every attempt that took
/// time has a figure. Figures of different boundaries are not added, so one alone counts. Nothing: energy unknown.
[[nodiscard]] std::optional<EnergyBoundary> boundary_of(const Run& run);

/// Nothing if `boundary_of` gives nothing.
[[nodiscard]] std::optional<RunEnergy> energy_of_run(const Run& run);

}  // namespace valle::scheduler
