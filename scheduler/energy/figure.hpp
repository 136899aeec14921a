// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/units/time.hpp"
#include "scheduler/units/units.hpp"

namespace valle::scheduler {

/// What a meter sees. Figures of different boundaries are never added and never compared.
enum class EnergyBoundary {
  board,  ///< one or more accelerator boards
  pod,    ///< the share of a node that is attributed to a pod (processor, memory), idle apart
  node,   ///< the whole machine, as its supply or management controller reports it
  wall,   ///< a wattmeter before the machine, losses of the supply included
  job,    ///< as posted by the caller, who knows what it covers
};

/// How far a figure may be trusted. Unknown is not zero: a figure of unknown quality has no number.
enum class EnergyQuality {
  measured,   ///< counters read over the whole run, gaps within the stated uncertainty
  estimated,  ///< gauges, bridged restarts, or an estimate of the job's power
  unknown,    ///< no meter saw the run
};

/// Energy of one stretch of a run. The stretches of a profile do not overlap and stand in order.
struct EnergySlice {
  Interval interval;
  Energy energy;
  friend bool operator==(const EnergySlice&, const EnergySlice&) = default;
};

/// A stretch of a run that the meter did not see and that was not bridged.
struct UncoveredStretch {
  Interval interval;
  std::string reason;  ///< "no samples", "may have wrapped more than once", …
  friend bool operator==(const UncoveredStretch&, const UncoveredStretch&) = default;
};

/// What one meter says about one attempt of a job: its own energy, before PUE.
struct EnergyFigure {
  EnergyBoundary boundary = EnergyBoundary::job;
  EnergyQuality quality = EnergyQuality::unknown;
  Energy energy = {};               ///< meaningless where quality is unknown
  Energy uncertainty = {};          ///< half width of the interval that holds the truth for at least 95 % of runs
  std::optional<Energy> idle = {};  ///< the idle energy that the same meter ascribes to the run; beside `energy`, never
                                    ///< inside it; nothing where the meter does not tell
  Energy bridged = {};     ///< the part of `energy` that stands for what a counter lost at its restarts: estimated
  Ratio coverage = {};     ///< measured seconds of the run ÷ its seconds
  bool complete = true;    ///< false: the source said that parts of its answer may be missing
  bool allocated = false;  ///< a share of a board that several pods had, split evenly; not a reading of its own
  std::vector<EnergySlice> profile = {};         ///< sums to `energy`; empty: constant power over the run
  std::vector<UncoveredStretch> uncovered = {};  ///< in order; what `coverage` lacks
  std::string source = {};                       ///< "kepler", "dcgm", "codecarbon", "posted", …
  std::string method = {};                       ///< the rule that was applied, in words of the method block
  std::chrono::seconds sampling{};               ///< scrape or collection interval; zero where the source has none
  std::string query = {};                        ///< what was asked of the source, for whoever checks; may be empty
  std::string fingerprint = {};                  ///< of the raw samples (64-bit FNV-1a, hex); may be empty
  std::vector<std::string> notes = {};           ///< "1 sample dropped", "restart bridged", "clocks disagree", …
  friend bool operator==(const EnergyFigure&, const EnergyFigure&) = default;
};

}  // namespace valle::scheduler
