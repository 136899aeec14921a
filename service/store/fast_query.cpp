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

void FastQuery::bind(int parameter, const std::string& text) {
  check(sqlite3_bind_text(statement_.get(), parameter, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT));
}

bool FastQuery::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) check(code);
  return false;
}

void FastQuery::reset() { check(sqlite3_reset(statement_.get())); }

std::int64_t FastQuery::integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }

std::string FastQuery::text(int column) const { return std::string{view(column)}; }

std::string_view FastQuery::view(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
  return text == nullptr ? std::string_view{} : std::string_view{text, size};
}

bool FastQuery::is_null(int column) const { return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL; }

}  // namespace valle::service::store
