// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>

namespace valle::service::runtime {

/// A token or password: cannot be printed, logged, compared or converted by accident. `reveal` at the one place of use.
class Secret final {
 public:
  Secret() = default;
  explicit Secret(std::string value) : value_{std::move(value)} {}
  [[nodiscard]] const std::string& reveal() const { return value_; }
  [[nodiscard]] bool empty() const { return value_.empty(); }

  template <class Stream>
  friend Stream& operator<<(Stream&, const Secret&) = delete;

 private:
  std::string value_;
};

}  // namespace valle::service::runtime
