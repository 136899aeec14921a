// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "scheduler/account/run.hpp"
#include "scheduler/energy/estimate.hpp"
#include "service/store/database.hpp"

namespace valle::service::store {

/// A finished run whose signature is known.
struct SignedRun {
  scheduler::Run run;
  scheduler::JobSignature signature;
};

/// The signatures of the ledger's runs (`migrations/0005_run_signature.sql`). Used in the thread of its database.
class SignatureRepository final {
 public:
  explicit SignatureRepository(Database& database) : database_{database} {}

  /// Stores it, or puts it in the place of the one that was there.
  [[nodiscard]] scheduler::Result<void> remember(const std::string& run, const scheduler::JobSignature& signature);
  /// The last to finish first, at most `limit`.
  [[nodiscard]] scheduler::Result<std::vector<SignedRun>> finished(std::size_t limit);

 private:
  Database& database_;
};

}  // namespace valle::service::store
