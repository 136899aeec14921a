// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

namespace valle::scheduler {

/// A JSON pointer (RFC 6901) that costs nothing until it is needed: `Pointer{} / "jobs" / 3 / "demand" / resource`.
/// Names are borrowed and must outlive it.
class Pointer {
 public:
  [[nodiscard]] Pointer operator/(std::string_view member) const { return with(member); }
  [[nodiscard]] Pointer operator/(const char* member) const { return with(std::string_view{member}); }
  [[nodiscard]] Pointer operator/(std::size_t index) const { return with(index); }

  /// `/jobs/3/demand/gpu`, with `~` and `/` inside names escaped.
  [[nodiscard]] std::string text() const;

 private:
  using Token = std::variant<std::string_view, std::size_t>;
  static constexpr std::size_t k_deepest = 6;

  [[nodiscard]] Pointer with(Token token) const;

  std::array<Token, k_deepest> tokens_{};
  std::size_t depth_ = 0;
};

}  // namespace valle::scheduler
