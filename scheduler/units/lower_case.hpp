// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace valle::scheduler {

/// A name in lower case (ASCII alone): zone, site and region names match without regard to case.
[[nodiscard]] inline std::string lower_case(std::string_view text) {
  std::string result{text};
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

}  // namespace valle::scheduler
