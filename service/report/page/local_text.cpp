// SPDX-License-Identifier: Apache-2.0
#include "service/report/page/local_text.hpp"

#include <array>
#include <charconv>

#include "scheduler/account/sums.hpp"
#include "scheduler/units/decimal_text.hpp"

namespace valle::service::report {
namespace {

using scheduler::Wide;

Wide power_of_ten(int exponent) {
  Wide power = 1;
  while (exponent-- > 0) power *= 10;
  return power;
}

/// A unit for values from `from` base units on; `held` decimals make one of it.
struct Scale {
  Wide from;
  int held;
  std::string_view unit;
};

/// With three digits or more, and no more decimals than help.
std::string scaled(const LocalText& local, Wide value, const std::array<Scale, 3>& scales) {
  const Wide size = value < 0 ? -value : value;
  const Scale* scale = &scales[0];
  for (const Scale& larger : scales) {
    if (size >= larger.from) scale = &larger;
  }
  const Wide whole = size / power_of_ten(scale->held);
  const int shown = whole >= 1000 ? 0 : whole >= 100 ? 1 : 2;
  return local.number(value, scale->held, shown) + "\u00a0" + std::string{scale->unit};
}

int integer(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

std::string LocalText::number(Wide value, int held, int shown) const {
  if (shown < held) {
    value = scheduler::divide_rounded(value, power_of_ten(held - shown));
  } else {
    value *= power_of_ten(shown - held);
  }
  const std::string plain = scheduler::decimal_text(value < 0 ? -value : value, shown);
  const std::size_t point = std::min(plain.find('.'), plain.size());
  std::string result = value < 0 ? "−" : "";
  for (std::size_t i = 0; i < point; ++i) {
    if (i > 0 && (point - i) % 3 == 0) result += words_.thousands;
    result += plain[i];
  }
  if (point < plain.size()) result += std::string{words_.decimal} + plain.substr(point + 1);
  return result;
}

std::string LocalText::mass(Wide milligrams) const {
  static constexpr std::array<Scale, 3> scales{{{0, 3, "g"}, {1'000'000, 6, "kg"}, {1'000'000'000, 9, "t"}}};
  return scaled(*this, milligrams, scales);
}

std::string LocalText::energy(Wide milliwatt_hours) const {
  static constexpr std::array<Scale, 3> scales{{{0, 3, "Wh"}, {1'000'000, 6, "kWh"}, {10'000'000'000, 9, "MWh"}}};
  return scaled(*this, milliwatt_hours, scales);
}

std::string LocalText::percent(Wide part, Wide whole) const {
  const auto share = scheduler::ten_thousandths_of_percent(part, whole);
  return share ? number(*share, 4, 1) + std::string{words_.percent} : "–";
}

std::string LocalText::duration(scheduler::Duration duration) const {
  const auto minutes = (duration.count() + 30) / 60;
  const auto unit = [](auto count, std::string_view name) {
    return std::to_string(count) + "\u00a0" + std::string{name};
  };
  if (minutes < 60) return unit(minutes, words_.minutes);
  if (minutes < 24 * 60) return unit(minutes / 60, words_.hours) + " " + unit(minutes % 60, words_.minutes);
  return unit(minutes / (24 * 60), words_.days) + " " + unit(minutes / 60 % 24, words_.hours);
}

std::string LocalText::date(std::string_view local) const {
  if (local.size() < 10) return std::string{local};
  const int month = integer(local.substr(5, 2));
  if (month < 1 || month > 12) return std::string{local};
  const std::string day = filled(
      words_.date, {std::to_string(integer(local.substr(8, 2))),
                    std::string{words_.months[static_cast<std::size_t>(month - 1)]}, std::string{local.substr(0, 4)}});
  return day + std::string{local.substr(10)};
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      case '\'': result += "&#39;"; break;
      default: result += c;
    }
  }
  return result;
}

}  // namespace valle::service::report
