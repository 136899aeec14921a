// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "scheduler/model/error.hpp"

namespace SQLite {
class Exception;
}

namespace valle::service::store {

/// What went wrong with `file`, as one sentence that says what to do about it.
[[nodiscard]] scheduler::Error storage_error(const SQLite::Exception& exception, const std::filesystem::path& file);

}  // namespace valle::service::store
