// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "scheduler/units/time.hpp"

namespace valle::k8s {

using Json = nlohmann::json;

// Reading objects of the API server, which has checked them: what is absent or of another type is as good as not given.

/// The member if it is an object or an array; else an empty object.
[[nodiscard]] const Json& inner(const Json& object, std::string_view name);
[[nodiscard]] std::string text_member(const Json& object, std::string_view name);
[[nodiscard]] std::optional<std::int64_t> number_member(const Json& object, std::string_view name);
[[nodiscard]] bool flag_member(const Json& object, std::string_view name, bool otherwise = false);
[[nodiscard]] std::optional<scheduler::Instant> instant_member(const Json& object, std::string_view name);
[[nodiscard]] std::map<std::string, std::string> texts_member(const Json& object, std::string_view name);

/// The text, cut to so many bytes at most without parting a character of UTF-8.
[[nodiscard]] std::string cut_text(std::string text, std::size_t most);

/// One entry of `status.conditions`.
struct Condition {
  bool is_true = false;
  std::string reason = {};
  std::string message = {};
  std::optional<scheduler::Instant> since = {};
  friend bool operator==(const Condition&, const Condition&) = default;
};
/// Of an object with `status.conditions`; nothing if there is no such type.
[[nodiscard]] std::optional<Condition> condition_of(const Json& object, std::string_view type);

}  // namespace valle::k8s
