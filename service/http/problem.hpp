// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "scheduler/model/error.hpp"
#include "service/http/message.hpp"

namespace valle::service::http {

/// A row of the one table Errc → HTTP.
struct ProblemKind {
  int status;
  std::string_view code;   ///< the contract's word, `window-too-short`
  std::string_view title;  ///< the same for every occurrence
};

[[nodiscard]] ProblemKind problem_kind(scheduler::Errc code);
/// The other way round, for clients; nothing for a word that is not in the table. `source-unavailable` stands for storage
/// failures, too.
[[nodiscard]] std::optional<scheduler::Errc> errc_from_code(std::string_view code);

/// `{type, title, status, detail, code, pointer?, …facts}`; the form that stands inside the answer of /v1/best-slots,
/// too. Bytes that are not UTF-8 are replaced. The fact retryAfterSeconds is written as a number.
[[nodiscard]] nlohmann::ordered_json problem_document(const scheduler::Error& error);

/// The same as application/problem+json, with Retry-After and WWW-Authenticate where they belong.
[[nodiscard]] Response problem(const scheduler::Error& error);

/// Refusals of the protocol itself, which no use case can give: 408, 414, 417, 431, 500, 501, 503, 505 (and 400, 413).
[[nodiscard]] Response protocol_problem(int status, std::string detail);

}  // namespace valle::service::http
