// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "service/runtime/executors.hpp"
#include "service/store/database.hpp"

namespace valle::service::app {

/// The database from any thread: work is carried to the queue whose threads own the connections. All writing is done by
/// one thread, so whoever writes is alone.
class StoreAccess final {
 public:
  using Work = std::function<void(store::Database&)>;

  /// `writing` has one thread, `reading` as many as there are `readers`. Both are closed before this ends. The
  /// connections are released by their present threads (`Database::release_thread`).
  StoreAccess(runtime::WorkQueue& writing, std::unique_ptr<store::Database> writer, runtime::WorkQueue& reading,
              std::vector<std::unique_ptr<store::Database>> readers);

  /// False if the queue is full or closed; then `work` was not run and is gone.
  [[nodiscard]] bool write(Work work);
  [[nodiscard]] bool read(Work work);

 private:
  runtime::WorkQueue& writing_;
  runtime::WorkQueue& reading_;
  std::unique_ptr<store::Database> writer_;
  std::vector<std::unique_ptr<store::Database>> readers_;  // by thread of `reading_`
};

}  // namespace valle::service::app
