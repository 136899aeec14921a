// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scheduler/energy/figure.hpp"
#include "scheduler/model/problem.hpp"
#include "scheduler/units/time.hpp"
#include "scheduler/units/units.hpp"

namespace valle::scheduler {

/// Where a pod of an attempt ran: what a meter needs to find its samples again.
struct PodOfRun {
  std::string uid;
  std::string name_space;
  std::string name;
  std::string node;
  std::vector<std::string> containers;
  std::vector<std::string> gpu_uuids;  ///< of the boards that it had, empty if unknown
  Interval ran;
  friend bool operator==(const PodOfRun&, const PodOfRun&) = default;
};

enum class AttemptOutcome { running, finished, failed, evicted };

/// One try of a job: a failed or evicted one has used its energy and belongs to the job.
struct Attempt {
  int number = 1;
  std::string site;
  std::optional<Ratio> pue = {};  ///< of the site when it ran; nothing: what is configured when it is asked
  Interval ran;                   ///< of a running attempt: end = the instant until which it is known
  AttemptOutcome outcome = AttemptOutcome::running;
  std::vector<PodOfRun> pods;
  std::vector<EnergyFigure> figures;  ///< one for each boundary at most
  friend bool operator==(const Attempt&, const Attempt&) = default;
};

/// That a job ran under a power cap: what its owner says of the two modes. The profile without the cap is the measured
/// one, its time and its energy scaled by their ratios.
struct PowerCap {
  Power capped_power;
  Duration capped_duration{};
  Power uncapped_power;
  Duration uncapped_duration{};
  friend bool operator==(const PowerCap&, const PowerCap&) = default;
};

/// One job in the ledger, from submission to its end. What the baseline needs is frozen at submission.
struct Run {
  std::string id;    ///< the job's id; of a Kubernetes job its UID
  std::string name;  ///< NAMESPACE/NAME, or the caller's id
  std::string owner;
  Instant submitted{};
  std::string home_site;                        ///< where it would have run at once
  Ratio home_pue = k_one;                       ///< frozen at submission
  std::optional<PowerCap> cap = {};             ///< where the job ran capped
  std::optional<Emissions> planned_saved = {};  ///< as the plan promised when the job was released
  std::optional<Instant> start_by = {};         ///< its latest start, for deadlines met and missed
  std::optional<Amount> gpus = {};              ///< accelerators that it had all the time; nothing if not known
  std::string label;                            ///< model or load, for the method block and exports; may be empty
  std::vector<Attempt> attempts;                ///< by start
  std::optional<Instant> finished = {};         ///< end of the last attempt; a run without one is in no report yet
  friend bool operator==(const Run&, const Run&) = default;
};

}  // namespace valle::scheduler
