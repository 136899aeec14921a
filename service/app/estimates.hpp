// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/account/run.hpp"
#include "scheduler/energy/estimate.hpp"
#include "service/app/store_access.hpp"

namespace valle::service::app {

/// What earlier runs teach about the next one like them. Held in memory, so that the webhook may ask; the ledger and
/// the signatures in the store are what it is made from. Safe from any thread.
class RunEstimates final {
 public:
  /// The most finished runs that are read from the store.
  static constexpr std::size_t k_most_runs = 20'000;

  explicit RunEstimates(StoreAccess& store) : store_{store} {}

  /// Reads what the store knows, waiting for it. Not from a thread of the store.
  [[nodiscard]] scheduler::Result<void> load();
  /// The same without waiting: figures come hours after a run has ended, and providers revise them.
  void reload_later();

  /// Of runs with the very same signature; of those of its family where there are too few; else nothing. Quick.
  [[nodiscard]] std::optional<scheduler::LearnedEstimate> learned(const scheduler::JobSignature& signature) const;

  /// The run has this signature: stored without waiting for it.
  void remember(const std::string& run, const scheduler::JobSignature& signature);
  /// A run whose signature was remembered has finished, or its figures have changed.
  void take(const scheduler::Run& run);

 private:
  struct Experience {
    scheduler::JobSignature signature = {};
    std::optional<scheduler::PastRun> past = {};
  };
  /// Names of the newest runs that have taught, by a signature.
  using Index = std::map<std::string, std::vector<std::string>>;
  void put(const std::string& run, Experience experience);
  // With the mutex held:
  void add_to(Index& index, const std::string& key, const std::string& run);
  void forget_if_unused(const std::string& run);

  StoreAccess& store_;
  mutable std::mutex mutex_;
  std::map<std::string, Experience> by_run_;
  Index by_exact_;
  Index by_family_;
};

}  // namespace valle::service::app
