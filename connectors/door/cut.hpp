// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduler/ports/intensity_source.hpp"

namespace valle::connectors {

/// The answer to a request from all that a source read: only rows of the asked signal that overlap the wanted interval.
/// `data` if any row is left, else `no_data` with a sentence that says whether the provider had none or none passed.
[[nodiscard]] scheduler::SourceAnswer answer_from(scheduler::Harvest harvest, const scheduler::SourceRequest& request);

/// Rows in order of start. Of several rows of one (identity, kind, start) the latest revision stays; exact repetitions
/// are counted as duplicates.
void put_in_order(scheduler::Harvest& harvest);

}  // namespace valle::connectors
