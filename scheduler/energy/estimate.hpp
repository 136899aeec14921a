// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/energy/estimate_priors.hpp"
#include "scheduler/energy/figure.hpp"
#include "scheduler/model/problem.hpp"
#include "scheduler/units/time.hpp"

namespace valle::scheduler {

/// One container of a job's pods, as far as it tells what the job costs.
struct ContainerShape {
  std::string image;
  std::vector<std::string> command;  ///< with its arguments
  friend bool operator==(const ContainerShape&, const ContainerShape&) = default;
};

/// What tells jobs apart that need different energy and time, as two short texts: `exact` tells every difference;
/// `family` is the same for all tags and digests of the images, so that a new build does not begin without experience.
struct JobSignature {
  std::string exact = {};
  std::string family = {};
  friend bool operator==(const JobSignature&, const JobSignature&) = default;
};

/// Of the containers of one kind of pods, in their order.
[[nodiscard]] JobSignature signature_of(std::span<const ContainerShape> containers);
/// Of a job: its kinds of pods in their order, what the whole of it asks for, and the model of its accelerators where
/// it asks for one.
[[nodiscard]] JobSignature signature_of(std::span<const JobSignature> pods, std::span<const ResourceDemand> demand,
                                        std::string_view board_model);

/// `registry/team/train` of `registry/team/train:v7@sha256:…`; a registry's port stays.
[[nodiscard]] std::string_view image_without_tag(std::string_view image);

/// A finished run as a teacher: what its last, successful try took.
struct PastRun {
  struct Reading {
    EnergyBoundary boundary = EnergyBoundary::job;
    Energy energy;
    friend bool operator==(const Reading&, const Reading&) = default;
  };
  Instant finished{};
  Duration run_time{};
  std::vector<Reading> energy;  ///< one for each boundary at most
  friend bool operator==(const PastRun&, const PastRun&) = default;
};

/// A figure whose notes begin so stands in the ledger and teaches nothing.
inline constexpr std::string_view k_not_for_estimates = "not used for estimates";
/// Whether a figure may teach: a number, of the whole run, that contradicts itself nowhere.
[[nodiscard]] bool teaches(const EnergyFigure& figure);

/// The 10th, 50th and 90th percentile by nearest rank, so that each is a value that was seen.
template <class T>
struct Spread {
  T low{};
  T median{};
  T high{};
  friend bool operator==(const Spread&, const Spread&) = default;
};

/// What earlier runs say of the next one.
struct LearnedEstimate {
  struct OfBoundary {
    EnergyBoundary boundary = EnergyBoundary::job;
    std::size_t runs = 0;
    Spread<Energy> spread;
    bool drifted = false;
    friend bool operator==(const OfBoundary&, const OfBoundary&) = default;
  };
  std::size_t runs = 0;  ///< that were learned from
  Spread<Duration> run_time;
  Duration planned_run_time{};     ///< the 80th percentile: what a plan that must keep a deadline counts with
  bool drifted = false;            ///< the newest runs differ from those before; only they were learned from
  std::vector<OfBoundary> energy;  ///< each learned apart; of boundaries with fewer runs than are needed, nothing
  friend bool operator==(const LearnedEstimate&, const LearnedEstimate&) = default;
};

struct LearningRules {
  std::size_t fewest_runs = 3;  ///< fewer teach nothing
  std::size_t most_runs = 20;   ///< the newest
  std::size_t newest = 4;       ///< that are set against those before, to see a drift
};

/// Learns from runs of one signature, in any order. Nothing from too few.
///
/// Drift: at least as many earlier runs as `newest` ones, all the newest on one side of all the earlier ones (by chance
/// at most once in 35 times), and the medians more than a tenth apart. Then only the newest count.
[[nodiscard]] std::optional<LearnedEstimate> learn(std::vector<PastRun> runs, const LearningRules& rules = {});

/// Which learned energy a plan counts with: what its caller posted, else the wall's, the node's, the boards' of a job
/// that has some, the pods'. Boundaries are never added.
[[nodiscard]] const LearnedEstimate::OfBoundary* planned_energy(const LearnedEstimate& learned, bool has_boards);

}  // namespace valle::scheduler
