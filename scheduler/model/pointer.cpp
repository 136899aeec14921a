// SPDX-License-Identifier: Apache-2.0
#include "scheduler/model/pointer.hpp"

#include "scheduler/units/require.hpp"

namespace valle::scheduler {

Pointer Pointer::with(Token token) const {
  require(depth_ < k_deepest, "a JSON pointer of the problem is at most six levels deep");
  Pointer longer = *this;
  longer.tokens_[longer.depth_++] = token;
  return longer;
}

std::string Pointer::text() const {
  std::string text;
  for (std::size_t i = 0; i < depth_; ++i) {
    text += '/';
    if (const auto* index = std::get_if<std::size_t>(&tokens_[i])) {
      text += std::to_string(*index);
      continue;
    }
    for (const char c : std::get<std::string_view>(tokens_[i])) {
      if (c == '~' || c == '/') {
        text += c == '~' ? "~0" : "~1";
      } else {
        text += c;
      }
    }
  }
  return text;
}

}  // namespace valle::scheduler
