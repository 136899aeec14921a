// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "scheduler/model/error.hpp"
#include "service/api/json_reader.hpp"
#include "service/http/message.hpp"
#include "service/runtime/executors.hpp"

namespace valle::service::api {

/// 200 (or `status`) with a JSON text, or the problem document of the refusal.
[[nodiscard]] http::Response answer(scheduler::Result<std::string> json, int status = 200);

/// Does `work` on a queue and answers with what it returns; a full or closed queue answers 429 at once.
void answer_from(runtime::WorkQueue& queue, http::Respond respond, std::function<http::Response()> work);

/// 429 for work that no queue has room for.
[[nodiscard]] http::Response busy();

/// The body as JSON; a query beside it is refused.
[[nodiscard]] scheduler::Result<Json> body_alone(const http::Request& request, const JsonLimits& limits);

/// Refuses any parameter: for calls that have none.
[[nodiscard]] scheduler::Result<void> no_parameters(const http::Request& request);

}  // namespace valle::service::api
