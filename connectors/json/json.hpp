// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "connectors/door/door.hpp"
#include "scheduler/model/error.hpp"

/// Tolerant reading of providers' JSON: unknown members are ignored, and absent, null and of the wrong type stay three
/// different things. Nothing here throws, and nothing changes the document.
namespace valle::connectors::json {

using Value = nlohmann::json;

inline constexpr std::size_t k_deepest_nesting = 32;

/// The document, or `Errc::invalid_request` with line and column of the fault ("line 3, column 14"). Deeper nesting
/// than `k_deepest_nesting` and numbers beyond a double are faults too.
[[nodiscard]] scheduler::Result<Value> parse(std::string_view bytes);

/// The member, null included; nothing if it is absent or `object` is no object.
[[nodiscard]] const Value* member(const Value& object, std::string_view name);
/// As `member`, but upper and lower case are the same.
[[nodiscard]] const Value* member_in_any_case(const Value& object, std::string_view name);

[[nodiscard]] RawNumber number(const Value* value);
[[nodiscard]] RawNumber number(const Value& object, std::string_view name);
/// The text; nothing if absent, null or no text. The view lives as long as the document.
[[nodiscard]] std::optional<std::string_view> text(const Value* value);
[[nodiscard]] std::optional<std::string_view> text(const Value& object, std::string_view name);
/// True only for a JSON true.
[[nodiscard]] bool is_true(const Value& object, std::string_view name);
/// The elements; nothing if absent or no list.
[[nodiscard]] const std::vector<Value>* list(const Value* value);
[[nodiscard]] const std::vector<Value>* list(const Value& object, std::string_view name);

/// "an object", "a text", "null" …, for error texts.
[[nodiscard]] std::string_view kind_of(const Value& value);

}  // namespace valle::connectors::json
