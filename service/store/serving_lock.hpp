// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "scheduler/model/error.hpp"

namespace valle::service::store {

/// Held by the one service that plans on a database, so that a second one is refused instead of overwriting its plans.
/// The system lets go of it when the process ends, however it ends. Commands (ingest, backup) do not need it.
class ServingLock final {
 public:
  /// Refused with `Errc::storage_failed` if another process holds it. It lives in `<database>.lock` beside the file:
  /// SQLite's own locks belong to the file itself and would be lost when another handle on it is closed.
  [[nodiscard]] static scheduler::Result<std::unique_ptr<ServingLock>> take(const std::filesystem::path& database);
  ~ServingLock();
  ServingLock(const ServingLock&) = delete;
  ServingLock& operator=(const ServingLock&) = delete;

 private:
  explicit ServingLock(int file) : file_{file} {}
  int file_;
};

}  // namespace valle::service::store
