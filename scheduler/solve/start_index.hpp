// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/solve/random.hpp"
#include "scheduler/solve/state.hpp"

namespace valle::scheduler::solving {

/// Which tasks start where: answers "who is in the way in this slot?" by looking back from it.
class StartIndex {
 public:
  explicit StartIndex(const State& state);

  void enter(std::uint32_t task, const Spot& spot);
  void leave(std::uint32_t task, const Spot& spot);

  /// A random task that holds `slot` at `site`, other than `except`; -1 if a few draws find none. Short looks back are
  /// likelier.
  [[nodiscard]] std::int64_t draw_holder(const State& state, std::size_t site, std::int32_t slot, std::uint32_t except,
                                         Random& random) const;

 private:
  [[nodiscard]] std::size_t place_of(const Spot& spot) const {
    return static_cast<std::size_t>(spot.site) * slots_ + static_cast<std::size_t>(spot.start);
  }

  std::size_t slots_;
  std::size_t longest_ = 1;                           // span of the longest run
  std::vector<std::vector<std::uint32_t>> starting_;  // [site][slot]
  std::vector<std::uint32_t> position_;               // of each task in its list
};

/// Whether a run at `start` holds `slot`.
[[nodiscard]] bool holds_slot(std::span<const Extent> extents, std::int32_t start, std::int32_t slot);

}  // namespace valle::scheduler::solving
