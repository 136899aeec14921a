// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace valle::service::cli {

/// A table in plain text for people: columns as wide as their widest cell, two blanks apart. One thread.
class Table final {
 public:
  /// `align`: "<" or ">" a column.
  Table(std::vector<std::string> header, std::vector<std::string> align);
  void row(std::vector<std::string> cells);
  [[nodiscard]] bool empty() const { return rows_.size() == 1; }  ///< nothing but the header
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::string> align_;
  std::vector<std::vector<std::string>> rows_;
};

/// `1,234.5`: a number with so many decimals and a comma between thousands.
[[nodiscard]] std::string fixed(double number, int decimals);

}  // namespace valle::service::cli
