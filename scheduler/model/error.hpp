// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <tl/expected.hpp>

namespace valle::scheduler {

/// Every expected refusal of valle. Closed: `service/http/problem.cpp` maps each to an HTTP status and a code
/// of the contract, and nothing is ever decided on message text.
enum class Errc {
  invalid_request,     ///< malformed or out of range; `pointer` names the place
  unknown_field,       ///< a member or parameter nobody knows
  unknown_zone,
  unknown_site,
  window_too_short,    ///< fact smallestFinishBy
  infeasible,
  too_large,
  no_intensity_data,   ///< facts zones, from, to
  unauthorized,
  forbidden,
  not_found,
  method_not_allowed,
  conflict,
  rate_limited,        ///< fact retryAfterSeconds
  source_unavailable,
  not_leader,
  deadline_exceeded,
  storage_failed,      ///< disk full, locked or corrupt database: the world, not the caller
};

/// A machine-readable member of an error beside its text, e.g. {"smallestFinishBy", "2027-04-09T10:00:00Z"}.
struct Fact {
  std::string name;
  std::variant<std::string, std::vector<std::string>> value;
  friend bool operator==(const Fact&, const Fact&) = default;
};

/// An expected refusal: what is wrong, where, and what would help, in one sentence.
struct Error {
  Errc code;
  std::string detail;
  std::string pointer = {};  ///< JSON pointer ("/duration"), parameter name, or file:line; empty if there is none
  std::vector<Fact> facts = {};
  friend bool operator==(const Error&, const Error&) = default;
};

template <class T>
using Result = tl::expected<T, Error>;

/// `return refuse(Errc::invalid_request, "…", "/duration");`
[[nodiscard]] inline tl::unexpected<Error> refuse(Errc code, std::string detail, std::string pointer = {},
                                                  std::vector<Fact> facts = {}) {
  return tl::unexpected<Error>{Error{code, std::move(detail), std::move(pointer), std::move(facts)}};
}

}  // namespace valle::scheduler
