// SPDX-License-Identifier: Apache-2.0
#include "scheduler/solve/volume.hpp"

#include <algorithm>
#include <cmath>

namespace valle::scheduler::solving {
namespace {

class Volume {
 public:
  Volume(const Instance& instance, const TaskList& tasks, const Prices& first, double target, LeavingOut leaving_out,
         Parallel& parallel)
      : instance_{instance},
        dual_{instance, tasks, leaving_out, parallel},
        best_{first, dual_.evaluate(first)},
        trial_{first},
        target_{target},
        scale_(instance.resources, 1.0),
        mean_(dual_.used().begin(), dual_.used().end()) {
    for (std::size_t k = 0; k < instance.resources; ++k) {
      double sum = 0;
      for (std::size_t i = 0; i < instance.cells(); ++i) sum += instance.capacity[k * instance.cells() + i];
      scale_[k] = std::max(1.0, sum / static_cast<double>(instance.cells()));
    }
  }

  BoundResult run(const VolumeOptions& options, const std::stop_token& stop) {
    double before = best_.bound;
    for (int i = 1; i <= options.iterations && !stop.stop_requested(); ++i) {
      if (!step()) break;
      if (i % 60 != 0) continue;
      const double gain = best_.bound - before, size = std::fabs(best_.bound);
      if (gain < 0.0005 * size) most_weight_ = std::max(0.02, most_weight_ * 0.6);
      if (i % 120 == 0 && gain < options.enough * size) break;
      before = best_.bound;
    }
    return std::move(best_);
  }

 private:
  /// Rows are scaled by their resource's mean capacity, so that one step length suits all.
  double scale(std::size_t cell) const { return scale_[cell / instance_.cells()]; }
  double violation(double held, std::size_t cell) const { return (held - instance_.capacity[cell]) / scale(cell); }

  bool step() {
    double norm = 0;
    for (std::size_t i = 0; i < mean_.size(); ++i) {
      const double g = violation(mean_[i], i);
      if (g > 0 || best_.prices.of_cell[i] > 0) norm += g * g;
    }
    if (norm < 1e-14) return false;
    double target = std::max(target_, best_.bound + 1e-4 * std::fabs(best_.bound));
    target = std::min(target, best_.bound + 0.05 * std::fabs(best_.bound) + 1);
    const double length = factor_ * (target - best_.bound) / norm;
    for (std::size_t i = 0; i < mean_.size(); ++i) {
      trial_.of_cell[i] = std::max(0.0, best_.prices.of_cell[i] + length * violation(mean_[i], i) / scale(i));
    }
    const double bound = dual_.evaluate(trial_);
    const bool same_direction = average();
    control(bound, same_direction);
    return true;
  }

  /// Moves the mean towards the new use by the weight that makes it least infeasible. Tells whether the new violation
  /// still points where the mean one did.
  bool average() {
    double dot = 0, difference = 0, along = 0;
    for (std::size_t i = 0; i < mean_.size(); ++i) {
      const double now = violation(static_cast<double>(dual_.used()[i]), i), old = violation(mean_[i], i);
      dot += now * old;
      difference += (now - old) * (now - old);
      along += old * (now - old);
    }
    const double weight =
        difference > 0 ? std::clamp(-along / difference, most_weight_ / 10, most_weight_) : most_weight_;
    for (std::size_t i = 0; i < mean_.size(); ++i) {
      mean_[i] += weight * (static_cast<double>(dual_.used()[i]) - mean_[i]);
    }
    return dot >= 0;
  }

  void control(double bound, bool same_direction) {
    if (bound > best_.bound) {
      best_ = {trial_, bound};
      failures_ = 0;
      if (same_direction) factor_ = std::min(2.0, factor_ * 1.1);
    } else if (++failures_ >= 12) {
      factor_ = std::max(5e-4, factor_ * 0.66);
      failures_ = 0;
    }
  }

  const Instance& instance_;
  Dual dual_;
  BoundResult best_;
  Prices trial_;
  double target_;
  std::vector<double> scale_;  // one a resource
  std::vector<double> mean_;   // averaged use of each cell
  double factor_ = 0.5, most_weight_ = 0.5;
  int failures_ = 0;
};

}  // namespace

BoundResult raise_bound(const Instance& instance, const TaskList& tasks, const Prices& first, double target,
                        const VolumeOptions& options, Parallel& parallel, const std::stop_token& stop) {
  return Volume{instance, tasks, first, target, options.leaving_out, parallel}.run(options, stop);
}

}  // namespace valle::scheduler::solving
