// SPDX-License-Identifier: Apache-2.0
#include "scheduler/query/best_slot.hpp"

namespace valle::scheduler {

// Stands in until the search over segments lands: every answer is empty.
SlotAnswer best_interruptible_slot(const SlotQuestion&, const Interruption&) { return {}; }

}  // namespace valle::scheduler
