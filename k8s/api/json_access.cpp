// SPDX-License-Identifier: Apache-2.0
#include "k8s/api/json_access.hpp"

namespace valle::k8s {
namespace {

const Json* member(const Json& object, std::string_view name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

}  // namespace

const Json& inner(const Json& object, std::string_view name) {
  static const Json nothing = Json::object();
  const Json* found = member(object, name);
  return found != nullptr && found->is_structured() ? *found : nothing;
}

std::string text_member(const Json& object, std::string_view name) {
  const Json* found = member(object, name);
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string{};
}

std::optional<std::int64_t> number_member(const Json& object, std::string_view name) {
  const Json* found = member(object, name);
  if (found == nullptr || !found->is_number_integer()) return {};
  return found->get<std::int64_t>();
}

bool flag_member(const Json& object, std::string_view name, bool otherwise) {
  const Json* found = member(object, name);
  return found != nullptr && found->is_boolean() ? found->get<bool>() : otherwise;
}

std::optional<scheduler::Instant> instant_member(const Json& object, std::string_view name) {
  const auto instant = scheduler::parse_instant(text_member(object, name));
  if (!instant) return {};
  return *instant;
}

std::map<std::string, std::string> texts_member(const Json& object, std::string_view name) {
  std::map<std::string, std::string> texts;
  const Json& found = inner(object, name);
  if (!found.is_object()) return texts;
  for (const auto& [key, value] : found.items()) {
    if (value.is_string()) texts[key] = value.get<std::string>();
  }
  return texts;
}

std::string cut_text(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  // Bytes 10xxxxxx go on with a character that began earlier.
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) --most;
  text.resize(most);
  return text;
}

std::optional<Condition> condition_of(const Json& object, std::string_view type) {
  const Json& conditions = inner(inner(object, "status"), "conditions");
  if (!conditions.is_array()) return {};
  for (const auto& each : conditions) {
    if (text_member(each, "type") != type) continue;
    return Condition{.is_true = text_member(each, "status") == "True",
                     .reason = text_member(each, "reason"),
                     .message = text_member(each, "message"),
                     .since = instant_member(each, "lastTransitionTime")};
  }
  return {};
}

}  // namespace valle::k8s
