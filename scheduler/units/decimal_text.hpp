// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "scheduler/units/quantity.hpp"

namespace valle::scheduler {

namespace detail {

template <class Unsigned>
void append_decimal(std::string& text, bool negative, Unsigned left, int decimals) {
  char buffer[48];  // a sign, 39 digits and a point
  char* const end = buffer + sizeof buffer;
  char* begin = end;
  for (int place = 0; left > 0 || place <= decimals; ++place) {
    if (place == decimals && decimals > 0) *--begin = '.';
    *--begin = static_cast<char>('0' + static_cast<int>(left % 10));
    left /= 10;
  }
  if (negative) *--begin = '-';
  text.append(begin, end);
}

}  // namespace detail

/// Appends `count` as a decimal number with `decimals` (0…18) digits behind the point, whatever the locale: 1234, 3 →
/// "1.234".
inline void append_decimal(std::string& text, std::int64_t count, int decimals) {
  const auto size = static_cast<std::uint64_t>(count);
  detail::append_decimal(text, count < 0, count < 0 ? 0 - size : size, decimals);
}

/// The same of a sum of any size.
[[nodiscard]] inline std::string decimal_text(Wide count, int decimals) {
  __extension__ using Unsigned = unsigned __int128;
  const auto size = static_cast<Unsigned>(count);
  std::string text;
  detail::append_decimal(text, count < 0, count < 0 ? 0 - size : size, decimals);
  return text;
}

}  // namespace valle::scheduler
