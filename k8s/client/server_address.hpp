// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "scheduler/model/error.hpp"

namespace valle::k8s {

struct ServerAddress {
  std::string host;  ///< without brackets
  std::uint16_t port = 443;
  std::string base_path = {};  ///< without a slash at its end
  friend bool operator==(const ServerAddress&, const ServerAddress&) = default;
};

/// Reads `https://host[:port][/path]`, host being a name, an IPv4 address or an IPv6 address in brackets. The detail of
/// a refusal says what is wrong; its pointer stays empty.
[[nodiscard]] scheduler::Result<ServerAddress> parse_server_address(std::string_view url);

/// 1 … 65535 in digits.
[[nodiscard]] std::optional<std::uint16_t> parse_port(std::string_view text);

}  // namespace valle::k8s
