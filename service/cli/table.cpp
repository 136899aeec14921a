// SPDX-License-Identifier: Apache-2.0
#include "service/cli/table.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

#include "scheduler/units/require.hpp"

namespace valle::service::cli {
namespace {

/// Characters, not bytes, of UTF-8 text.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

Table::Table(std::vector<std::string> header, std::vector<std::string> align) : align_{std::move(align)} {
  scheduler::require(header.size() == align_.size(), "one alignment a column");
  rows_.push_back(std::move(header));
}

void Table::row(std::vector<std::string> cells) {
  scheduler::require(cells.size() == align_.size(), "one cell a column");
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  std::vector<std::size_t> widths(align_.size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string blanks(widths[i] - width_of(row[i]), ' ');
      line += (i > 0 ? "  " : "") + (align_[i] == ">" ? blanks + row[i] : row[i] + blanks);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::string fixed(double number, int decimals) {
  std::array<char, 64> buffer{};
  const auto [end, fault] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, std::chars_format::fixed, decimals);
  std::string text{buffer.data(), fault == std::errc{} ? end : buffer.data()};
  const std::size_t sign = text.starts_with('-') ? 1 : 0;
  const std::size_t point = std::min(text.find('.'), text.size());
  for (std::size_t i = point; i > sign + 3;) text.insert(i -= 3, 1, ',');
  return text;
}

}  // namespace valle::service::cli
