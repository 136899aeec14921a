// SPDX-License-Identifier: Apache-2.0
#include "service/api/member_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "scheduler/units/require.hpp"
#include "service/api/nearest_name.hpp"

namespace valle::service::api {
namespace {

using scheduler::Duration;
using scheduler::Errc;
using scheduler::Error;
using scheduler::Instant;
using scheduler::Result;
using scheduler::Zone;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// A number in JSON's own grammar, so that a query takes neither "nan", "0x1p3" nor "+1".
std::optional<double> number_from_text(std::string_view text) {
  const auto unsigned_part = text.substr(text.starts_with('-') ? 1 : 0);
  if (unsigned_part.empty() || !is_digit(unsigned_part.front())) return {};
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

std::string plain(double number) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, number).ptr;
  return {buffer, end};
}

std::string words_of(const NumberRange& range) {
  const std::string low = plain(range.low) + (range.low_is == NumberRange::Low::included ? " ≤ " : " < ");
  return "a number with " + low + "x" +
         (range.high < std::numeric_limits<double>::max() ? " ≤ " + plain(range.high) : "");
}

std::string lower(std::string_view text) {
  std::string result{text};
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

bool has_control_character(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

}  // namespace

MemberReader MemberReader::of_object(const Json& value, std::string pointer, std::span<const std::string_view> known,
                                     FirstError& first) {
  MemberReader reader{std::move(pointer), known, first};
  if (!value.is_object()) {
    first.record(
        {Errc::invalid_request, "an object is needed here, not " + std::string{value.type_name()}, reader.pointer_});
    return reader;
  }
  for (const auto& [name, member] : value.items()) reader.add(name, &member);
  return reader;
}

MemberReader MemberReader::of_query(std::span<const Parameter> parameters, std::span<const std::string_view> known,
                                    FirstError& first) {
  MemberReader reader{"", known, first};
  for (const auto& [name, value] : parameters) {
    if (reader.has(name)) {
      first.record({Errc::invalid_request, "the parameter " + name + " is given twice", pointer_to("", name)});
    } else {
      reader.add(name, std::string_view{value});
    }
  }
  return reader;
}

void MemberReader::add(std::string_view name, Value value) {
  if (std::find(known_.begin(), known_.end(), name) == known_.end()) {
    refuse_unknown(name);
  } else {
    members_.push_back({name, value});
  }
}

void MemberReader::refuse_unknown(std::string_view name) {
  const auto nearest = nearest_name(name, known_);
  first_->record({Errc::unknown_field,
                  "\"" + std::string{name.substr(0, 64)} + "\" is not known here" +
                      (nearest ? "; did you mean \"" + std::string{*nearest} + "\"?" : ""),
                  pointer(name.substr(0, 64))});
}

const MemberReader::Value* MemberReader::find(std::string_view name) const {
  scheduler::require(std::find(known_.begin(), known_.end(), name) != known_.end(), "a member is read but not known");
  for (const auto& member : members_) {
    if (member.name == name) return &member.value;
  }
  return nullptr;
}

bool MemberReader::has(std::string_view name) const {
  return std::any_of(members_.begin(), members_.end(), [name](const Member& m) { return m.name == name; });
}

void MemberReader::need(std::string_view name, std::string_view what) {
  if (!has(name)) refuse(name, std::string{name} + " is required: " + std::string{what});
}

void MemberReader::refuse(std::string_view name, std::string detail, Errc code) {
  first_->record({code, std::move(detail), pointer(name)});
}

std::optional<std::string_view> MemberReader::any_text(std::string_view name, std::string_view what) {
  const Value* value = find(name);
  if (value == nullptr) return {};
  if (const auto* text = std::get_if<std::string_view>(value)) return *text;
  const Json& json = *std::get<const Json*>(*value);
  if (json.is_string()) return json.get_ref<const std::string&>();
  refuse(name, std::string{name} + " must be " + std::string{what} + ", not " + json.type_name());
  return {};
}

std::optional<double> MemberReader::any_number(std::string_view name, std::string_view what) {
  const Value* value = find(name);
  if (value == nullptr) return {};
  if (const auto* text = std::get_if<std::string_view>(value)) {
    const auto number = number_from_text(*text);
    if (!number) refuse(name, std::string{name} + " must be " + std::string{what});
    return number;
  }
  const Json& json = *std::get<const Json*>(*value);
  if (json.is_number()) return json.get<double>();
  refuse(name, std::string{name} + " must be " + std::string{what} + ", not " + json.type_name());
  return {};
}

std::optional<std::string> MemberReader::text(std::string_view name, std::size_t longest) {
  const auto text = any_text(name, "a text");
  if (!text) return {};
  if (text->empty() || text->size() > longest || has_control_character(*text)) {
    refuse(name, std::string{name} + " must be a text of 1 to " + std::to_string(longest) +
                     " bytes without control characters");
    return {};
  }
  return std::string{*text};
}

std::optional<std::size_t> MemberReader::word(std::string_view name, std::span<const std::string_view> words) {
  std::string choices;
  for (const auto word : words) choices += (choices.empty() ? "" : ", ") + std::string{word};
  const auto text = any_text(name, "one of " + choices);
  if (!text) return {};
  const auto found = std::find(words.begin(), words.end(), *text);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  refuse(name, std::string{name} + " must be one of " + choices);
  return {};
}

std::optional<double> MemberReader::number(std::string_view name, const NumberRange& range) {
  const auto number = any_number(name, "a number");
  if (!number) return {};
  const bool above = range.low_is == NumberRange::Low::included ? *number >= range.low : *number > range.low;
  if (above && *number <= range.high) return number;
  refuse(name, std::string{name} + " must be " + words_of(range));
  return {};
}

std::optional<std::int64_t> MemberReader::integer(std::string_view name, std::int64_t low, std::int64_t high) {
  const auto number = any_number(name, "a whole number");
  if (!number) return {};
  // Every whole number up to 2^53 is exact in a double; limits lie far below.
  if (*number >= static_cast<double>(low) && *number <= static_cast<double>(high) && std::trunc(*number) == *number) {
    return static_cast<std::int64_t>(*number);
  }
  refuse(name,
         std::string{name} + " must be a whole number from " + std::to_string(low) + " to " + std::to_string(high));
  return {};
}

std::optional<bool> MemberReader::boolean(std::string_view name) {
  const Value* value = find(name);
  if (value == nullptr) return {};
  if (const auto* text = std::get_if<std::string_view>(value)) {
    if (*text == "true" || *text == "false") return *text == "true";
  } else if (const Json& json = *std::get<const Json*>(*value); json.is_boolean()) {
    return json.get<bool>();
  }
  refuse(name, std::string{name} + " must be true or false");
  return {};
}

std::optional<Instant> MemberReader::instant(std::string_view name, scheduler::Fraction fraction) {
  const auto text = any_text(name, "a time such as 2026-11-30T22:00:00Z");
  if (!text) return {};
  const auto instant = scheduler::parse_instant(*text, fraction);
  if (instant) return *instant;
  refuse(name, std::string{name} + ": " + instant.error().detail);
  return {};
}

std::optional<Duration> MemberReader::duration(std::string_view name, Duration low, Duration high) {
  const Value* value = find(name);
  if (value == nullptr) return {};
  const Json* const* json = std::get_if<const Json*>(value);
  Result<Duration> duration = Duration{};
  if (json != nullptr && (*json)->is_number()) {
    const double seconds = (*json)->get<double>();
    if (seconds < 0 || seconds > 1e10 || std::trunc(seconds) != seconds) {
      refuse(name, std::string{name} + " must be a whole number of seconds, or a duration such as PT6H");
      return {};
    }
    duration = Duration{static_cast<std::int64_t>(seconds)};
  } else {
    const auto text = any_text(name, "a duration such as PT6H, 6h or 21600");
    if (!text) return {};
    duration = scheduler::parse_duration(*text);
  }
  if (!duration) {
    refuse(name, std::string{name} + ": " + duration.error().detail);
  } else if (*duration < low || *duration > high) {
    refuse(name, std::string{name} + " must be from " + scheduler::format_duration(low) + " to " +
                     scheduler::format_duration(high) + ", not " + scheduler::format_duration(*duration));
  } else {
    return *duration;
  }
  return {};
}

std::optional<Zone> MemberReader::zone(std::string_view name) {
  const auto text = any_text(name, "a zone such as FR");
  if (!text) return {};
  auto zone = Zone::make(*text);
  if (zone) return *std::move(zone);
  refuse(name, std::string{name} + ": " + zone.error().detail);
  return {};
}

std::optional<std::vector<MemberReader::Name>> MemberReader::any_list(std::string_view name) {
  const Value* value = find(name);
  if (value == nullptr) return {};
  std::vector<Name> list;
  if (const auto* text = std::get_if<std::string_view>(value)) {
    for (std::string_view rest = *text; !text->empty();) {
      const auto comma = rest.find(',');
      list.emplace_back(rest.substr(0, comma), pointer_to(pointer(name), list.size()));
      if (comma == std::string_view::npos || list.size() > k_most_names) break;
      rest = rest.substr(comma + 1);
    }
  } else {
    const Json& json = *std::get<const Json*>(*value);
    if (!json.is_array()) {
      refuse(name, std::string{name} + " must be an array of names, not " + json.type_name());
      return {};
    }
    for (const Json& element : json) {
      if (!element.is_string()) {
        first_->record({Errc::invalid_request, "a name is needed here, not " + std::string{element.type_name()},
                        pointer_to(pointer(name), list.size())});
        return {};
      }
      list.emplace_back(element.get_ref<const std::string&>(), pointer_to(pointer(name), list.size()));
      if (list.size() > k_most_names) break;
    }
  }
  if (list.empty() || list.size() > k_most_names) {
    refuse(name,
           std::string{name} + " must hold 1 to " + std::to_string(k_most_names) + " names; leave it out to mean all");
    return {};
  }
  return list;
}

std::optional<std::vector<std::string>> MemberReader::names(std::string_view name) {
  const auto list = any_list(name);
  if (!list) return {};
  std::vector<std::string> names;
  std::vector<std::string> folded;
  for (const auto& [text, place] : *list) {
    if (text.empty() || text.size() > 128 || has_control_character(text)) {
      first_->record({Errc::invalid_request, "a name has 1 to 128 bytes without control characters", place});
      return {};
    }
    if (std::find(folded.begin(), folded.end(), lower(text)) != folded.end()) {
      first_->record({Errc::invalid_request, "\"" + std::string{text} + "\" is named twice", place});
      return {};
    }
    folded.push_back(lower(text));
    names.emplace_back(text);
  }
  return names;
}

std::optional<std::vector<Zone>> MemberReader::zones(std::string_view name) {
  const auto list = any_list(name);
  if (!list) return {};
  std::vector<Zone> zones;
  for (const auto& [text, place] : *list) {
    auto zone = Zone::make(text);
    if (!zone) {
      first_->record({Errc::invalid_request, zone.error().detail, place});
      return {};
    }
    if (std::find(zones.begin(), zones.end(), *zone) != zones.end()) {
      first_->record({Errc::invalid_request, zone->name() + " is named twice", place});
      return {};
    }
    zones.push_back(*std::move(zone));
  }
  return zones;
}

const Json* MemberReader::structure(std::string_view name, Json::value_t type, std::string_view what) {
  const Value* value = find(name);
  if (value == nullptr) return nullptr;
  const Json* json = nullptr;
  if (const auto* text = std::get_if<std::string_view>(value)) {
    auto parsed = parse_json(*text, k_request_limits);
    if (!parsed) {
      refuse(name, std::string{name} + " must be " + std::string{what} + " as JSON: " + parsed.error().detail);
      return nullptr;
    }
    json = &parsed_.emplace_back(*std::move(parsed));
  } else {
    json = std::get<const Json*>(*value);
  }
  if (json->type() == type) return json;
  refuse(name, std::string{name} + " must be " + std::string{what} + ", not " + json->type_name());
  return nullptr;
}

const Json* MemberReader::object(std::string_view name) { return structure(name, Json::value_t::object, "an object"); }

const Json* MemberReader::array(std::string_view name, std::size_t most) {
  const Json* array = structure(name, Json::value_t::array, "an array");
  if (array == nullptr || array->size() <= most) return array;
  refuse(name, std::string{name} + " holds " + std::to_string(array->size()) + " elements; at most " +
                   std::to_string(most) + " are taken");
  return nullptr;
}

}  // namespace valle::service::api
