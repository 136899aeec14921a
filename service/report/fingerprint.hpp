// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace valle::service::report {

/// A number that is another one, but for chance of 2^-64, when anything added is. Not against forgers.
class Fingerprint final {
 public:
  void add(std::int64_t number) { mix(static_cast<std::uint64_t>(number)); }
  void add(std::string_view text) {
    mix(text.size());
    for (; text.size() >= 8; text.remove_prefix(8)) {
      std::uint64_t word = 0;
      std::memcpy(&word, text.data(), 8);
      mix(word);
    }
    std::uint64_t rest = 0;
    std::memcpy(&rest, text.data(), text.size());
    mix(rest);
  }
  [[nodiscard]] std::int64_t value() const { return static_cast<std::int64_t>(state_); }

 private:
  void mix(std::uint64_t word) {
    // The finisher of SplitMix64 after each word.
    std::uint64_t z = (state_ ^ word) + 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    state_ = z ^ (z >> 31);
  }
  std::uint64_t state_ = 0x243f6a8885a308d3u;
};

}  // namespace valle::service::report
