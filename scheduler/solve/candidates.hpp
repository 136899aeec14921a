// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scheduler/ports/parallel.hpp"
#include "scheduler/solve/dual.hpp"
#include "scheduler/solve/state.hpp"

namespace valle::scheduler::solving {

/// One run that a task may take in the search.
struct Candidate {
  std::uint32_t place;  ///< site · slots + start
  std::uint32_t option;
  double cost;  ///< objective without prices
};

/// For each task its runs of least cost at given prices, the best first.
class Candidates {
 public:
  /// Keeps at most `keep` runs a task. Tasks that are not in `tasks` have none.
  Candidates(const Instance& instance, const TaskList& tasks, const Prices& prices, std::size_t keep,
             Parallel& parallel);

  [[nodiscard]] std::span<const Candidate> of(std::size_t task) const {
    return {all_.data() + first_[task], first_[task + 1] - first_[task]};
  }

 private:
  std::vector<Candidate> all_;
  std::vector<std::size_t> first_;  // tasks + 1
};

}  // namespace valle::scheduler::solving
