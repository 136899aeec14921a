// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduler/ports/job_ledger.hpp"
#include "service/app/store_access.hpp"

namespace valle::service::app {

/// The ledger for those outside the store's threads: each call waits for its turn there. Not from a thread of the store
/// itself, which would wait for itself; there, use `store::RunRepository`. Safe from any other thread.
class StoredLedger final : public scheduler::JobLedger {
 public:
  explicit StoredLedger(StoreAccess& store) : store_{store} {}

  [[nodiscard]] scheduler::Result<std::vector<std::string>> change(std::span<const std::string> ids,
                                                                   const scheduler::RunChange& step) override;
  [[nodiscard]] scheduler::Result<std::optional<scheduler::Run>> find(const std::string& id) override;
  [[nodiscard]] scheduler::Result<std::vector<scheduler::Run>> running(std::size_t limit) override;
  [[nodiscard]] scheduler::Result<std::vector<scheduler::Run>> finished(scheduler::Interval when,
                                                                        std::size_t limit) override;
  [[nodiscard]] scheduler::Result<std::vector<scheduler::PodOfRun>> pods(scheduler::Interval window) override;

 private:
  StoreAccess& store_;
};

}  // namespace valle::service::app
