// SPDX-License-Identifier: Apache-2.0
#include "connectors/json/json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace valle::connectors::json {
namespace {

std::string place_of(std::string_view bytes, std::size_t position) {
  const auto before = bytes.substr(0, std::min(position, bytes.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const auto last_break = before.rfind('\n');
  const auto column = before.size() - (last_break == std::string_view::npos ? 0 : last_break + 1);
  return "line " + std::to_string(line) + ", column " + std::to_string(std::max<std::size_t>(column, 1));
}

/// Where nesting first exceeds the limit. Looked for before parsing, so that a hostile document costs nothing.
std::optional<std::size_t> too_deep_at(std::string_view bytes) {
  std::size_t depth = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char c = bytes[i];
    if (in_text) {
      if (c == '\\') ++i;
      if (c == '"') in_text = false;
    } else if (c == '"') {
      in_text = true;
    } else if (c == '[' || c == '{') {
      if (++depth > k_deepest_nesting) return i + 1;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return std::nullopt;
}

bool same_in_any_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

scheduler::Result<Value> parse(std::string_view bytes) {
  using scheduler::Errc;
  if (const auto deep = too_deep_at(bytes)) {
    return scheduler::refuse(Errc::invalid_request, "JSON nested too deeply", place_of(bytes, *deep));
  }
  try {
    return Value::parse(bytes);
  } catch (const Value::parse_error& error) {
    return scheduler::refuse(Errc::invalid_request, "broken JSON", place_of(bytes, error.byte));
  } catch (const Value::exception&) {
    return scheduler::refuse(Errc::invalid_request, "JSON with a number that is too large");
  }
}

const Value* member(const Value& object, std::string_view name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

const Value* member_in_any_case(const Value& object, std::string_view name) {
  if (!object.is_object()) return nullptr;
  for (const auto& [key, value] : object.items()) {
    if (same_in_any_case(key, name)) return &value;
  }
  return nullptr;
}

RawNumber number(const Value* value) {
  if (value == nullptr) return {RawNumber::State::absent, 0};
  if (value->is_null()) return {RawNumber::State::null, 0};
  if (!value->is_number()) return {RawNumber::State::wrong_type, 0};
  return RawNumber::of(value->get<double>());
}

RawNumber number(const Value& object, std::string_view name) { return number(member(object, name)); }

std::optional<std::string_view> text(const Value* value) {
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return std::string_view{value->get_ref<const std::string&>()};
}

std::optional<std::string_view> text(const Value& object, std::string_view name) { return text(member(object, name)); }

bool is_true(const Value& object, std::string_view name) {
  const Value* found = member(object, name);
  return found != nullptr && found->is_boolean() && found->get<bool>();
}

const std::vector<Value>* list(const Value* value) {
  if (value == nullptr || !value->is_array()) return nullptr;
  return &value->get_ref<const Value::array_t&>();
}

const std::vector<Value>* list(const Value& object, std::string_view name) { return list(member(object, name)); }

std::string_view kind_of(const Value& value) {
  switch (value.type()) {
    case Value::value_t::null: return "null";
    case Value::value_t::object: return "an object";
    case Value::value_t::array: return "a list";
    case Value::value_t::string: return "a text";
    case Value::value_t::boolean: return "true or false";
    default: return "a number";
  }
}

}  // namespace valle::connectors::json
