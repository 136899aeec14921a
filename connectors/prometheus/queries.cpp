// SPDX-License-Identifier: Apache-2.0
#include "connectors/prometheus/queries.hpp"

namespace valle::connectors::prometheus {
namespace {

/// RE2 reads the value as it stands.
std::string regex_of(std::string_view value) {
  std::string escaped;
  for (const char c : value) {
    if (std::string_view{R"(\.+*?()|[]{}^$)"}.find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

}  // namespace

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '\n') {
      result += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

std::string is_one_of(std::string_view label, std::span<const std::string> values) {
  if (values.size() == 1) return std::string{label} + "=" + quoted(values.front());
  std::string alternatives;
  for (const std::string& value : values) {
    if (!alternatives.empty()) alternatives += '|';
    alternatives += regex_of(value);
  }
  return std::string{label} + "=~" + quoted(alternatives);
}

std::string range_text(std::chrono::milliseconds range) {
  const auto count = range.count();
  return count % 1000 == 0 ? std::to_string(count / 1000) + "s" : std::to_string(count) + "ms";
}

std::string range_selector(std::string_view metric, const std::vector<std::string>& matchers,
                           std::chrono::milliseconds range) {
  std::string text{metric};
  text += '{';
  for (std::size_t i = 0; i < matchers.size(); ++i) text += (i == 0 ? "" : ",") + matchers[i];
  return text + "}[" + range_text(range) + "]";
}

}  // namespace valle::connectors::prometheus
