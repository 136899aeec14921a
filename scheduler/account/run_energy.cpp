// SPDX-License-Identifier: Apache-2.0
#include "scheduler/account/run_energy.hpp"

#include <algorithm>
#include <array>

namespace valle::scheduler {
namespace {

/// From the widest view of a job to the narrowest.
constexpr std::array k_order{EnergyBoundary::job, EnergyBoundary::wall, EnergyBoundary::node, EnergyBoundary::board,
                             EnergyBoundary::pod};

bool took_time(const Attempt& attempt) { return !attempt.ran.empty(); }

}  // namespace

const EnergyFigure* figure_of(const Attempt& attempt, EnergyBoundary boundary) {
  for (const EnergyFigure& figure : attempt.figures) {
    const bool a_number = figure.quality != EnergyQuality::unknown && figure.energy.base() >= 0;
    if (figure.boundary == boundary && a_number) return &figure;
  }
  return nullptr;
}

std::optional<EnergyBoundary> boundary_of(const Run& run) {
  if (std::none_of(run.attempts.begin(), run.attempts.end(), took_time)) return std::nullopt;
  for (const EnergyBoundary boundary : k_order) {
    const bool every = std::all_of(run.attempts.begin(), run.attempts.end(), [boundary](const Attempt& attempt) {
      return !took_time(attempt) || figure_of(attempt, boundary) != nullptr;
    });
    if (every) return boundary;
  }
  return std::nullopt;
}

std::optional<RunEnergy> energy_of_run(const Run& run) {
  const auto boundary = boundary_of(run);
  if (!boundary) return std::nullopt;
  RunEnergy total;
  total.boundary = *boundary;
  total.idle.emplace();
  for (const Attempt& attempt : run.attempts) {
    if (!took_time(attempt)) continue;
    const EnergyFigure& figure = *figure_of(attempt, *boundary);
    total.energy += figure.energy;
    total.uncertainty += figure.uncertainty;
    if (figure.quality == EnergyQuality::estimated) total.quality = EnergyQuality::estimated;
    if (total.idle && figure.idle) {
      *total.idle += *figure.idle;
    } else {
      total.idle.reset();
    }
    total.covered +=
        Duration{narrow(divide_rounded(Wide{attempt.ran.length().count()} * figure.coverage.base(), k_one.base()))};
    total.complete = total.complete && figure.complete;
    total.allocated = total.allocated || figure.allocated;
    total.notes += figure.notes.size();
  }
  return total;
}

}  // namespace valle::scheduler
