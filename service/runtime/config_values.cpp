// SPDX-License-Identifier: Apache-2.0
#include "service/runtime/config_values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace valle::service::runtime {
namespace {

using scheduler::Duration;
using scheduler::Errc;
using scheduler::Result;

tl::unexpected<scheduler::Error> wrong(std::string what) {
  return scheduler::refuse(Errc::invalid_request, std::move(what));
}

std::string quoted(std::string_view text) {
  constexpr std::size_t most = 60;
  return "\"" + std::string{text.substr(0, most)} + (text.size() > most ? "…" : "") + "\"";
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_host_character(char c) { return is_letter(c) || is_digit(c) || c == '.' || c == '-'; }

std::string plain(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", number);
  return text;
}

Result<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) {
    return wrong("the port must be a number from 0 to 65535");
  }
  return port;
}

}  // namespace

bool Endpoint::loopback() const {
  return host == "localhost" || host == "::1" ||
         (host.starts_with("127.") &&
          std::all_of(host.begin(), host.end(), [](char c) { return is_digit(c) || c == '.'; }));
}

std::string Endpoint::text() const {
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<Endpoint> parse_endpoint(std::string_view text) {
  const std::string what = quoted(text) + " is no address: write it like 127.0.0.1:8080 or [::1]:8080";
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return wrong(what);
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
    const auto hex = [](char c) {
      return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == ':' || c == '.';
    };
    if (host.find(':') == std::string_view::npos || !std::all_of(host.begin(), host.end(), hex)) return wrong(what);
  } else if (host.empty() || host.size() > 253 || !std::all_of(host.begin(), host.end(), is_host_character)) {
    return wrong(what);
  }
  const auto port = parse_port(text.substr(colon + 1));
  if (!port) return wrong(quoted(text) + ": " + port.error().detail);
  return Endpoint{std::string{host}, *port};
}

Result<bool> parse_switch(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return wrong(quoted(text) + " must be true or false");
}

Result<Duration> parse_duration_within(std::string_view text, DurationRange range) {
  const auto duration = scheduler::parse_duration(text);
  if (!duration) return wrong(quoted(text) + " is no duration: write it like 1h, 90m, 7d or PT1H");
  if (*duration < range.least || *duration > range.most) {
    return wrong(quoted(text) + " must lie between " + scheduler::format_duration(range.least) + " and " +
                 scheduler::format_duration(range.most));
  }
  return *duration;
}

Result<Duration> parse_retention(std::string_view text) {
  constexpr DurationRange range{std::chrono::days{1}, std::chrono::days{100 * 365}};
  if (!text.ends_with('y')) return parse_duration_within(text, range);
  const auto years = parse_whole_within(text.substr(0, text.size() - 1), 1, 100);
  if (!years) return wrong(quoted(text) + " is no duration: write it like 400d or 5y, at most 100y");
  return Duration{std::chrono::days{365}} * *years;
}

Result<double> parse_number_within(std::string_view text, NumberRange range) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size() || !std::isfinite(number)) {
    return wrong(quoted(text) + " is no number: write it like 1.2, with a dot");
  }
  if (number < range.least || number > range.most) {
    return wrong(quoted(text) + " must lie between " + plain(range.least) + " and " + plain(range.most));
  }
  return number;
}

Result<int> parse_whole_within(std::string_view text, int least, int most) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size() || number < least || number > most) {
    return wrong(quoted(text) + " must be a whole number from " + std::to_string(least) + " to " +
                 std::to_string(most));
  }
  return number;
}

Result<scheduler::Ratio> parse_percent(std::string_view text) {
  const auto number = parse_number_within(text, {0, 100});
  if (!number) return tl::unexpected{number.error()};
  return scheduler::ratio_from_number(*number / 100);
}

Result<std::string> parse_text(std::string_view text) {
  const auto printable = [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7F; };
  if (text.empty() || text.size() > 253 || text.front() == ' ' || text.back() == ' ' ||
      !std::all_of(text.begin(), text.end(), printable)) {
    return wrong(quoted(text) + " must be a text of 1 to 253 characters");
  }
  return std::string{text};
}

Result<std::string> parse_name(std::string_view text) {
  const auto allowed = [](char c) { return is_host_character(c) || c == '_'; };
  if (text.empty() || text.size() > 63 || !std::all_of(text.begin(), text.end(), allowed)) {
    return wrong(quoted(text) + " must be 1 to 63 letters, digits, '.', '_' or '-'");
  }
  return std::string{text};
}

Result<std::string> parse_host(std::string_view text) {
  const auto allowed = [](char c) { return is_host_character(c) || c == ':'; };
  if (text.empty() || text.size() > 253 || !std::all_of(text.begin(), text.end(), allowed)) {
    return wrong(quoted(text) + " must be a DNS name or an IP address");
  }
  return std::string{text};
}

Result<std::string> parse_url(std::string_view text) {
  const std::string what = quoted(text) + " is no address: write it like https://host or http://host:9090/prefix";
  std::string_view rest = text;
  for (const std::string_view scheme : {"https://", "http://"}) {
    if (text.starts_with(scheme)) rest = text.substr(scheme.size());
  }
  const std::string_view host = rest.substr(0, rest.find('/'));
  if (rest.size() == text.size() || host.empty() || text.size() > 2000) return wrong(what);
  if (host.find('@') != std::string_view::npos) return wrong("must not hold a user or password: use tokenFile");
  const auto fine = [](char c) {
    return static_cast<unsigned char>(c) > 0x20 && c != 0x7F && c != '"' && c != '?' && c != '#';
  };
  if (!std::all_of(text.begin(), text.end(), fine)) return wrong(what);
  return std::string{text};
}

Result<scheduler::Zone> parse_zone(std::string_view text) {
  auto zone = scheduler::Zone::make(text);
  if (!zone) return wrong(quoted(text) + " is no zone: write it like FR, ES or US-CAL-CISO");
  return zone;
}

}  // namespace valle::service::runtime
