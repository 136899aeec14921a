// SPDX-License-Identifier: Apache-2.0
#include "service/store/signature_repository.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <utility>

#include "service/store/fast_query.hpp"
#include "service/store/run_table.hpp"

namespace valle::service::store {

using scheduler::JobSignature;
using scheduler::Result;

Result<void> SignatureRepository::remember(const std::string& run, const JobSignature& signature) {
  return database_.write([&](SQLite::Database& connection) -> Result<void> {
    SQLite::Statement insert{connection,
                             "INSERT INTO run_signature (run, exact, family) VALUES (?1, ?2, ?3) "
                             "ON CONFLICT (run) DO UPDATE SET exact = excluded.exact, family = excluded.family"};
    insert.bind(1, run);
    insert.bind(2, signature.exact);
    insert.bind(3, signature.family);
    insert.exec();
    return {};
  });
}

Result<std::vector<SignedRun>> SignatureRepository::finished(std::size_t limit) {
  return database_.read([&](SQLite::Database& connection) -> Result<std::vector<SignedRun>> {
    std::vector<SignedRun> runs;
    FastQuery find{connection, "SELECT exact, family FROM run_signature WHERE run = ?1"};
    const auto read = each_run(connection,
                               "finished_at IS NOT NULL AND replaced_by IS NULL AND "
                               "EXISTS (SELECT 1 FROM run_signature WHERE run_signature.run = id) "
                               "ORDER BY finished_at DESC, sequence DESC LIMIT ?1",
                               {static_cast<std::int64_t>(limit)}, [&](RunRow& row) {
                                 find.bind(1, row.run.id);
                                 if (find.step()) {
                                   JobSignature signature{find.text(0), find.text(1)};
                                   runs.push_back({std::exchange(row.run, {}), std::move(signature)});
                                 }
                                 find.reset();
                                 return true;
                               });
    if (!read) return tl::unexpected{read.error()};
    return runs;
  });
}

}  // namespace valle::service::store
