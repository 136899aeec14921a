// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "scheduler/model/problem.hpp"
#include "scheduler/units/time.hpp"
#include "scheduler/units/units.hpp"
#include "service/app/percent.hpp"

namespace valle::service::api {

using app::Percent;
using app::percent_of;

/// Appends JSON to a text, member by member, in the order written. Numbers of our units are written from their integers
/// with the contract's decimals (grams and intensity 3, kWh 6, percent 4), whatever the locale. Values nest by begin
/// and end calls; commas are placed here. No check that calls pair up beyond what tests see.
class JsonWriter {
 public:
  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name);

  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view{text}); }
  JsonWriter& value(const std::string& text) { return value(std::string_view{text}); }
  JsonWriter& value(bool flag) { return raw(flag ? "true" : "false"); }
  JsonWriter& value(std::int64_t number);
  JsonWriter& value(scheduler::Instant instant);
  JsonWriter& value(scheduler::Duration duration) { return value(scheduler::format_duration(duration)); }
  JsonWriter& value(scheduler::CarbonIntensity intensity) { return fixed(intensity.base(), 3); }
  JsonWriter& value(scheduler::Emissions emissions) { return fixed(emissions.base(), 3); }
  JsonWriter& value(scheduler::Energy energy) { return fixed(energy.base(), 6); }
  JsonWriter& value(scheduler::Money money) { return fixed(money.base(), 6); }
  JsonWriter& value(scheduler::EnergyPrice price) { return fixed(price.base(), 6); }
  JsonWriter& value(scheduler::Power power) { return fixed(power.base(), 3); }
  JsonWriter& value(scheduler::Amount amount) { return fixed(amount.base(), 3); }
  JsonWriter& value(scheduler::Ratio ratio) { return fixed(ratio.base(), 6); }
  JsonWriter& value(Percent percent) { return fixed(percent.base(), 4); }
  JsonWriter& null() { return raw("null"); }
  /// `json` as it stands: a value that is JSON already.
  JsonWriter& raw(std::string_view json);

  template <class T>
  JsonWriter& member(std::string_view name, const T& what) {
    return key(name).value(what);
  }
  /// Null where there is nothing.
  template <class T>
  JsonWriter& optional_member(std::string_view name, const std::optional<T>& what) {
    return what ? key(name).value(*what) : null_member(name);
  }
  JsonWriter& null_member(std::string_view name) { return key(name).null(); }

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] std::string take() { return std::move(text_); }
  /// Forgets what was written, keeping memory and place: for texts that are carried off piece by piece.
  void clear() { text_.clear(); }
  void reserve(std::size_t bytes) { text_.reserve(bytes); }

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  JsonWriter& fixed(std::int64_t count, int decimals);
  void separate();

  std::string text_;
  bool first_ = true;  // no comma is due: at the start, after an opening bracket, after a key
};

}  // namespace valle::service::api
