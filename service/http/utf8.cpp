// SPDX-License-Identifier: Apache-2.0
#include "service/http/utf8.hpp"

#include <cstddef>

namespace valle::service::http {

namespace {

/// A lead byte: how many bytes follow, and what the first of them may be.
struct Lead {
  std::size_t following;
  unsigned char least;
  unsigned char most;
};

constexpr Lead lead_of(unsigned char byte) {
  if (byte < 0x80) return {0, 0, 0};
  if (byte >= 0xC2 && byte <= 0xDF) return {1, 0x80, 0xBF};
  if (byte == 0xE0) return {2, 0xA0, 0xBF};
  if (byte == 0xED) return {2, 0x80, 0x9F};
  if (byte >= 0xE1 && byte <= 0xEF) return {2, 0x80, 0xBF};
  if (byte == 0xF0) return {3, 0x90, 0xBF};
  if (byte >= 0xF1 && byte <= 0xF3) return {3, 0x80, 0xBF};
  if (byte == 0xF4) return {3, 0x80, 0x8F};
  return {1, 1, 0};  // no byte fits: never a lead
}

}  // namespace

bool is_utf8(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    const Lead lead = lead_of(static_cast<unsigned char>(text[i++]));
    for (std::size_t k = 0; k < lead.following; ++k, ++i) {
      if (i == text.size()) return false;
      const auto byte = static_cast<unsigned char>(text[i]);
      const unsigned char least = k == 0 ? lead.least : 0x80;
      const unsigned char most = k == 0 ? lead.most : 0xBF;
      if (byte < least || byte > most) return false;
    }
  }
  return true;
}

}  // namespace valle::service::http
