// SPDX-License-Identifier: Apache-2.0
#include "service/store/fast_query.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

namespace valle::service::store {

void FastQuery::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

FastQuery::FastQuery(SQLite::Database& connection, const std::string& sql) : connection_{connection} {
  sqlite3_stmt* statement = nullptr;
  check(sqlite3_prepare_v2(connection_.getHandle(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr));
  statement_.reset(statement);
}

void FastQuery::check(int code) const {
  if (code != SQLITE_OK) throw SQLite::Exception{connection_.getHandle(), code};
}

void FastQuery::bind(int parameter, std::int64_t value) {
  check(sqlite3_bind_int64(statement_.get(), parameter, value));
}

bool FastQuery::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) check(code);
  return false;
}

std::int64_t FastQuery::integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }

std::string FastQuery::text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
  return text == nullptr ? std::string{} : std::string{text, size};
}

}  // namespace valle::service::store
