// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scheduler/solve/instance.hpp"

namespace valle::scheduler::solving {

/// Where and how a task runs.
struct Spot {
  std::int32_t site = -1;  ///< -1: not placed
  std::int32_t start = 0;
  std::uint32_t option = 0;  ///< of the task's options
  double cost = 0;           ///< objective, without any price of capacity
  [[nodiscard]] bool placed() const { return site >= 0; }
  friend bool operator==(const Spot&, const Spot&) = default;
};

/// One stretch of a run that pauses.
struct Piece {
  std::int32_t offset;   ///< from the run's start, in slots
  std::int32_t length;   ///< slots that it touches
  std::int64_t seconds;  ///< for which it runs
  friend bool operator==(const Piece&, const Piece&) = default;
};

/// How an interruptible task runs from its start on, and what it holds. One piece: without a pause.
struct Pattern {
  std::vector<Piece> pieces;
  std::vector<Extent> extents;
};

/// Adds `sign` times the loads of a run that starts at `site` and `start` to every cell of [resource][site][slot] that
/// it holds.
void shift_cells(const Instance& instance, std::span<const Extent> extents, std::size_t site, std::int32_t start,
                 Count sign, Count* cells);

/// A plan in the making: where each task is and what is left of the capacity, which may be negative while it is soft.
class State {
 public:
  explicit State(const Instance& instance);

  [[nodiscard]] const Instance& instance() const { return *instance_; }
  [[nodiscard]] const Spot& spot(std::size_t task) const { return spots_[task]; }
  [[nodiscard]] const std::vector<Count>& residual() const { return residual_; }
  /// What the task holds; nothing if it is not placed.
  [[nodiscard]] std::span<const Extent> extents(std::size_t task) const;
  [[nodiscard]] const Pattern& pattern(std::size_t task) const;
  /// Sum of the costs of placed tasks and the penalties of the others.
  [[nodiscard]] double objective() const { return objective_; }

  /// Precondition: the task is not placed. `pattern` is taken for interruptible tasks only, and needed for them.
  void place(std::size_t task, const Spot& spot, const Pattern* pattern = nullptr);
  /// Does nothing if it is not placed.
  void remove(std::size_t task);

  /// Residual of a resource at a site, one a slot.
  [[nodiscard]] const Count* free(std::size_t resource, std::size_t site) const {
    return residual_.data() + instance_->cell(resource, site, 0);
  }
  /// Units held beyond the capacity, over all resources and slots.
  [[nodiscard]] std::int64_t overload() const;

 private:
  const Instance* instance_;
  std::vector<Count> residual_;
  std::vector<Spot> spots_;
  std::vector<Pattern> patterns_;  // of interruptible tasks
  double objective_ = 0;
};

}  // namespace valle::scheduler::solving
