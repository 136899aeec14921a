// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace valle::scheduler {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Reads a text from left to right. Every `take_…` moves on only if it finds what it looks for.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_{text} {}

  [[nodiscard]] bool done() const { return rest_.empty(); }
  [[nodiscard]] bool next_is(char wanted) const { return !rest_.empty() && rest_.front() == wanted; }

  bool take(char wanted) {
    if (!next_is(wanted)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool take_any_of(std::string_view wanted) {
    if (rest_.empty() || wanted.find(rest_.front()) == std::string_view::npos) return false;
    rest_.remove_prefix(1);
    return true;
  }

  /// As many digits as there are, maybe none.
  std::string_view take_digits() {
    std::size_t count = 0;
    while (count < rest_.size() && is_digit(rest_[count])) ++count;
    const std::string_view digits = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return digits;
  }

  /// A number of exactly `width` ≤ 4 digits.
  std::optional<unsigned> take_number(std::size_t width) {
    if (rest_.size() < width) return std::nullopt;
    unsigned value = 0;
    for (const char c : rest_.substr(0, width)) {
      if (!is_digit(c)) return std::nullopt;
      value = value * 10 + static_cast<unsigned>(c - '0');
    }
    rest_.remove_prefix(width);
    return value;
  }

 private:
  std::string_view rest_;
};

/// Appends `value` with at least `width` digits.
inline void append_number(std::string& text, std::int64_t value, std::size_t width) {
  const std::string digits = std::to_string(value);
  if (digits.size() < width) text.append(width - digits.size(), '0');
  text += digits;
}

}  // namespace valle::scheduler
