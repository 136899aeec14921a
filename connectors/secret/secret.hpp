// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "scheduler/model/error.hpp"

namespace valle::connectors {

/// A token or key. Cannot be printed, logged, compared or copied into a text by accident; `reveal()` is for the one
/// place that puts it on the wire.
class Secret final {
 public:
  explicit Secret(std::string value) : value_{std::move(value)} {}
  [[nodiscard]] const std::string& reveal() const { return value_; }
  [[nodiscard]] bool empty() const { return value_.empty(); }

  template <class Stream>
  friend Stream& operator<<(Stream&, const Secret&) = delete;

 private:
  std::string value_;
};

/// Where a provider's token comes from. Safe to use from several threads.
class TokenSource {
 public:
  virtual ~TokenSource() = default;
  /// The token in force now; `Errc::invalid_request` with the file as pointer if it can't be read. Never the content.
  [[nodiscard]] virtual scheduler::Result<Secret> current() = 0;
  /// A remark for people on how the token was written ("wrapped in quotes; they were taken off"); mostly empty.
  [[nodiscard]] virtual std::string warning() const { return {}; }
};

/// Read from a file, and again whenever the file changes. Blanks, line ends and one pair of quotes around the token are
/// taken off, with a warning for quotes.
[[nodiscard]] std::shared_ptr<TokenSource> token_from_file(std::filesystem::path file);
/// A token given directly, e.g. by a variable of the environment.
[[nodiscard]] std::shared_ptr<TokenSource> fixed_token(Secret token);

}  // namespace valle::connectors
