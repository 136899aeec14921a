// SPDX-License-Identifier: Apache-2.0
#include "k8s/client/server_address.hpp"

#include <algorithm>
#include <charconv>

namespace valle::k8s {

using scheduler::Errc;
using scheduler::refuse;
using scheduler::Result;

namespace {

constexpr std::string_view k_https = "https://";

bool is_host(std::string_view host) {
  return !host.empty() && host.size() <= 253 && std::all_of(host.begin(), host.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
           c == '_' || c == ':' || c == '%';
  });
}

bool is_path(std::string_view path) {
  return std::all_of(path.begin(), path.end(), [](char c) { return c > ' ' && c < 127 && c != '?' && c != '#'; });
}

}  // namespace

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc{} || end != text.data() + text.size() || port == 0) return std::nullopt;
  return port;
}

Result<ServerAddress> parse_server_address(std::string_view url) {
  if (url.substr(0, k_https.size()) != k_https) {
    return refuse(Errc::invalid_request, "must begin with https://; nothing is sent to an API server in the clear");
  }
  url.remove_prefix(k_https.size());
  const auto slash = std::min(url.find('/'), url.size());
  std::string_view authority = url.substr(0, slash);
  std::string_view path = url.substr(slash);
  while (!path.empty() && path.back() == '/') path.remove_suffix(1);

  ServerAddress address;
  const bool bracketed = !authority.empty() && authority.front() == '[';
  const auto close = bracketed ? authority.find(']') : std::string_view::npos;
  if (bracketed && close == std::string_view::npos) return refuse(Errc::invalid_request, "lacks the closing bracket");
  const auto colon = authority.find(':', bracketed ? close : 0);
  address.host = bracketed ? authority.substr(1, close - 1) : authority.substr(0, colon);
  if (colon != std::string_view::npos) {
    const auto given = parse_port(authority.substr(colon + 1));
    if (!given) return refuse(Errc::invalid_request, "has a port that is not 1 to 65535");
    address.port = *given;
  }
  address.base_path = path;
  if (!is_host(address.host)) return refuse(Errc::invalid_request, "has no host that could be one");
  if (!is_path(address.base_path))
    return refuse(Errc::invalid_request, "has a path with blanks, a query or a fragment");
  return address;
}

}  // namespace valle::k8s
