// SPDX-License-Identifier: Apache-2.0
#include "service/app/store_access.hpp"

#include <utility>

#include "scheduler/units/require.hpp"

namespace valle::service::app {

StoreAccess::StoreAccess(runtime::WorkQueue& writing, std::unique_ptr<store::Database> writer,
                         runtime::WorkQueue& reading, std::vector<std::unique_ptr<store::Database>> readers)
    : writing_{writing}, reading_{reading}, writer_{std::move(writer)}, readers_{std::move(readers)} {
  scheduler::require(writing_.threads() == 1, "the store is written by exactly one thread");
  scheduler::require(reading_.threads() == readers_.size(), "each reading thread has a connection of its own");
  writer_->release_thread();
  for (const auto& reader : readers_) reader->release_thread();
}

bool StoreAccess::write(Work work) {
  return writing_.post([this, work = std::move(work)] { work(*writer_); });
}

bool StoreAccess::read(Work work) {
  return reading_.post([this, work = std::move(work)] { work(*readers_[runtime::WorkQueue::this_thread_index()]); });
}

}  // namespace valle::service::app
