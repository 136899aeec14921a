// SPDX-License-Identifier: Apache-2.0
#include "service/app/stored_ledger.hpp"

#include "service/store/run_repository.hpp"

namespace valle::service::app {

using scheduler::Interval;
using scheduler::PodOfRun;
using scheduler::Result;
using scheduler::Run;

Result<std::vector<std::string>> StoredLedger::change(std::span<const std::string> ids,
                                                      const scheduler::RunChange& step) {
  return store_.write_now([&](store::Database& database) { return store::RunRepository{database}.change(ids, step); });
}

Result<std::optional<Run>> StoredLedger::find(const std::string& id) {
  return store_.read_now([&](store::Database& database) { return store::RunRepository{database}.find(id); });
}

Result<std::vector<Run>> StoredLedger::running(std::size_t limit) {
  return store_.read_now([&](store::Database& database) { return store::RunRepository{database}.running(limit); });
}

Result<std::vector<Run>> StoredLedger::finished(Interval when, std::size_t limit) {
  return store_.read_now(
      [&](store::Database& database) { return store::RunRepository{database}.finished(when, limit); });
}

Result<std::vector<PodOfRun>> StoredLedger::pods(Interval window) {
  return store_.read_now([&](store::Database& database) { return store::RunRepository{database}.pods(window); });
}

}  // namespace valle::service::app
