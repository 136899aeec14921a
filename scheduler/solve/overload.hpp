// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduler/solve/search.hpp"

// Where not all fit: first as many jobs as possible, then carbon.
namespace valle::scheduler::solving {

/// The better of what the search for carbon found and of a plan in two phases: a search in which carbon counts nothing
/// and each job left out counts one (more by priority), then one for carbon with those that were placed. The
/// certificate comes from the prices of the first phase. Nothing is left out that plain earliest-start places.
struct Relieved {
  SearchResult found;
  Overload certificate;
};
[[nodiscard]] Relieved relieve_overload(const SearchContext& context, SearchResult found);

/// Tasks of `tasks` that a state leaves out.
[[nodiscard]] TaskList left_out_of(const State& state, const TaskList& tasks);

}  // namespace valle::scheduler::solving
