// SPDX-License-Identifier: Apache-2.0
#include "service/http/auth.hpp"

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

namespace valle::service::http {

using scheduler::Errc;
using scheduler::refuse;
using scheduler::Result;

namespace {

constexpr std::size_t k_shortest_token = 16;
constexpr std::size_t k_longest_token = 512;
constexpr std::size_t k_most_tokens = 1000;
constexpr std::size_t k_largest_file = 1u << 20;

std::array<unsigned char, 32> digest_of(std::string_view token) {
  std::array<unsigned char, 32> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(token.data()), token.size(), digest.data());
  return digest;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view k_blanks = " \t\r";
  const std::size_t begin = std::min(text.find_first_not_of(k_blanks), text.size());
  const std::size_t end = text.find_last_not_of(k_blanks) + 1;
  return text.substr(begin, std::max(end, begin) - begin);
}

bool is_token(std::string_view text) {
  return text.size() >= k_shortest_token && text.size() <= k_longest_token &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
}

/// `Bearer <token>`, the scheme without regard to case (RFC 9110, 11.1).
std::optional<std::string_view> bearer_token(std::string_view authorization) {
  constexpr std::string_view k_scheme = "bearer ";
  if (authorization.size() <= k_scheme.size()) return std::nullopt;
  const bool is_bearer = std::ranges::equal(authorization.substr(0, k_scheme.size()), k_scheme, [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
  if (!is_bearer) return std::nullopt;
  return trimmed(authorization.substr(k_scheme.size()));
}

}  // namespace

Result<BearerTokens> BearerTokens::load(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  std::string text(k_largest_file + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad() || (in.fail() && !in.eof())) {
    return refuse(Errc::invalid_request, "the tokens file cannot be read", file.string());
  }
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > k_largest_file) {
    return refuse(Errc::invalid_request, "the tokens file has more than 1 MB", file.string());
  }
  return parse(text, file.string());
}

Result<BearerTokens> BearerTokens::parse(std::string_view text, std::string_view place) {
  BearerTokens tokens;
  std::size_t line_number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string where = std::string{place} + ':' + std::to_string(++line_number);
    if (line.empty() || line.starts_with('#')) continue;

    const std::size_t colon = line.find(':');
    const bool named = colon != line.npos;
    const std::string_view name = named ? trimmed(line.substr(0, colon)) : std::string_view{};
    const std::string_view token = named ? trimmed(line.substr(colon + 1)) : line;
    if (!is_token(token)) {
      return refuse(Errc::invalid_request, "a token has 16 to 512 visible ASCII characters, without blanks", where);
    }
    if (named && name.empty()) return refuse(Errc::invalid_request, "a name is missing before ':'", where);
    const auto digest = digest_of(token);
    if (std::ranges::find(tokens.entries_, digest, &Entry::digest) != tokens.entries_.end()) {
      return refuse(Errc::invalid_request, "this token stands above already", where);
    }
    if (tokens.entries_.size() == k_most_tokens) {
      return refuse(Errc::invalid_request, "more than " + std::to_string(k_most_tokens) + " tokens", where);
    }
    tokens.entries_.push_back({named ? std::string{name} : "token-" + std::to_string(line_number), digest});
  }
  if (tokens.entries_.empty())
    return refuse(Errc::invalid_request, "there is no token in the file", std::string{place});
  return tokens;
}

Result<std::string> BearerTokens::check(std::string_view authorization) const {
  const std::optional<std::string_view> token = bearer_token(authorization);
  if (!token) return refuse(Errc::unauthorized, "send the header 'Authorization: Bearer <token>'");
  const auto digest = digest_of(*token);
  const Entry* found = nullptr;
  for (const Entry& entry : entries_) {  // all of them, always: time must not tell which was close
    if (CRYPTO_memcmp(entry.digest.data(), digest.data(), digest.size()) == 0) found = &entry;
  }
  if (!found) return refuse(Errc::unauthorized, "the token is not known");
  return found->name;
}

}  // namespace valle::service::http
