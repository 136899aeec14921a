// SPDX-License-Identifier: Apache-2.0
#include "service/runtime/memory.hpp"

#include <malloc.h>

namespace valle::service::runtime {
namespace {

/// Enough for what runs at the same time on the few cores that a planner is given; by default there are eight a core,
/// each with its own holes.
constexpr int k_pools = 2;

}  // namespace

void share_memory_pools() { mallopt(M_ARENA_MAX, k_pools); }

void give_back_memory() { malloc_trim(0); }

}  // namespace valle::service::runtime
