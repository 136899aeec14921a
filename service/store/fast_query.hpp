// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3_stmt;
namespace SQLite {
class Database;
}

namespace valle::service::store {

/// A statement read straight from SQLite, for loops over hundreds of thousands of rows: SQLiteCpp makes an object that
/// shares the statement for each column of each row, which takes longer than SQLite itself. Throws `SQLite::Exception`.
class FastQuery final {
 public:
  FastQuery(SQLite::Database& connection, const std::string& sql);

  /// Parameters count from 1.
  void bind(int parameter, std::int64_t value);
  void bind(int parameter, const std::string& text);
  /// The next row; false after the last.
  [[nodiscard]] bool step();
  /// To the beginning, for other parameters.
  void reset();
  /// Columns of the present row count from 0; null reads as 0, or as an empty text.
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] std::string text(int column) const;
  /// The text until the next `step`.
  [[nodiscard]] std::string_view view(int column) const;
  [[nodiscard]] bool is_null(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  void check(int code) const;

  SQLite::Database& connection_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

}  // namespace valle::service::store
