// SPDX-License-Identifier: Apache-2.0
#include "connectors/csv/csv.hpp"

namespace valle::connectors::csv {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view k_blanks = " \t";
  const auto first = text.find_first_not_of(k_blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(k_blanks) - first + 1);
}

std::string quoted(std::string_view text) {
  constexpr std::size_t k_shown = 60;
  return "'" + std::string{text.substr(0, k_shown)} + (text.size() > k_shown ? "…'" : "'");
}

Lines::Lines(std::string_view text) : rest_{text} {
  if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);  // byte order mark
}

bool Lines::next(std::string_view& line) {
  if (rest_.empty()) return false;
  ++number_;
  const auto end = rest_.find('\n');
  line = rest_.substr(0, end);
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

bool Fields::split(std::string_view line) {
  fields_.clear();
  unquoted_.clear();
  for (;;) {
    if (fields_.size() == most_columns_) return false;
    const auto start = line.find_first_not_of(' ');
    if (start != std::string_view::npos && line[start] == '"') {
      line.remove_prefix(start + 1);
      if (!take_quoted(line)) return false;
    } else {
      const auto comma = line.find(separator_);
      fields_.push_back(trimmed(line.substr(0, comma)));
      line.remove_prefix(comma == std::string_view::npos ? line.size() : comma);
    }
    if (line.empty()) return true;
    line.remove_prefix(1);  // the separator
  }
}

bool Fields::take_quoted(std::string_view& line) {
  std::string* joined = nullptr;  // only where a quote is doubled
  for (std::size_t i = 0;; ++i) {
    i = line.find('"', i);
    if (i == std::string_view::npos) return false;
    if (i + 1 < line.size() && line[i + 1] == '"') {
      if (joined == nullptr) joined = &unquoted_.emplace_back();
      joined->append(line.substr(0, i + 1));
      line.remove_prefix(i + 2);
      i = static_cast<std::size_t>(-1);
      continue;
    }
    if (joined != nullptr) joined->append(line.substr(0, i));
    fields_.push_back(trimmed(joined == nullptr ? line.substr(0, i) : std::string_view{*joined}));
    line.remove_prefix(i + 1);
    const auto next = line.find_first_not_of(' ');
    line.remove_prefix(next == std::string_view::npos ? line.size() : next);
    return line.empty() || line.front() == separator_;
  }
}

}  // namespace valle::connectors::csv
