// SPDX-License-Identifier: Apache-2.0
#include "scheduler/model/zone.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "scheduler/units/require.hpp"

namespace valle::scheduler {
namespace {

constexpr std::size_t k_longest_zone = 32;

template <class Enum, std::size_t N>
using Words = std::array<std::pair<Enum, std::string_view>, N>;

constexpr Words<Scope, 2> k_scopes{{{Scope::lifecycle, "lifecycle"}, {Scope::direct, "direct"}}};
constexpr Words<Basis, 2> k_bases{{{Basis::average, "average"}, {Basis::marginal, "marginal"}}};
constexpr Words<Method, 3> k_methods{
    {{Method::consumption, "consumption"}, {Method::production, "production"}, {Method::combustion, "combustion"}}};

template <class Enum, std::size_t N>
std::string_view word_of(const Words<Enum, N>& words, Enum value) {
  const auto found = std::find_if(words.begin(), words.end(), [value](const auto& w) { return w.first == value; });
  require(found != words.end(), "enumerator without a word");
  return found->second;
}

template <class Enum, std::size_t N>
std::optional<Enum> value_of(const Words<Enum, N>& words, std::string_view text) {
  const auto found = std::find_if(words.begin(), words.end(), [text](const auto& w) { return w.second == text; });
  return found == words.end() ? std::nullopt : std::optional{found->first};
}

}  // namespace

Result<Zone> Zone::make(std::string_view name) {
  std::string upper;
  for (const char c : name) {
    const bool lower = c >= 'a' && c <= 'z';
    const bool allowed = lower || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    if (!allowed || upper.size() == k_longest_zone) {
      upper.clear();
      break;
    }
    upper.push_back(lower ? static_cast<char>(c - 'a' + 'A') : c);
  }
  if (upper.empty()) {
    return refuse(Errc::invalid_request, "a zone is 1 to 32 letters, digits, '-' or '_', such as FR or US-CAL-CISO");
  }
  return Zone{std::move(upper)};
}

Zone Zone::of(std::string_view name) {
  auto zone = make(name);
  require(zone.has_value(), "malformed zone name in the program");
  return *std::move(zone);
}

std::string_view to_text(Scope scope) { return word_of(k_scopes, scope); }
std::string_view to_text(Basis basis) { return word_of(k_bases, basis); }
std::string_view to_text(Method method) { return word_of(k_methods, method); }
std::optional<Scope> scope_from_text(std::string_view text) { return value_of(k_scopes, text); }
std::optional<Basis> basis_from_text(std::string_view text) { return value_of(k_bases, text); }
std::optional<Method> method_from_text(std::string_view text) { return value_of(k_methods, text); }

}  // namespace valle::scheduler
