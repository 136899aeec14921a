// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "scheduler/solve/pieces.hpp"
#include "scheduler/solve/state.hpp"

// Every start of one task under one option at one site at once: costs, prices and room as arrays over starts, by prefix
// sums. All searches for a start are built from these.
namespace valle::scheduler::solving {

/// Buffers of one thread, grown as needed.
struct StartScratch {
  std::vector<double> value;  ///< one a start
  std::vector<double> sums;   ///< prefix sums over slots
  std::vector<std::int32_t> full;
  PieceScratch pieces;
  void fit(std::size_t slots) {
    if (value.size() >= slots + 1) return;
    value.resize(slots + 1);
    sums.resize(slots + 1);
    full.resize(slots + 1);
  }
};

/// The starts of an option: [first, first + count).
struct StartRange {
  std::int32_t first;
  std::int32_t count;
};
[[nodiscard]] inline StartRange starts_of(const Task& task, const Option& option) {
  return {task.first, std::max(0, option.latest - task.first + 1)};
}

/// value[i] = objective of starting at first + i.
void put_costs(const Instance& instance, const Task& task, const Option& option, std::size_t site, StartRange starts,
               StartScratch& scratch);

/// value[i] += the price of what the extents hold from first + i on. `price(load)(cell)` is the price of the load in
/// one cell of [resource][site][slot]; what it returns should hold copies, so that the loop over cells can be
/// vectorised.
template <class Price>
void add_prices(const Instance& instance, std::span<const Extent> extents, std::size_t site, StartRange starts,
                const Price& price, StartScratch& scratch) {
  double* value = scratch.value.data();
  double* sums = scratch.sums.data();
  for (const Extent& extent : extents) {
    const std::int32_t window = starts.count + extent.length - 1;
    std::fill_n(sums, window + 1, 0.0);
    for (const Load& load : instance.loads_of(extent)) {
      const std::size_t cell =
          instance.cell(load.resource, site, static_cast<std::size_t>(starts.first + extent.offset));
      const auto of_cell = price(load);
      for (std::int32_t t = 0; t < window; ++t) sums[t + 1] += of_cell(cell + static_cast<std::size_t>(t));
    }
    for (std::int32_t t = 0; t < window; ++t) sums[t + 1] += sums[t];
    for (std::int32_t i = 0; i < starts.count; ++i) value[i] += sums[i + extent.length] - sums[i];
  }
}

/// full[i] > 0 where a slot held from first + i on has no room for the extents.
void mark_full(const State& state, std::span<const Extent> extents, std::size_t site, StartRange starts,
               StartScratch& scratch);

}  // namespace valle::scheduler::solving
