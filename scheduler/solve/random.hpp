// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace valle::scheduler::solving {

/// xorshift64*: fast, and the same on every platform for one seed.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_{seed * 0x9E3779B97F4A7C15ULL + 0x1234567ULL} {
    if (state_ == 0) state_ = 1;
    next();
    next();
  }
  std::uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ * 0x2545F4914F6CDD1DULL;
  }
  /// 0 … n - 1; n > 0.
  std::size_t below(std::size_t n) {
    return static_cast<std::size_t>(((next() >> 32) * static_cast<std::uint64_t>(n)) >> 32);
  }
  /// [0, 1)
  double unit() { return static_cast<double>(next() >> 11) * (1.0 / 9007199254740992.0); }

  template <class T>
  void shuffle(std::vector<T>& list) {
    for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[below(i)]);
  }

 private:
  std::uint64_t state_;
};

}  // namespace valle::scheduler::solving
