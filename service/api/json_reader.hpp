// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "scheduler/model/error.hpp"

namespace valle::service::api {

using Json = nlohmann::json;

/// What a document may cost at most. Past `largest_bytes`: `too-large`; past the others: `invalid-request`.
struct JsonLimits {
  std::size_t largest_bytes = 64 * 1024;
  std::size_t deepest = 32;             ///< nested arrays and objects
  std::size_t most_values = 5'000'000;  ///< bounds the memory of a document made of brackets
};

/// The limits of the contract's bodies.
inline constexpr JsonLimits k_request_limits{.largest_bytes = 64 * 1024};
inline constexpr JsonLimits k_array_limits{.largest_bytes = 10u << 20};
inline constexpr JsonLimits k_plan_limits{.largest_bytes = 64u << 20};

/// Reads one JSON document strictly: a repeated member is refused with its pointer; broken text, NaN, Infinity,
/// invalid UTF-8 and numbers past a double's range are refused with line and column. Nothing is thrown.
[[nodiscard]] scheduler::Result<Json> parse_json(std::string_view text, const JsonLimits& limits);

/// `parent` extended by one member name, escaped as RFC 6901 asks.
[[nodiscard]] std::string pointer_to(std::string_view parent, std::string_view member);
/// `parent` extended by one array index.
[[nodiscard]] std::string pointer_to(std::string_view parent, std::size_t index);

}  // namespace valle::service::api
