// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scheduler/energy/figure.hpp"
#include "scheduler/energy/sample.hpp"

namespace valle::scheduler {

/// What the samples of one meter say about one run, in joules and watts. Several are added to one figure (pods of an
/// attempt, boards of a pod) as long as their boundary is the same.
struct Reading {
  double joules = 0;              ///< the best estimate, tail and bridges included
  double counted_joules = 0;      ///< read from samples alone: nothing carried, nothing bridged
  double bridged_joules = 0;      ///< in `joules` for what restarts lost
  double uncertainty_joules = 0;  ///< half width
  std::optional<double> idle_joules = {};
  double run_seconds = 0;
  double covered_seconds = 0;
  double scrape_seconds = 0;  ///< spacing of the samples
  bool gauge_only = false;    ///< integrated from power: never better than estimated
  bool allocated = false;     ///< a share of a board
  Samples curve = {};         ///< joules used from the run's start to an instant; its shape spreads `joules` over time
  std::vector<Gap> gaps = {};
  std::string method = {};
  std::vector<std::string> notes = {};
};

/// Both together; curves are added where they overlap. Notes that are there twice stand once.
[[nodiscard]] Reading sum_of(const Reading& a, const Reading& b);

/// Where a figure comes from.
struct FigureOrigin {
  EnergyBoundary boundary = EnergyBoundary::pod;
  std::string source = {};
  std::string query = {};
  std::string fingerprint = {};
  bool complete = true;  ///< the source did not say that parts of its answer may be missing
};

/// The figure of a run: whole milliwatt-hours, the profile in even steps of UTC that sums to the energy exactly. It is
/// measured where at least 95 % of the run's seconds were seen or the uncertainty is at most 5 % of the energy, and it
/// does not rest on a gauge; else estimated.
[[nodiscard]] EnergyFigure figure_of(const Reading& reading, const Interval& ran, FigureOrigin origin);

/// The step of a profile: the smallest of 1, 5, 15, 60, 300, 900 and 3600 s that cuts the run into at most 96.
[[nodiscard]] Duration profile_step(Duration run);

/// Cuts `energy` over `ran` into steps by the shape of `curve` (joules used up to an instant, ascending). Constant
/// power where the curve says nothing. The slices sum to `energy` exactly.
[[nodiscard]] std::vector<EnergySlice> profile_of(std::span<const Sample> curve, const Interval& ran, Energy energy);

}  // namespace valle::scheduler
