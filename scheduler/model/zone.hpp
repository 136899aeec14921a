// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "scheduler/model/error.hpp"

namespace valle::scheduler {

/// A bidding or grid zone in Electricity Maps' keys (`FR`, `ES`, `DE`, `US-CAL-CISO`). Upper case, so that names match
/// without regard to case. 1…32 characters of A-Z, 0-9, `-`, `_`.
class Zone {
 public:
  [[nodiscard]] static Result<Zone> make(std::string_view name);
  /// For names known at compile time; a bad one stops the program.
  [[nodiscard]] static Zone of(std::string_view name);
  [[nodiscard]] const std::string& name() const { return name_; }
  friend auto operator<=>(const Zone&, const Zone&) = default;

 private:
  explicit Zone(std::string name) : name_{std::move(name)} {}
  std::string name_;
};

enum class Scope { lifecycle, direct };
enum class Basis { average, marginal };
enum class Method { consumption, production, combustion };

/// The contract's words (`lifecycle`, `average`, `consumption`, …).
[[nodiscard]] std::string_view to_text(Scope scope);
[[nodiscard]] std::string_view to_text(Basis basis);
[[nodiscard]] std::string_view to_text(Method method);
[[nodiscard]] std::optional<Scope> scope_from_text(std::string_view text);
[[nodiscard]] std::optional<Basis> basis_from_text(std::string_view text);
[[nodiscard]] std::optional<Method> method_from_text(std::string_view text);

/// Which numbers may be compared with each other: one answer or plan uses one of these for all zones.
struct Accounting {
  Scope scope = Scope::lifecycle;
  Basis basis = Basis::average;
  Method method = Method::consumption;
  friend auto operator<=>(const Accounting&, const Accounting&) = default;
};

/// What a series is, besides its source. Values of two identities are never mixed, filled or averaged.
struct SeriesIdentity {
  Zone zone;
  Accounting accounting;
  friend auto operator<=>(const SeriesIdentity&, const SeriesIdentity&) = default;
};

}  // namespace valle::scheduler
