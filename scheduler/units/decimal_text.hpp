// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "scheduler/units/quantity.hpp"

namespace valle::scheduler {

/// Appends `count` as a decimal number with `decimals` (0…18) digits behind the point, whatever the locale: 1234, 3 →
/// "1.234".
inline void append_decimal(std::string& text, std::int64_t count, int decimals) {
  char buffer[32];  // a sign, 20 digits and a point
  char* const end = buffer + sizeof buffer;
  char* begin = end;
  std::uint64_t left = count < 0 ? 0 - static_cast<std::uint64_t>(count) : static_cast<std::uint64_t>(count);
  for (int place = 0; left > 0 || place <= decimals; ++place) {
    if (place == decimals && decimals > 0) *--begin = '.';
    *--begin = static_cast<char>('0' + left % 10);
    left /= 10;
  }
  if (count < 0) *--begin = '-';
  text.append(begin, end);
}

/// The same of a sum of any size.
[[nodiscard]] inline std::string decimal_text(Wide count, int decimals) {
  const bool negative = count < 0;
  if (negative) count = -count;
  std::string digits;
  for (int place = 0; count > 0 || place <= decimals; ++place) {
    if (place == decimals && decimals > 0) digits += '.';
    digits += static_cast<char>('0' + static_cast<int>(count % 10));
    count /= 10;
  }
  if (negative) digits += '-';
  return {digits.rbegin(), digits.rend()};
}

}  // namespace valle::scheduler
