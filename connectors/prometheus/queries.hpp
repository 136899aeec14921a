// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace valle::connectors::prometheus {

/// The text as a PromQL string, quotes included: `"a\"b"`.
[[nodiscard]] std::string quoted(std::string_view text);

/// A matcher that is true for exactly these values: `pod=~"a|b\\.c"`, one value `pod="a"`. Regex characters in values
/// match themselves. Alternatives of plain texts are looked up by Prometheus, not matched. `values` is not empty.
[[nodiscard]] std::string is_one_of(std::string_view label, std::span<const std::string> values);

/// `1860s`, or `1800500ms` where there are fractions: decimals are refused by Prometheus.
[[nodiscard]] std::string range_text(std::chrono::milliseconds range);

/// `name{matcher,matcher}[range]`
[[nodiscard]] std::string range_selector(std::string_view metric, const std::vector<std::string>& matchers,
                                         std::chrono::milliseconds range);

}  // namespace valle::connectors::prometheus
