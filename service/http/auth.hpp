// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/model/error.hpp"

namespace valle::service::http {

/// Decides on the value of an Authorization header ("" where there is none): the caller's name, or unauthorized. Called
/// on io threads for every request of a protected route; must not block.
using Authenticate = std::function<scheduler::Result<std::string>(std::string_view authorization)>;

/// The tokens of `auth.tokensFile`, kept as SHA-256 only. Immutable, safe from any thread.
class BearerTokens final {
 public:
  /// One token a line, optionally `name:token`; empty lines and lines that start with `#` are skipped. A token has
  /// 16…512 visible ASCII characters. An empty list, a repeated token or an unreadable file is refused, with file:line.
  [[nodiscard]] static scheduler::Result<BearerTokens> load(const std::filesystem::path& file);
  [[nodiscard]] static scheduler::Result<BearerTokens> parse(std::string_view text, std::string_view place);

  /// The name (`token-3` for the token of line 3 without one), or unauthorized. Takes the same time for every wrong
  /// token.
  [[nodiscard]] scheduler::Result<std::string> check(std::string_view authorization) const;

 private:
  struct Entry {
    std::string name;
    std::array<unsigned char, 32> digest;
  };
  std::vector<Entry> entries_;
};

}  // namespace valle::service::http
