// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scheduler/account/run.hpp"
#include "scheduler/model/error.hpp"

namespace valle::service::store {

/// What a run holds beyond the columns of its row, as JSON: attempts with pods and figures, and its power cap.
[[nodiscard]] std::string run_document(const scheduler::Run& run);
/// Reads it back into `run`. Refused (`storage_failed`) if the text is not what `run_document` writes.
[[nodiscard]] scheduler::Result<void> read_run_document(std::string_view text, scheduler::Run& run);

}  // namespace valle::service::store
