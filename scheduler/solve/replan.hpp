// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "scheduler/solve/search.hpp"

namespace valle::scheduler::solving {

/// A search that goes on from the incumbent of the options: prices follow today's numbers from where they stood, tasks
/// without a place take the cheapest one at these prices, and a short anneal within capacity moves what pays. Each task
/// that leaves its place costs the least gain, so that a plan with such moves is better by at least that.
[[nodiscard]] SearchResult replan(const SearchContext& context);

/// Where capacity doesn't bind: each task at its cheapest run, or still where the incumbent has it if that saves less
/// than the least gain. Nothing if that takes too much room.
[[nodiscard]] std::optional<SearchResult> stay_unhindered(const SearchContext& context, const State& cheapest);

/// The tasks that may be moved to equal starts: all, but for those that stand where the incumbent has them.
[[nodiscard]] TaskList newly_placed(const SearchContext& context, const SearchResult& found);

}  // namespace valle::scheduler::solving
