// SPDX-License-Identifier: Apache-2.0
#include "service/api/job_routes.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "service/api/answer.hpp"
#include "service/api/job_codec.hpp"
#include "service/http/problem.hpp"

namespace valle::service::api {
namespace {

using app::Job;
using http::Request;
using http::Respond;
using scheduler::Errc;
using scheduler::refuse;
using scheduler::Result;

constexpr std::string_view k_list_parameters[] = {"state", "owner", "kubernetes", "limit", "cursor"};
constexpr std::string_view k_job_parameters[] = {"wait"};
constexpr std::size_t k_longest_key = 255;
constexpr std::int64_t k_longest_page = 1000;

/// Answers with the job, or with the problem.
app::Jobs::Done<Job> answer_job(const Respond& respond) {
  return [respond](Result<Job> job) { respond(answer(std::move(job).map(job_json))); };
}

Result<std::optional<std::string>> idempotency_key(const Request& request) {
  const auto key = request.header("idempotency-key");
  if (!key) return std::optional<std::string>{};
  const bool visible = std::all_of(key->begin(), key->end(), [](char c) { return c > 0x20 && c < 0x7f; });
  if (key->empty() || key->size() > k_longest_key || !visible) {
    return refuse(Errc::invalid_request, "Idempotency-Key is 1 to 255 visible ASCII characters", "Idempotency-Key");
  }
  return std::optional{std::string{*key}};
}

/// The id as one segment of a path.
std::string percent_encoded(std::string_view id) {
  constexpr std::string_view k_hex = "0123456789ABCDEF";
  std::string path;
  for (const char c : id) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                       c == '_' || c == '.' || c == '~';
    const auto byte = static_cast<unsigned char>(c);
    if (plain) {
      path += c;
    } else {
      path += {'%', k_hex[byte >> 4], k_hex[byte & 15]};
    }
  }
  return path;
}

http::Response created(const Job& job, std::string text) {
  return {.status = 201, .headers = {{"Location", "/v1/jobs/" + percent_encoded(job.id)}}, .body = std::move(text)};
}

void submit(app::Jobs& jobs, const Request& request, const Respond& respond) {
  const auto key = idempotency_key(request);
  if (!key) return respond(http::problem(key.error()));
  const auto body = body_alone(request, k_request_limits);
  if (!body) return respond(http::problem(body.error()));
  auto job = read_job(*body);
  if (!job) return respond(http::problem(job.error()));
  std::optional<store::Idempotency> idempotency;
  if (*key) idempotency = store::Idempotency{**key, body->dump()};

  jobs.submit(*std::move(job), idempotency, [&jobs, idempotency, respond](Result<store::Submission> submission) {
    if (!submission) return respond(http::problem(submission.error()));
    const std::string text = submission->answer ? *submission->answer : job_json(submission->job);
    const auto response = created(submission->job, text);
    if (!idempotency || submission->answer) return respond(response);
    jobs.remember_answer(idempotency->key, text, [respond, response] { respond(response); });
  });
}

Result<store::JobFilter> read_filter(const Request& request) {
  FirstError first;
  auto reader = MemberReader::of_query(request.query, k_list_parameters, first);
  store::JobFilter filter;
  for (const auto& word : reader.names("state").value_or(std::vector<std::string>{})) {
    const auto state = app::job_state_from_text(word);
    if (state) {
      filter.states.push_back(*state);
    } else {
      reader.refuse("state", "a state is waiting, released, running, finished, failed or cancelled, not " + word);
    }
  }
  filter.owner = reader.text("owner");
  filter.object = reader.text("kubernetes");
  if (filter.object && std::count(filter.object->begin(), filter.object->end(), '/') != 1) {
    reader.refuse("kubernetes", "an object is named NAMESPACE/NAME");
  }
  filter.limit = static_cast<std::size_t>(reader.integer("limit", 1, k_longest_page).value_or(100));
  if (const auto cursor = reader.text("cursor", 20)) {
    const auto [end, failure] = std::from_chars(cursor->data(), cursor->data() + cursor->size(), filter.after);
    if (failure != std::errc{} || end != cursor->data() + cursor->size() || filter.after < 0) {
      reader.refuse("cursor", "cursor must be the nextCursor of an earlier answer");
    }
  }
  if (first.failed()) return tl::unexpected{first.take()};
  return filter;
}

/// `complete` is written where it is false: a replica that does not lead knows a cluster's jobs alone.
std::string page_json(const std::vector<Job>& jobs, std::size_t limit, bool complete) {
  JsonWriter json;
  json.begin_object().key("jobs").begin_array();
  for (const auto& job : jobs) write_job(json, job);
  const bool more = jobs.size() == limit;
  json.end_array().optional_member("nextCursor",
                                   more ? std::optional{std::to_string(jobs.back().sequence)} : std::nullopt);
  if (!complete) json.member("complete", false);
  json.end_object();
  return json.take();
}

/// Answers when the state changes, or with the job as it is when the time is over.
void long_poll(const JobServices& services, const std::string& id, scheduler::Duration wait, const Respond& respond) {
  services.jobs.await_change(
      id, [respond](const Job& job) { respond(answer(job_json(job))); },
      [services, wait, respond](Result<Job> job, app::JobWatch::Id ticket) {
        if (!job || ticket == 0) return answer_job(respond)(std::move(job));
        auto over = [&watch = services.watch, ticket, respond, text = job_json(*job)] {
          if (watch.cancel(ticket)) respond(answer(text));
        };
        services.real_timers.at(services.real_clock.now() + wait, std::move(over));
      });
}

void answer_one(const JobServices& services, const Request& request, const Respond& respond) {
  FirstError first;
  auto reader = MemberReader::of_query(request.query, k_job_parameters, first);
  const auto wait = reader.duration("wait", scheduler::Duration{0}, k_longest_poll);
  if (first.failed()) return respond(http::problem(first.take()));
  const std::string& id = request.path_parameter("id");
  if (!wait || *wait == scheduler::Duration{0}) return services.jobs.find(id, answer_job(respond));
  long_poll(services, id, *wait, respond);
}

/// An empty body stands for an object without members where all are optional.
Result<Json> body_or_nothing(const Request& request) {
  if (request.body.empty()) return no_parameters(request).map([] { return Json::object(); });
  return body_alone(request, k_request_limits);
}

/// `"42"` of `If-None-Match: W/"41", "42"`.
bool names_tag(std::string_view header, std::string_view tag) {
  return header == "*" || header.find(tag) != std::string_view::npos;
}

http::Response plan_response(const std::optional<store::StoredPlan>& plan, const Request& request) {
  const std::string tag = "\"" + std::to_string(plan ? plan->revision : 0) + "\"";
  const http::Pairs headers{{"ETag", tag}, {"Cache-Control", "no-cache"}};
  const auto asked = request.header("if-none-match");
  if (asked && names_tag(*asked, tag)) return {.status = 304, .content_type = "", .headers = headers};
  JsonWriter json;
  json.begin_object().member("revision", plan ? plan->revision : std::int64_t{0});
  json.optional_member("madeAt", plan ? std::optional{plan->made_at} : std::nullopt);
  // The stored document is an object: its members follow ours.
  const std::string rest = plan ? "," + plan->document.substr(1) : R"(,"placements":[],"unplaced":[]})";
  return {.headers = headers, .body = json.take() + rest};
}

}  // namespace

std::span<const std::string_view> job_list_parameters() { return k_list_parameters; }
std::span<const std::string_view> job_parameters() { return k_job_parameters; }

void add_job_metrics(runtime::Metrics& metrics, const app::JobWatch& watch) {
  auto& gauge = metrics.gauge("valle_jobs", "Jobs by state", {"state"});
  metrics.before_text([&gauge, &watch] {
    const auto counts = watch.counts();
    for (const auto state : app::k_job_states) {
      gauge.with({to_text(state)}).set(static_cast<double>(counts[static_cast<std::size_t>(state)]));
    }
  });
}

void add_job_routes(http::Router& router, const JobServices& services) {
  app::Jobs& jobs = services.jobs;
  router.add("POST", "/v1/jobs",
             [&jobs](const Request& request, const Respond& respond) { submit(jobs, request, respond); });
  router.add("GET", "/v1/jobs", [&jobs](const Request& request, const Respond& respond) {
    const auto filter = read_filter(request);
    if (!filter) return respond(http::problem(filter.error()));
    jobs.list(*filter, [respond, limit = filter->limit, complete = jobs.lists_all()](Result<std::vector<Job>> page) {
      respond(answer(
          page.map([limit, complete](const std::vector<Job>& found) { return page_json(found, limit, complete); })));
    });
  });
  router.add("GET", "/v1/jobs/{id}",
             [services](const Request& request, const Respond& respond) { answer_one(services, request, respond); },
             {.time_limit = k_longest_poll + std::chrono::seconds{30}});
  router.add("PATCH", "/v1/jobs/{id}", [&jobs](const Request& request, const Respond& respond) {
    const auto change = body_alone(request, k_request_limits).and_then(read_job_change);
    if (!change) return respond(http::problem(change.error()));
    jobs.change(request.path_parameter("id"), *change, answer_job(respond));
  });
  router.add("DELETE", "/v1/jobs/{id}", [&jobs](const Request& request, const Respond& respond) {
    const auto allowed = no_parameters(request);
    if (!allowed) return respond(http::problem(allowed.error()));
    jobs.cancel(request.path_parameter("id"), answer_job(respond));
  });
  router.add("POST", "/v1/jobs/{id}/started", [&jobs](const Request& request, const Respond& respond) {
    const auto at = body_or_nothing(request).and_then(read_started);
    if (!at) return respond(http::problem(at.error()));
    jobs.start(request.path_parameter("id"), *at, answer_job(respond));
  });
  router.add("POST", "/v1/jobs/{id}/finished", [&jobs](const Request& request, const Respond& respond) {
    const auto finish = body_alone(request, k_request_limits).and_then(read_finished);
    if (!finish) return respond(http::problem(finish.error()));
    jobs.finish(request.path_parameter("id"), *finish, answer_job(respond));
  });
  router.add("GET", "/v1/jobs/{id}/explanation", [&jobs](const Request& request, const Respond& respond) {
    const auto allowed = no_parameters(request);
    if (!allowed) return respond(http::problem(allowed.error()));
    jobs.explain(request.path_parameter("id"), [respond](Result<app::Explanation> explanation) {
      respond(answer(explanation.map(explanation_json)));
    });
  });
  router.add("GET", "/v1/plan", [&jobs](const Request& request, const Respond& respond) {
    const auto allowed = no_parameters(request);
    if (!allowed) return respond(http::problem(allowed.error()));
    jobs.plan([request, respond](Result<std::optional<store::StoredPlan>> plan) {
      respond(plan ? plan_response(*plan, request) : http::problem(plan.error()));
    });
  });
}

}  // namespace valle::service::api
