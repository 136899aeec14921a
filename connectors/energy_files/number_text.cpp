// SPDX-License-Identifier: Apache-2.0
#include "connectors/energy_files/number_text.hpp"

#include <charconv>
#include <cmath>
#include <string>

#include "connectors/csv/csv.hpp"

namespace valle::connectors::energy {
namespace {

std::optional<double> plain_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

/// "1,234" may be one and a bit, or more than a thousand.
bool may_part_thousands(std::string_view text, std::size_t comma) {
  const auto after = text.substr(comma + 1);
  const auto digits = std::min(after.find_first_not_of("0123456789"), after.size());
  const auto before = text.substr(0, comma);
  return digits == 3 && before != "0" && before != "-0" && before != "+0";
}

}  // namespace

std::optional<double> number_of(std::string_view text, DecimalComma comma) {
  text = csv::trimmed(text);
  const auto at = text.find(',');
  if (at == std::string_view::npos) return plain_number(text);
  if (text.find(',', at + 1) != std::string_view::npos || text.find('.') != std::string_view::npos) return {};
  if (comma == DecimalComma::never_meant && may_part_thousands(text, at)) return {};
  std::string with_point{text};
  with_point[at] = '.';
  return plain_number(with_point);
}

}  // namespace valle::connectors::energy
