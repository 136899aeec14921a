// SPDX-License-Identifier: Apache-2.0
#include "service/report/texts.hpp"

#include <utility>

namespace valle::service::report {

using scheduler::decimal_text;
using scheduler::Wide;

std::string number_text(const Texts& texts, Wide count, int decimals, int shown) {
  Wide divisor = 1;
  for (int i = shown; i < decimals; ++i) divisor *= 10;
  const std::string plain = decimal_text(scheduler::divide_rounded(count, divisor), shown);
  const std::size_t sign = plain.front() == '-' ? 1 : 0;
  const std::size_t point = std::min(plain.find('.'), plain.size());
  std::string text = sign == 1 ? "\u2212" : "";
  for (std::size_t i = sign; i < point; ++i) {
    if (i > sign && (point - i) % 3 == 0) text += texts.thousands_mark;
    text += plain[i];
  }
  if (point < plain.size()) {
    text += texts.decimal_mark;
    text += plain.substr(point + 1);
  }
  return text;
}

namespace {

struct Unit {
  int decimals;  ///< base units in one are 10^decimals
  std::string_view name;
};

/// In the largest unit that leaves at least two digits before the point, else in the smallest.
std::string with_unit(const Texts& texts, Wide base, std::initializer_list<Unit> units) {
  const Wide size = base < 0 ? -base : base;
  Unit chosen = *units.begin();
  for (const Unit& unit : units) {
    Wide least = 10;
    for (int i = 0; i < unit.decimals; ++i) least *= 10;
    if (size >= least) chosen = unit;
  }
  Wide one = 1;
  for (int i = 0; i < chosen.decimals; ++i) one *= 10;
  const int shown = size >= 1000 * one ? 0 : size >= 100 * one ? 1 : 2;
  return number_text(texts, base, chosen.decimals, shown) + "\u00a0" + std::string{chosen.name};
}

}  // namespace

std::string emissions_text(const Texts& texts, Wide milligrams) {
  return with_unit(texts, milligrams, {{3, "g"}, {6, "kg"}, {9, "t"}});
}

std::string energy_text(const Texts& texts, Wide milliwatt_hours) {
  return with_unit(texts, milliwatt_hours, {{3, "Wh"}, {6, "kWh"}, {9, "MWh"}});
}

std::string percent_text(const Texts& texts, Wide part, Wide whole) {
  const auto percent = scheduler::ten_thousandths_of_percent(part, whole);
  return percent ? number_text(texts, *percent, 4, 1) + "\u00a0%" : "\u2013";
}

std::string wait_text(scheduler::Duration duration) {
  const auto minutes = (duration.count() + 30) / 60;
  const auto hours = minutes / 60;
  if (hours >= 48) return std::to_string(hours / 24) + "\u00a0d " + std::to_string(hours % 24) + "\u00a0h";
  if (hours > 0) return std::to_string(hours) + "\u00a0h " + std::to_string(minutes % 60) + "\u00a0min";
  return std::to_string(minutes) + "\u00a0min";
}

std::string filled(std::string_view pattern, std::initializer_list<std::pair<std::string_view, std::string>> values) {
  std::string text{pattern};
  for (const auto& [name, value] : values) {
    const std::string place = "{" + std::string{name} + "}";
    for (auto at = text.find(place); at != std::string::npos; at = text.find(place, at + value.size())) {
      text.replace(at, place.size(), value);
    }
  }
  return text;
}

std::string summary(const Texts& texts, const scheduler::Totals& totals) {
  if (totals.jobs == 0) return std::string{texts.nothing};
  const Wide saved = totals.saved().base();
  const Wide size = saved < 0 ? -saved : saved;
  std::string text = filled(saved < 0 ? texts.sentence_loss : texts.sentence,
                            {{"saved", emissions_text(texts, size)},
                             {"percent", percent_text(texts, size, totals.baseline.base())},
                             {"uncertainty", emissions_text(texts, totals.uncertainty.base())},
                             {"time", emissions_text(texts, totals.by_time.base())},
                             {"place", emissions_text(texts, totals.by_place.base())},
                             {"efficiency", emissions_text(texts, totals.by_efficiency.base())}});
  if (size < totals.uncertainty.base()) text += " " + std::string{texts.within_error};
  return text;
}

}  // namespace valle::service::report
