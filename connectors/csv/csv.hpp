// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Text parted by commas, or by another character, in UTF-8, with or without byte order mark, LF or CRLF, fields with
/// or without quotes.
namespace valle::connectors::csv {

/// Without blanks and tabs at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// 'text' in quotes for error messages, cut where it is long.
[[nodiscard]] std::string quoted(std::string_view text);

/// Hands out lines without their ends, and knows their numbers. A view into the text.
class Lines {
 public:
  explicit Lines(std::string_view text);
  [[nodiscard]] bool next(std::string_view& line);
  /// Of the line handed out last, from 1.
  [[nodiscard]] std::size_t number() const { return number_; }

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

/// The fields of one line, trimmed. Views into the line, or into this object where a doubled quote had to be undone.
class Fields {
 public:
  explicit Fields(std::size_t most_columns, char separator = ',')
      : most_columns_{most_columns}, separator_{separator} {}
  /// False for too many columns and for a quote that is not closed or is followed by text.
  [[nodiscard]] bool split(std::string_view line);
  [[nodiscard]] std::span<const std::string_view> all() const { return fields_; }
  [[nodiscard]] std::string_view at(std::size_t i) const { return fields_[i]; }
  /// Empty where there is no such column.
  [[nodiscard]] std::string_view at(const std::optional<std::size_t>& i) const {
    return i ? fields_[*i] : std::string_view{};
  }

 private:
  [[nodiscard]] bool take_quoted(std::string_view& line);
  std::size_t most_columns_;
  char separator_;
  std::vector<std::string_view> fields_;
  std::deque<std::string> unquoted_;  // a deque: views into it stay valid
};

}  // namespace valle::connectors::csv
