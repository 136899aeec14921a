// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "scheduler/units/quantity.hpp"
#include "scheduler/units/time.hpp"
#include "service/report/page/words.hpp"

namespace valle::service::report {

/// Numbers and dates as people of one language write them. Takes nothing from the process's locale.
class LocalText final {
 public:
  explicit LocalText(const Words& words) : words_{words} {}

  /// `value` ÷ 10^`held`, rounded to `shown` decimals, digits in groups: 1234567, 3, 1 → `1,234.6`.
  [[nodiscard]] std::string number(scheduler::Wide value, int held, int shown) const;
  [[nodiscard]] std::string count(std::int64_t value) const { return number(value, 0, 0); }
  /// From milligrams, in g, kg or t, whichever reads best.
  [[nodiscard]] std::string mass(scheduler::Wide milligrams) const;
  /// From milliwatt-hours, in Wh, kWh or MWh.
  [[nodiscard]] std::string energy(scheduler::Wide milliwatt_hours) const;
  /// From micro-euro: `1,234.57 €`.
  [[nodiscard]] std::string money(scheduler::Wide micro_euro) const { return number(micro_euro, 6, 2) + "\u00a0€"; }
  /// `part` ÷ `whole` in percent with one decimal; a dash where `whole` ≤ 0.
  [[nodiscard]] std::string percent(scheduler::Wide part, scheduler::Wide whole) const;
  /// In its two largest units: `2 d 3 h`, `17 h 26 min`, `0 min`.
  [[nodiscard]] std::string duration(scheduler::Duration duration) const;
  /// `2026-11-30 22:15` or `2026-11-30`, as the calendar writes it, in the words of the language; the time is kept.
  [[nodiscard]] std::string date(std::string_view local) const;
  [[nodiscard]] const Words& words() const { return words_; }

 private:
  const Words& words_;
};

/// Text inside HTML elements and attributes.
[[nodiscard]] std::string escaped(std::string_view text);

}  // namespace valle::service::report
