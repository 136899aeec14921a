// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>

namespace valle::service::runtime {

/// An absolute moment of real (steady) time by which an answer must be given; it shortens every further hop. It follows
/// neither the wall clock nor a test clock, because it bounds how long a client waits.
struct Deadline {
  std::chrono::steady_clock::time_point at = std::chrono::steady_clock::time_point::max();

  [[nodiscard]] static Deadline in(std::chrono::milliseconds span) {
    return Deadline{std::chrono::steady_clock::now() + span};
  }
  /// What remains; zero when it has passed, at most one day.
  [[nodiscard]] std::chrono::milliseconds left() const {
    using std::chrono::milliseconds;
    constexpr milliseconds k_day = std::chrono::hours{24};
    const auto now = std::chrono::steady_clock::now();
    if (at <= now) return milliseconds{0};
    return at - now > k_day ? k_day : std::chrono::duration_cast<milliseconds>(at - now);
  }
  [[nodiscard]] bool passed() const { return at <= std::chrono::steady_clock::now(); }
  [[nodiscard]] Deadline or_sooner(Deadline other) const { return Deadline{std::min(at, other.at)}; }
};

}  // namespace valle::service::runtime
