// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <type_traits>
#include <utility>
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

  /// The same, waiting for the result of `work(store::Database&)`, a `Result<T>`. Not from a thread of the queue that
  /// is asked. Refused (`storage_failed`) if the work could not be done because the program ends.
  template <class Work>
  [[nodiscard]] auto read_now(Work work) {
    return wait_for(&StoreAccess::read, std::move(work));
  }
  template <class Work>
  [[nodiscard]] auto write_now(Work work) {
    return wait_for(&StoreAccess::write, std::move(work));
  }

 private:
  template <class Work>
  auto wait_for(bool (StoreAccess::*post)(StoreAccess::Work), Work work)
      -> std::invoke_result_t<Work&, store::Database&> {
    using Outcome = std::invoke_result_t<Work&, store::Database&>;
    auto promise = std::make_shared<std::promise<Outcome>>();
    auto outcome = promise->get_future();
    const auto not_done = [] { return scheduler::refuse(scheduler::Errc::storage_failed, "the store is closing"); };
    // The queue must hold the only promise, so that dropped work is noticed.
    StoreAccess::Work carried = [promise = std::move(promise), work = std::move(work)](
                                    store::Database& database) mutable { promise->set_value(work(database)); };
    if (!(this->*post)(std::move(carried))) return not_done();
    try {
      return outcome.get();
    } catch (const std::future_error&) {
      return not_done();
    }
  }

  runtime::WorkQueue& writing_;
  runtime::WorkQueue& reading_;
  std::unique_ptr<store::Database> writer_;
  std::vector<std::unique_ptr<store::Database>> readers_;  // by thread of `reading_`
};

}  // namespace valle::service::app
