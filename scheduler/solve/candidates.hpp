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
  std::int32_t pattern;  ///< of interruptible tasks: its number; else -1
  std::uint32_t shape;   ///< what it holds: its footprint, or behind all footprints its pattern
  double cost;           ///< see `CandidateCost`
};

/// What a candidate's cost holds.
enum class CandidateCost {
  plain,   ///< the objective
  priced,  ///< the objective and the price of what the run holds
};

/// For each task its runs of least cost at given prices, the best first. Of an interruptible task also the best runs in
/// pieces, at these prices and at some that are shaken at random, so that it has other pieces to turn to.
class Candidates {
 public:
  /// Keeps at most `keep` runs a task. Tasks that are not in `tasks` have none.
  Candidates(const Instance& instance, const TaskList& tasks, const Prices& prices, std::size_t keep,
             Parallel& parallel, CandidateCost cost = CandidateCost::plain);

  [[nodiscard]] std::span<const Candidate> of(std::size_t task) const {
    return {all_.data() + first_[task], first_[task + 1] - first_[task]};
  }
  /// Adds more(task, candidate) to each cost.
  template <class More>
  void add_costs(const More& more) {
    for (std::uint32_t t = 0; t + 1 < first_.size(); ++t) {
      for (std::size_t i = first_[t]; i < first_[t + 1]; ++i) all_[i].cost += more(t, all_[i]);
    }
  }
  /// All candidates are numbered through; `candidate` is one of `of`.
  [[nodiscard]] std::size_t number(const Candidate& candidate) const {
    return static_cast<std::size_t>(&candidate - all_.data());
  }
  [[nodiscard]] const Candidate& operator[](std::size_t number) const { return all_[number]; }
  [[nodiscard]] const std::vector<Pattern>& patterns() const { return patterns_; }
  [[nodiscard]] const Pattern& pattern(const Candidate& candidate) const {
    return patterns_[static_cast<std::size_t>(candidate.pattern)];
  }

 private:
  std::vector<Candidate> all_;
  std::vector<std::size_t> first_;  // tasks + 1
  std::vector<Pattern> patterns_;
};

}  // namespace valle::scheduler::solving
