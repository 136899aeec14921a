// SPDX-License-Identifier: Apache-2.0
#include "k8s/client/client.hpp"

#include <iterator>
#include <utility>

#include "k8s/client/warnings.hpp"

namespace valle::k8s {
namespace {

using Kind = ApiError::Kind;

constexpr unsigned k_most_fresh_starts = 2;

tl::unexpected<ApiError> failed(Kind kind, std::string message) {
  return tl::unexpected{ApiError{kind, 0, {}, std::move(message)}};
}

tl::unexpected<ApiError> names_none(const ObjectPath& object) {
  return failed(Kind::bad_request,
                "\"" + object.space + '/' + object.name + "\" names no object of " + object.resource.plural);
}

Request request_for(std::string method, std::string target, const Call& call) {
  return {.method = std::move(method), .target = std::move(target), .deadline = call.deadline};
}

void give_body(Request& request, const char* content_type, const Json& body) {
  request.headers.emplace_back("Content-Type", content_type);
  // Names and notes may come from anywhere; a byte that is no UTF-8 must not end the call.
  request.body = body.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Query query_of_write(const Call& call) {
  Query query;
  if (call.mode == Mode::dry_run) query.emplace_back("dryRun", "All");
  switch (call.validation) {
    case FieldValidation::server_default: break;
    case FieldValidation::ignore: query.emplace_back("fieldValidation", "Ignore"); break;
    case FieldValidation::warn: query.emplace_back("fieldValidation", "Warn"); break;
    case FieldValidation::strict: query.emplace_back("fieldValidation", "Strict"); break;
  }
  return query;
}

const char* content_type_of(Patch::Type type) {
  switch (type) {
    case Patch::Type::merge: return "application/merge-patch+json";
    case Patch::Type::json: return "application/json-patch+json";
    case Patch::Type::strategic: return "application/strategic-merge-patch+json";
    case Patch::Type::apply: return "application/apply-patch+yaml";
  }
  return "application/merge-patch+json";
}

Json body_of(const Deletion& deletion) {
  Json body{{"kind", "DeleteOptions"}, {"apiVersion", "v1"}};
  switch (deletion.propagation) {
    case Deletion::Propagation::server_default: break;
    case Deletion::Propagation::background: body["propagationPolicy"] = "Background"; break;
    case Deletion::Propagation::foreground: body["propagationPolicy"] = "Foreground"; break;
    case Deletion::Propagation::orphan: body["propagationPolicy"] = "Orphan"; break;
  }
  if (!deletion.uid.empty()) body["preconditions"]["uid"] = deletion.uid;
  if (!deletion.resource_version.empty()) body["preconditions"]["resourceVersion"] = deletion.resource_version;
  return body;
}

std::string text_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

ApiResult<Page> page_of(Json&& list) {
  const auto meta = list.is_object() ? list.find("metadata") : list.end();
  if (!list.is_object() || meta == list.end() || !meta->is_object())
    return failed(Kind::server, "the answer is no list");
  Page page{.resource_version = text_in(*meta, "resourceVersion"), .next = text_in(*meta, "continue")};
  if (const auto items = list.find("items"); items != list.end() && items->is_array()) {
    page.items = std::move(items->get_ref<Json::array_t&>());
  }
  return page;
}

ApiResult<Answer> answer_of(const Response& response) {
  if (response.status < 200 || response.status > 299) return tl::unexpected{error_of(response)};
  Answer answer{.object = Json::parse(response.body, nullptr, false), .warnings = warnings_in(response)};
  if (answer.object.is_discarded()) return failed(Kind::server, "the answer is not JSON");
  return answer;
}

}  // namespace

Client::Client(std::shared_ptr<Transport> transport, std::shared_ptr<TokenSource> token, std::shared_ptr<Clock> clock,
               ClientOptions options)
    : transport_{std::move(transport)},
      token_{std::move(token)},
      clock_{std::move(clock)},
      options_{std::move(options)},
      limiter_{options_.rate} {}

ApiResult<Answer> Client::get(const ObjectPath& object, const Call& call) {
  if (!names_one(object)) return names_none(object);
  return read(path_of(object), {}, call);
}

ApiResult<Answer> Client::read(const std::string& path, const Query& query, const Call& call) {
  return ask(request_for("GET", target_of(path, query), call), call.stop);
}

ApiResult<Page> Client::list_page(const Collection& collection, const Selection& selection, const PageRequest& page,
                                  const Call& call) {
  Query query{{"limit", std::to_string(page.limit != 0 ? page.limit : options_.page)}};
  if (!page.token.empty()) query.emplace_back("continue", page.token);
  if (!selection.labels.empty()) query.emplace_back("labelSelector", selection.labels);
  if (!selection.fields.empty()) query.emplace_back("fieldSelector", selection.fields);
  return read(path_of(collection), query, call).and_then([](Answer&& answer) {
    return page_of(std::move(answer.object));
  });
}

ApiResult<Listing> Client::list(const Collection& collection, const Selection& selection, const Call& call) {
  for (unsigned fresh_starts = 0;;) {
    Listing listing;
    PageRequest request;
    auto page = list_page(collection, selection, request, call);
    while (page) {
      if (listing.items.size() + page->items.size() > options_.most_items) {
        return failed(Kind::too_large, "the list has more than " + std::to_string(options_.most_items) + " objects");
      }
      listing.items.insert(listing.items.end(), std::make_move_iterator(page->items.begin()),
                           std::make_move_iterator(page->items.end()));
      if (page->next.empty()) {
        listing.resource_version = std::move(page->resource_version);
        return listing;
      }
      request.token = std::move(page->next);
      page = list_page(collection, selection, request, call);
    }
    if (page.error().kind != Kind::expired || ++fresh_starts > k_most_fresh_starts) return tl::unexpected{page.error()};
  }
}

ApiResult<Answer> Client::create(const Collection& collection, const Json& object, const Call& call) {
  Query query = query_of_write(call);
  query.emplace_back("fieldManager", options_.field_manager);
  Request request = request_for("POST", target_of(path_of(collection), query), call);
  give_body(request, "application/json", object);
  return ask(std::move(request), call.stop);
}

ApiResult<Answer> Client::update(const ObjectPath& object, const Json& content, const Call& call) {
  if (!names_one(object)) return names_none(object);
  Query query = query_of_write(call);
  query.emplace_back("fieldManager", options_.field_manager);
  Request request = request_for("PUT", target_of(path_of(object), query), call);
  give_body(request, "application/json", content);
  return ask(std::move(request), call.stop);
}

ApiResult<Answer> Client::patch(const ObjectPath& object, const Patch& patch, const Call& call) {
  if (!names_one(object)) return names_none(object);
  Query query = query_of_write(call);
  query.emplace_back("fieldManager", patch.manager.empty() ? options_.field_manager : patch.manager);
  const bool force = patch.type == Patch::Type::apply && patch.conflicts == Patch::Conflicts::force;
  if (force) query.emplace_back("force", "true");
  Request request = request_for("PATCH", target_of(path_of(object), query), call);
  give_body(request, content_type_of(patch.type), patch.body);
  return ask(std::move(request), call.stop);
}

ApiResult<Answer> Client::remove(const ObjectPath& object, const Deletion& deletion, const Call& call) {
  if (!names_one(object)) return names_none(object);
  Query query;
  if (call.mode == Mode::dry_run) query.emplace_back("dryRun", "All");
  Request request = request_for("DELETE", target_of(path_of(object), query), call);
  give_body(request, "application/json", body_of(deletion));
  return ask(std::move(request), call.stop);
}

ApiResult<Answer> Client::ask(Request request, std::stop_token stop) {
  return authorized(request, stop, [&] { return transport_->send(request, stop); }).and_then(answer_of);
}

ApiResult<void> Client::stream(const std::string& path, const Query& query, const LineSink& line, const Call& call) {
  Request request = request_for("GET", target_of(path, query), call);
  const auto response = authorized(request, call.stop, [&] { return transport_->stream(request, line, call.stop); });
  if (!response) return tl::unexpected{response.error()};
  if (response->status != 200) return tl::unexpected{error_of(*response)};
  return {};
}

ApiResult<void> Client::wait_for_turn(SteadyTime deadline, const std::stop_token& stop) {
  const SteadyTime turn = limiter_.reserve(clock_->now());
  if (turn >= deadline) {
    limiter_.give_back();
    return failed(Kind::deadline, "our own rate limit leaves no turn before the deadline");
  }
  if (clock_->now() < turn && !clock_->wait_until(turn, stop)) {
    limiter_.give_back();
    return failed(Kind::cancelled, "stopped while waiting for a turn under our own rate limit");
  }
  return {};
}

template <class Exchange>
ApiResult<Response> Client::authorized(Request& request, const std::stop_token& stop, Exchange exchange) {
  if (auto turn = wait_for_turn(request.deadline, stop); !turn) return tl::unexpected{turn.error()};
  request.headers.emplace_back("Accept", "application/json");
  request.headers.emplace_back("User-Agent", options_.user_agent);
  ApiResult<Response> response = failed(Kind::unauthorized, "the token was never tried");
  std::string tried;
  for (unsigned attempt = 0; attempt < 2; ++attempt) {
    if (token_) {
      const auto token = token_->current();
      if (!token) return failed(Kind::unauthorized, token.error().pointer + ": " + token.error().detail);
      if (token->reveal() == tried) break;  // no other token than the one that was refused
      tried = token->reveal();
      if (attempt > 0) request.headers.pop_back();
      request.headers.emplace_back("Authorization", "Bearer " + tried);
    }
    auto received = exchange();
    if (!received) return tl::unexpected{error_of(received.error())};
    response = *std::move(received);
    if (response->status != 401 || !token_) break;
    token_->was_refused();
  }
  return response;
}

}  // namespace valle::k8s
