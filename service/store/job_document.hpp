// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "service/app/job.hpp"

namespace valle::service::store {

/// A job's request and its slot as the text columns of table `job`, in base units; the form is our own and is read by
/// nobody else. Reading what was written gives the same value; a damaged
/// text is `storage_failed`.
[[nodiscard]] std::string request_document(const app::JobRequest& request);
[[nodiscard]] scheduler::Result<app::JobRequest> request_from_document(std::string_view text);
[[nodiscard]] std::string slot_document(const app::JobSlot& slot);
[[nodiscard]] scheduler::Result<app::JobSlot> slot_from_document(std::string_view text);

}  // namespace valle::service::store
