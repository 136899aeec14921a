// SPDX-License-Identifier: Apache-2.0
#include "service/http/target.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "scheduler/model/pointer.hpp"
#include "service/http/utf8.hpp"

namespace valle::service::http {

using scheduler::Errc;
using scheduler::refuse;
using scheduler::Result;

namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// Does `text` have the form of `pattern`, where 0 stands for any digit and T for `T`, `t` or a blank?
bool has_form(std::string_view text, std::string_view pattern) {
  return std::ranges::equal(text, pattern, [](char c, char p) {
    if (p == '0') return c >= '0' && c <= '9';
    if (p == 'T') return c == 'T' || c == 't' || c == ' ';
    return c == p;
  });
}

/// `…T06:00:00 02:00`: an unescaped `+` before an offset has become a blank. A date with its time must stand before it,
/// so that the blank of `2021-06-10 06:00` stays one.
void restore_sign_of_offset(std::string& value) {
  constexpr std::string_view k_date_and_minute = "0000-00-00T00:00";
  constexpr std::string_view k_offset = " 00:00";
  if (value.size() < k_date_and_minute.size() + k_offset.size()) return;
  const std::size_t blank = value.size() - k_offset.size();
  const std::string_view text = value;
  if (!has_form(text.substr(blank), k_offset)) return;
  if (has_form(text.substr(0, k_date_and_minute.size()), k_date_and_minute)) value[blank] = '+';
}

Result<std::vector<std::string>> parse_path(std::string_view path) {
  std::vector<std::string> segments;
  while (!path.empty()) {
    path.remove_prefix(1);  // the slash
    if (path.empty()) break;
    const std::size_t end = std::min(path.find('/'), path.size());
    Result<std::string> segment = percent_decode(path.substr(0, end), Plus::literal);
    if (!segment) return tl::unexpected{segment.error()};
    segments.push_back(*std::move(segment));
    path.remove_prefix(end);
  }
  return segments;
}

Result<Pairs> parse_query(std::string_view query) {
  Pairs pairs;
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    Result<std::string> name = percent_decode(pair.substr(0, equals), Plus::blank);
    if (!name) return tl::unexpected{name.error()};
    Result<std::string> value = percent_decode(pair.substr(std::min(equals + 1, pair.size())), Plus::blank);
    if (!value) {
      value.error().pointer = (scheduler::Pointer{} / *name).text();
      return tl::unexpected{value.error()};
    }
    restore_sign_of_offset(*value);
    pairs.emplace_back(*std::move(name), *std::move(value));
  }
  return pairs;
}

/// `http://host:port/path` → `/path`
std::string_view without_authority(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!target.starts_with(scheme)) continue;
    const std::size_t end = target.find_first_of("/?", scheme.size());
    return end == target.npos ? std::string_view{"/"} : target.substr(end);
  }
  return target;
}

}  // namespace

Result<std::string> percent_decode(std::string_view text, Plus plus) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '+' && plus == Plus::blank) {
      c = ' ';
    } else if (c == '%') {
      const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
      const int low = high >= 0 ? hex_digit(text[i + 2]) : -1;
      if (low < 0) {
        return refuse(Errc::invalid_request,
                      "bad percent escape at position " + std::to_string(i + 1) + " of '" + std::string{text} + "'");
      }
      c = static_cast<char>(high * 16 + low);
      i += 2;
    }
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') {
      return refuse(Errc::invalid_request, "the address holds a control character");
    }
    decoded += c;
  }
  if (!is_utf8(decoded)) return refuse(Errc::invalid_request, "the address is not UTF-8");
  return decoded;
}

Result<Target> parse_target(std::string_view target) {
  const std::string_view local = without_authority(target);
  const std::size_t question = std::min(local.find('?'), local.size());
  const std::string_view path = local.substr(0, question);
  if (!path.starts_with('/') && !(path.empty() && local.size() != target.size())) {
    return refuse(Errc::invalid_request, "the address in the request line must start with '/'");
  }
  if (local.find('#') != local.npos) {
    return refuse(Errc::invalid_request, "the address in the request line must not hold '#'");
  }
  Result<std::vector<std::string>> segments = parse_path(path);
  if (!segments) return tl::unexpected{segments.error()};
  Result<Pairs> query = parse_query(local.substr(std::min(question + 1, local.size())));
  if (!query) return tl::unexpected{query.error()};
  return Target{*std::move(segments), *std::move(query)};
}

}  // namespace valle::service::http
