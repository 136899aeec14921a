// SPDX-License-Identifier: Apache-2.0
#include "service/api/test_clock_routes.hpp"

#include <string_view>
#include <utility>

#include "service/api/answer.hpp"
#include "service/api/json_writer.hpp"
#include "service/api/member_reader.hpp"
#include "service/http/problem.hpp"

namespace valle::service::api {
namespace {

using scheduler::Instant;
using scheduler::Result;

constexpr std::string_view k_members[] = {"now"};

Result<Instant> read_target(const Json& body) {
  FirstError first;
  auto reader = MemberReader::of_object(body, "", k_members, first);
  const auto now = reader.instant("now");
  reader.need("now", "the instant to live through to");
  if (first.failed()) return tl::unexpected{first.take()};
  return *now;
}

http::Response clock_response(Instant now) {
  JsonWriter json;
  json.begin_object().member("now", now).end_object();
  return answer(json.take());
}

}  // namespace

void add_test_clock_routes(http::Router& router, const TestClockServices& services) {
  router.add("GET", "/test/clock", [services](const http::Request& request, const http::Respond& respond) {
    const auto allowed = no_parameters(request);
    respond(allowed ? clock_response(services.clock.now()) : http::problem(allowed.error()));
  });
  router.add("POST", "/test/clock",
             [services](const http::Request& request, const http::Respond& respond) {
               const auto target = body_alone(request, k_request_limits).and_then(read_target);
               if (!target) return respond(http::problem(target.error()));
               answer_from(services.advancing, respond, [services, instant = *target] {
                 const auto moved = services.clock.advance_to(instant, services.settle);
                 return moved ? clock_response(services.clock.now()) : http::problem(moved.error());
               });
             },
             {.time_limit = std::chrono::minutes{10}});
}

}  // namespace valle::service::api
