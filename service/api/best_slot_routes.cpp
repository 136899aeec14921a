// SPDX-License-Identifier: Apache-2.0
#include "service/api/best_slot_routes.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "service/api/answer.hpp"
#include "service/api/best_slot_codec.hpp"
#include "service/http/problem.hpp"

namespace valle::service::api {
namespace {

using scheduler::Errc;
using scheduler::Error;
using scheduler::refuse;
using scheduler::Result;

/// Above this a search over quarter-hours may hold an io thread for more than a millisecond.
constexpr scheduler::Duration k_long_window = std::chrono::days{31};

Result<app::BestSlotAnswer> ask(const BestSlotServices& services, const app::BestSlotRequest& request) {
  return app::best_slot(request, *services.book.get(), services.places, services.clock.now());
}

Result<std::string> ask_for_text(const BestSlotServices& services, const app::BestSlotRequest& request) {
  return ask(services, request).map(best_slot_json);
}

bool is_long(const app::BestSlotRequest& request, scheduler::Instant now) {
  const auto earliest = request.earliest_start.value_or(now);
  const auto wait = request.max_wait.value_or(request.latest_start.value_or(earliest) - earliest);
  const auto window = request.finish_by.value_or(earliest) - earliest;
  return request.interruption || wait > k_long_window || window > k_long_window;
}

void answer_one(const BestSlotServices& services, Result<app::BestSlotRequest> request, const http::Respond& respond) {
  if (!request) return respond(http::problem(request.error()));
  if (!is_long(*request, services.clock.now())) return respond(answer(ask_for_text(services, *request)));
  answer_from(services.long_questions, respond,
              [services, request = *std::move(request)] { return answer(ask_for_text(services, request)); });
}

Error too_much_work(const std::string& place) {
  return {Errc::too_large,
          "the elements before this one took all the work that one request may take: interruptible jobs with restarts, "
          "shortest runs or long windows take most; ask about this one in another request",
          place};
}

/// Each element an answer or a problem document, in the order asked.
Result<std::string> answer_many(const BestSlotServices& services, const Json& questions) {
  if (!questions.is_array() || questions.empty() || questions.size() > k_most_questions) {
    return refuse(questions.is_array() && !questions.empty() ? Errc::too_large : Errc::invalid_request,
                  "an array of 1 to " + std::to_string(k_most_questions) + " requests is needed");
  }
  const auto book = services.book.get();
  const auto now = services.clock.now();
  std::size_t work = 0;
  JsonWriter json;
  json.begin_array();
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const std::string place = pointer_to("", i);
    const auto found = read_best_slot(questions[i], place)
                           .and_then([&](const app::BestSlotRequest& request) -> Result<app::BestSlotAnswer> {
                             if (work >= services.most_work) return tl::unexpected{too_much_work(place)};
                             return app::best_slot(request, *book, services.places, now).map_error([&](Error error) {
                               if (!error.pointer.empty()) error.pointer.insert(0, place);
                               return error;
                             });
                           });
    if (found) {
      work += found->work;
      write_best_slot(json, *found);
    } else {
      json.raw(http::problem_document(found.error()).dump());
    }
  }
  json.end_array();
  return json.take();
}

}  // namespace

void add_best_slot_routes(http::Router& router, const BestSlotServices& services) {
  router.add("GET", "/v1/best-slot", [services](const http::Request& request, const http::Respond& respond) {
    answer_one(services, read_best_slot_query(request.query), respond);
  });
  router.add("POST", "/v1/best-slot", [services](const http::Request& request, const http::Respond& respond) {
    answer_one(services,
               body_alone(request, k_request_limits).and_then([](const Json& body) { return read_best_slot(body); }),
               respond);
  });
  router.add("POST", "/v1/best-slots",
             [services](http::Request request, const http::Respond& respond) {
               answer_from(services.long_questions, respond, [services, request = std::move(request)] {
                 return answer(body_alone(request, k_array_limits).and_then([&](const Json& questions) {
                   return answer_many(services, questions);
                 }));
               });
             },
             {.largest_body = http::k_array_body});
}

}  // namespace valle::service::api
