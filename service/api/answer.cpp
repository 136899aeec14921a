// SPDX-License-Identifier: Apache-2.0
#include "service/api/answer.hpp"

#include "service/api/member_reader.hpp"
#include "service/http/problem.hpp"

namespace valle::service::api {

http::Response answer(scheduler::Result<std::string> json, int status) {
  if (!json) return http::problem(json.error());
  return {.status = status, .body = *std::move(json)};
}

http::Response busy() {
  return http::problem({scheduler::Errc::rate_limited,
                        "more work is waiting than can be taken; ask again in a second",
                        "",
                        {{"retryAfterSeconds", "1"}}});
}

void answer_from(runtime::WorkQueue& queue, http::Respond respond, std::function<http::Response()> work) {
  const bool taken = queue.post([respond, work = std::move(work)] { respond(work()); });
  if (!taken) respond(busy());
}

scheduler::Result<void> no_parameters(const http::Request& request) {
  FirstError first;
  (void)MemberReader::of_query(request.query, {}, first);
  if (first.failed()) return tl::unexpected{first.take()};
  return {};
}

scheduler::Result<Json> body_alone(const http::Request& request, const JsonLimits& limits) {
  return no_parameters(request).and_then([&] { return parse_json(request.body, limits); });
}

}  // namespace valle::service::api
