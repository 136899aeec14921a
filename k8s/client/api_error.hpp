// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "k8s/client/transport.hpp"

namespace valle::k8s {

/// Why a call to the API server did not do what was asked.
struct ApiError {
  enum class Kind {
    bad_request,        ///< 400: our own fault, or an unknown field under strict validation
    unauthorized,       ///< 401, also with a token that was read anew
    forbidden,          ///< 403: RBAC, or a policy or webhook that says no
    not_found,          ///< 404: the object, or the whole kind
    conflict,           ///< 409: stale resourceVersion, or another manager's field
    already_exists,     ///< 409 on create
    expired,            ///< 410: resourceVersion or continue token too old; list again
    invalid,            ///< 422
    too_many_requests,  ///< 429, with `retry_after`
    webhook_failed,     ///< somebody's admission webhook could not be called; not our error, try again
    server,             ///< other 5xx, and answers that make no sense
    too_large,          ///< the answer is beyond our limits
    unreachable,        ///< no connection, or cut before the answer was whole: a write may have happened
    untrusted,          ///< TLS: a certificate was refused, theirs or ours
    deadline,           ///< the caller's time was up: a write may have happened
    cancelled,          ///< the caller's stop token
  };
  Kind kind;
  int code = 0;              ///< HTTP status; 0 where there was none
  std::string reason = {};   ///< of the Status object, such as "AlreadyExists"
  std::string message = {};  ///< of the Status object, or what the network said
  std::optional<std::chrono::milliseconds> retry_after = {};
  friend bool operator==(const ApiError&, const ApiError&) = default;
};

template <class T>
using ApiResult = tl::expected<T, ApiError>;

/// `too_many_requests`, for logs and labels of metrics.
[[nodiscard]] std::string_view name_of(ApiError::Kind kind);

/// "409 Conflict: the object has been modified", for people.
[[nodiscard]] std::string text_of(const ApiError& error);

/// Whether the same call may do better in a while: 429, webhooks that fail, other 5xx, the network.
[[nodiscard]] bool worth_repeating(ApiError::Kind kind);

/// Reads a response that is no success.
[[nodiscard]] ApiError error_of(const Response& response);
/// Reads a Status object, such as an ERROR event of a watch carries.
[[nodiscard]] ApiError error_of_status(const nlohmann::json& status);
[[nodiscard]] ApiError error_of(const TransportFailure& failure);

}  // namespace valle::k8s
