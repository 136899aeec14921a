// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "service/runtime/config.hpp"

namespace valle::service::runtime {

// How single settings are read. Errors say in `detail` what would be right; the reader adds key and place.

/// `true` or `false`; the other words of YAML's past are refused.
[[nodiscard]] scheduler::Result<bool> parse_switch(std::string_view text);

struct DurationRange {
  scheduler::Duration least;
  scheduler::Duration most;
};
/// The contract's durations, within a range.
[[nodiscard]] scheduler::Result<scheduler::Duration> parse_duration_within(std::string_view text, DurationRange range);
/// Also `5y`: a year counts 365 days. At least a day.
[[nodiscard]] scheduler::Result<scheduler::Duration> parse_retention(std::string_view text);

struct NumberRange {
  double least;
  double most;
};
/// A decimal number with a dot, whatever the locale.
[[nodiscard]] scheduler::Result<double> parse_number_within(std::string_view text, NumberRange range);
[[nodiscard]] scheduler::Result<int> parse_whole_within(std::string_view text, int least, int most);
/// In percent, kept in ppm.
[[nodiscard]] scheduler::Result<scheduler::Ratio> parse_percent(std::string_view text);
/// Not empty, at most 253 printable characters without blanks at the ends.
[[nodiscard]] scheduler::Result<std::string> parse_text(std::string_view text);
/// Letters, digits, `.`, `_` and `-`, at most 63.
[[nodiscard]] scheduler::Result<std::string> parse_name(std::string_view text);
/// A DNS name or an IP address: letters, digits, `.`, `-` and `:`, at most 253.
[[nodiscard]] scheduler::Result<std::string> parse_host(std::string_view text);
/// `http://…` or `https://…`, without user and password.
[[nodiscard]] scheduler::Result<std::string> parse_url(std::string_view text);
[[nodiscard]] scheduler::Result<scheduler::Zone> parse_zone(std::string_view text);

}  // namespace valle::service::runtime
