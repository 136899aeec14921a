// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "scheduler/model/error.hpp"

namespace valle::k8s {

/// A bearer token. Cannot be printed or compared by accident; `reveal()` is for the one place that puts it on the wire.
class Secret final {
 public:
  explicit Secret(std::string value) : value_{std::move(value)} {}
  [[nodiscard]] const std::string& reveal() const { return value_; }

 private:
  std::string value_;
};

/// Where the bearer token comes from. Safe from any thread.
class TokenSource {
 public:
  virtual ~TokenSource() = default;
  /// The token in force; `Errc::unauthorized` with the file as pointer if it cannot be read.
  [[nodiscard]] virtual scheduler::Result<Secret> current() = 0;
  /// The server said 401: look again before the next call, even if the file seems to be the same.
  virtual void was_refused() {}
};

[[nodiscard]] std::shared_ptr<TokenSource> fixed_token(Secret token);
/// Read from a file, and again whenever the file is another one (service account tokens rotate) or was refused.
[[nodiscard]] std::shared_ptr<TokenSource> token_from_file(std::filesystem::path file);

}  // namespace valle::k8s
