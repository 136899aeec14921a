// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/model/plan.hpp"

namespace valle::tests {

namespace core = valle::scheduler;

/// Tries every plan of a very small problem without pauses and price terms, slot by slot and second by second.
class BruteForce {
 public:
  struct Best {
    std::vector<std::size_t> left_out;  ///< by priority, the highest first
    double grams = 0;
  };

  explicit BruteForce(const core::Problem& problem) : problem_{problem} {
    std::map<std::string, std::vector<std::size_t>> groups;
    for (std::size_t j = 0; j < problem.jobs.size(); ++j) {
      priorities_[problem.jobs[j].priority] = 0;
      const std::string& group = problem.jobs[j].group;
      groups[group.empty() ? "#" + std::to_string(j) : group].push_back(j);
    }
    for (auto& [name, jobs] : groups) units_.push_back(jobs);
    runs_.resize(problem.jobs.size());
  }

  /// The best plan of all; with `exactly`, of those that place these jobs and no other.
  Best best(std::optional<std::vector<bool>> exactly = {}) {
    exactly_ = std::move(exactly);
    found_.reset();
    decide(0);
    return found_.value_or(Best{});
  }
  [[nodiscard]] bool found() const { return found_.has_value(); }

 private:
  struct Run {
    bool placed = false;
    std::size_t site = 0, mode = 0;
    core::Instant start{};
  };

  core::Instant boundary(std::size_t t) const { return problem_.start + problem_.slot * static_cast<std::int64_t>(t); }

  void decide(std::size_t unit) {
    if (unit == units_.size()) return judge();
    const std::vector<std::size_t>& jobs = units_[unit];
    const core::Job& leader = problem_.jobs[jobs[0]];
    if (leader.fixed) {
      choose_modes(unit, 0, leader.fixed->site, leader.fixed->start);
      return;
    }
    for (const std::size_t j : jobs) runs_[j].placed = false;
    const bool may_stay_out = !exactly_ || !(*exactly_)[jobs[0]];
    if (may_stay_out) decide(unit + 1);
    if (exactly_ && may_stay_out) return;
    for (std::size_t site = 0; site < problem_.sites.size(); ++site) {
      for (std::size_t t = 0; t < problem_.slots; ++t) choose_modes(unit, 0, site, boundary(t));
    }
    for (const std::size_t j : jobs) runs_[j].placed = false;
  }

  void choose_modes(std::size_t unit, std::size_t member, std::size_t site, core::Instant start) {
    if (member == units_[unit].size()) {
      if (capacity_holds()) decide(unit + 1);
      return;
    }
    const std::size_t j = units_[unit][member];
    const core::Job& job = problem_.jobs[j];
    for (std::size_t mode = 0; mode < (job.fixed ? 1 : job.modes.size()); ++mode) {
      const core::Instant end = start + job.modes[mode].duration;
      if (!job.fixed) {
        const bool allowed = std::find(job.sites.begin(), job.sites.end(), site) != job.sites.end();
        if (!allowed || start < job.earliest_start || end > job.finish_by || end > boundary(problem_.slots)) continue;
      }
      runs_[j] = {true, site, mode, start};
      choose_modes(unit, member + 1, site, start);
    }
    runs_[j].placed = false;
  }

  bool touches(std::size_t j, std::size_t t) const {
    const core::Instant end = runs_[j].start + problem_.jobs[j].modes[runs_[j].mode].duration;
    return runs_[j].placed && runs_[j].start < boundary(t + 1) && end > boundary(t);
  }

  bool capacity_holds() const {
    for (std::size_t s = 0; s < problem_.sites.size(); ++s) {
      for (const core::ResourceCapacity& capacity : problem_.sites[s].capacity) {
        for (std::size_t t = 0; t < problem_.slots; ++t) {
          core::Amount held{};
          bool movable = false;
          for (std::size_t j = 0; j < runs_.size(); ++j) {
            if (!runs_[j].placed || runs_[j].site != s || !touches(j, t)) continue;
            for (const core::ResourceDemand& demand : problem_.jobs[j].demand) {
              if (demand.resource != capacity.resource || demand.amount == core::Amount{}) continue;
              held += demand.amount;
              movable = movable || !problem_.jobs[j].fixed;
            }
          }
          if (movable && held > capacity.per_slot[t]) return false;
        }
      }
    }
    return true;
  }

  bool ramps_hold() const {
    for (std::size_t s = 0; s < problem_.sites.size(); ++s) {
      if (!problem_.sites[s].ramp) continue;
      for (std::size_t t = 0; t < problem_.slots; ++t) {
        core::Power rise{}, fixed{};
        for (std::size_t j = 0; j < runs_.size(); ++j) {
          if (!runs_[j].placed || runs_[j].site != s) continue;
          const core::Job& job = problem_.jobs[j];
          const core::Power power = job.modes[runs_[j].mode].power;
          const core::Instant just_before = boundary(0) - core::Duration{1};
          const bool ran = t > 0
                               ? touches(j, t - 1)
                               : runs_[j].start <= just_before && runs_[j].start + job.modes[0].duration > just_before;
          const core::Power change =
              power * (static_cast<std::int64_t>(touches(j, t)) - static_cast<std::int64_t>(ran));
          rise += change;
          if (job.fixed) fixed += change;
        }
        if (rise > *problem_.sites[s].ramp && rise > fixed) return false;
      }
    }
    return true;
  }

  double grams_of(std::size_t j) const {
    const Run& run = runs_[j];
    const core::Job& job = problem_.jobs[j];
    const core::Site& site = problem_.sites[run.site];
    double gram_seconds = 0, first = 0;
    for (std::size_t t = 0; t < problem_.slots; ++t) {
      const core::Interval slot{boundary(t), boundary(t + 1)};
      const auto seconds = slot.overlap({run.start, run.start + job.modes[run.mode].duration}).length().count();
      gram_seconds += core::grams_per_kwh(site.intensity[t]) * static_cast<double>(seconds);
      if (slot.contains(run.start)) first = core::grams_per_kwh(site.intensity[t]);
    }
    const double grams = core::watts(job.modes[run.mode].power) / 3.6e6 * core::number(site.pue) * gram_seconds;
    const bool moved = run.site != job.home_site && !job.fixed;
    return grams + (moved ? job.transfer_gb * core::kwh(site.energy_per_gb) * first : 0);
  }

  void judge() {
    if (!ramps_hold()) return;
    Best plan;
    auto counts = priorities_;
    for (std::size_t j = 0; j < runs_.size(); ++j) {
      if (runs_[j].placed) {
        plan.grams += grams_of(j);
      } else {
        ++counts[problem_.jobs[j].priority];
      }
    }
    for (const auto& [priority, count] : counts) plan.left_out.push_back(count);
    if (!found_ || plan.left_out < found_->left_out ||
        (plan.left_out == found_->left_out && plan.grams < found_->grams)) {
      found_ = plan;
    }
  }

  const core::Problem& problem_;
  std::vector<std::vector<std::size_t>> units_;  // jobs that are decided together
  std::map<int, std::size_t, std::greater<>> priorities_;
  std::optional<std::vector<bool>> exactly_;
  std::vector<Run> runs_;
  std::optional<Best> found_;
};

}  // namespace valle::tests
