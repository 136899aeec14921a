// SPDX-License-Identifier: Apache-2.0
#include "k8s/api/quantity.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace valle::k8s {
namespace {

using scheduler::Wide;

/// numerator / denominator of a unit, in thousandths.
struct Scale {
  std::string_view suffix;
  Wide numerator;
  Wide denominator;
};

constexpr Wide k_ki = 1024;
constexpr std::array k_scales{Scale{"", 1'000, 1},
                              Scale{"n", 1, 1'000'000},
                              Scale{"u", 1, 1'000},
                              Scale{"m", 1, 1},
                              Scale{"k", 1'000'000, 1},
                              Scale{"M", 1'000'000'000, 1},
                              Scale{"G", Wide{1'000'000'000} * 1'000, 1},
                              Scale{"T", Wide{1'000'000'000} * 1'000'000, 1},
                              Scale{"P", Wide{1'000'000'000} * 1'000'000'000, 1},
                              Scale{"Ki", 1'000 * k_ki, 1},
                              Scale{"Mi", 1'000 * k_ki* k_ki, 1},
                              Scale{"Gi", 1'000 * k_ki* k_ki* k_ki, 1},
                              Scale{"Ti", 1'000 * k_ki* k_ki* k_ki* k_ki, 1},
                              Scale{"Pi", 1'000 * k_ki* k_ki* k_ki* k_ki* k_ki, 1}};
constexpr int k_most_digits = 18;
/// Memory is counted in bytes: 10^15 of them.
constexpr Wide k_most = Wide{1'000'000'000'000'000} * 1'000;

struct Decimal {
  Wide digits = 0;
  int decimals = 0;
};

std::optional<Decimal> take_decimal(std::string_view& text) {
  Decimal decimal;
  int seen = 0;
  bool point = false;
  while (!text.empty()) {
    const char c = text.front();
    if (c == '.' && !point) {
      point = true;
    } else if (c >= '0' && c <= '9') {
      if (++seen > k_most_digits) return {};
      decimal.digits = decimal.digits * 10 + (c - '0');
      decimal.decimals += point ? 1 : 0;
    } else {
      break;
    }
    text.remove_prefix(1);
  }
  if (seen == 0) return {};
  return decimal;
}

std::optional<std::pair<Wide, Wide>> scale_of(std::string_view suffix) {
  for (const auto& scale : k_scales) {
    if (scale.suffix == suffix) return std::pair{scale.numerator, scale.denominator};
  }
  if (suffix.size() < 2 || (suffix.front() != 'e' && suffix.front() != 'E')) return {};
  int exponent = 0;
  suffix.remove_prefix(suffix[1] == '+' ? 2 : 1);
  const auto [end, failure] = std::from_chars(suffix.data(), suffix.data() + suffix.size(), exponent);
  if (failure != std::errc{} || end != suffix.data() + suffix.size() || exponent < -12 || exponent > 12) return {};
  std::pair<Wide, Wide> scale{1'000, 1};
  for (int i = 0; i < exponent; ++i) scale.first *= 10;
  for (int i = 0; i > exponent; --i) scale.second *= 10;
  return scale;
}

scheduler::Amount capped(Wide thousandths) {
  return scheduler::Amount::of_base(static_cast<std::int64_t>(std::min(thousandths, Wide{INT64_MAX})));
}

}  // namespace

std::optional<scheduler::Amount> parse_quantity(std::string_view text) {
  const auto decimal = take_decimal(text);
  const auto scale = decimal ? scale_of(text) : std::nullopt;
  if (!scale) return {};
  Wide denominator = scale->second;
  for (int i = 0; i < decimal->decimals; ++i) denominator *= 10;
  // 18 digits times the largest scale stay within 127 bits only for values that are refused anyway.
  if (decimal->digits > 0 && scale->first > (Wide{1} << 126) / decimal->digits) return {};
  const Wide thousandths = (decimal->digits * scale->first + denominator - 1) / denominator;
  if (thousandths > k_most) return {};
  return scheduler::Amount::of_base(static_cast<std::int64_t>(thousandths));
}

std::optional<scheduler::Amount> quantity_of(const Json& value) {
  if (value.is_string()) return parse_quantity(value.get_ref<const std::string&>());
  return value.is_number() ? parse_quantity(value.dump()) : std::nullopt;
}

scheduler::Amount added(scheduler::Amount a, scheduler::Amount b) { return capped(Wide{a.base()} + b.base()); }
scheduler::Amount multiplied(scheduler::Amount amount, std::int64_t times) {
  return capped(Wide{amount.base()} * times);
}

}  // namespace valle::k8s
