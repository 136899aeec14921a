// SPDX-License-Identifier: Apache-2.0
#include "k8s/client/client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "k8s/client/discovery.hpp"
#include "tests/support/k8s/fake_clock.hpp"
#include "tests/support/k8s/scripted_api.hpp"

namespace valle::k8s {
namespace {

using ::testing::HasSubstr;
using Kind = ApiError::Kind;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// Tokens by script: the next one after each refusal.
class RotatingToken final : public TokenSource {
 public:
  explicit RotatingToken(std::vector<std::string> tokens) : tokens_{std::move(tokens)} {}
  scheduler::Result<Secret> current() override { return Secret{tokens_[at_]}; }
  void was_refused() override { at_ = std::min(at_ + 1, tokens_.size() - 1); }

 private:
  std::vector<std::string> tokens_;
  std::size_t at_ = 0;
};

std::string header(const Request& request, const std::string& name) {
  std::string found = "-";
  for (const auto& [key, value] : request.headers) {
    if (key == name) found = found == "-" ? value : found + "|" + value;
  }
  return found;
}

class Verbs : public ::testing::Test {
 protected:
  Client client(std::shared_ptr<TokenSource> token = nullptr, ClientOptions options = {}) {
    return Client{api_, std::move(token), clock_, std::move(options)};
  }
  Call call() const { return {.deadline = clock_->now() + seconds{10}}; }
  std::shared_ptr<tests::ScriptedApi> api_ = std::make_shared<tests::ScriptedApi>();
  std::shared_ptr<tests::FakeClock> clock_ = std::make_shared<tests::FakeClock>();
  const ObjectPath job_{resources::k_jobs, "lab", "nightly"};
};

TEST_F(Verbs, get_asks_for_json_as_somebody_with_a_name) {
  api_->then({.body = R"({"metadata":{"name":"nightly"}})", .headers = {{"warning", "299 - \"old\""}}});
  const auto answer = client(fixed_token(Secret{"abc"}), {.user_agent = "valle/1"}).get(job_, call());
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->object["metadata"]["name"], "nightly");
  EXPECT_EQ(answer->warnings, std::vector<std::string>{"old"});
  const Request request = api_->seen().at(0);
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.target, "/apis/batch/v1/namespaces/lab/jobs/nightly");
  EXPECT_EQ(header(request, "Accept"), "application/json");
  EXPECT_EQ(header(request, "User-Agent"), "valle/1");
  EXPECT_EQ(header(request, "Authorization"), "Bearer abc");
  EXPECT_EQ(request.deadline, clock_->now() + seconds{10});
}

TEST_F(Verbs, create_update_and_delete_send_what_they_are_given) {
  api_->then({.status = 201}).then_json("{}").then_json("{}");
  Client client = this->client();
  EXPECT_TRUE(client.create({resources::k_jobs, "lab"}, {{"a", 1}}, call()));
  EXPECT_TRUE(client.update(job_, {{"a", 2}}, call()));
  EXPECT_TRUE(client.remove(
      job_, {.propagation = Deletion::Propagation::background, .uid = "u", .resource_version = "7"}, call()));
  const auto seen = api_->seen();
  EXPECT_EQ(seen.at(0).method + ' ' + seen.at(0).target, "POST /apis/batch/v1/namespaces/lab/jobs?fieldManager=valle");
  EXPECT_EQ(seen.at(0).body, R"({"a":1})");
  EXPECT_EQ(header(seen.at(0), "Content-Type"), "application/json");
  EXPECT_EQ(seen.at(1).method + ' ' + seen.at(1).target,
            "PUT /apis/batch/v1/namespaces/lab/jobs/nightly?fieldManager=valle");
  EXPECT_EQ(seen.at(2).method + ' ' + seen.at(2).target, "DELETE /apis/batch/v1/namespaces/lab/jobs/nightly");
  EXPECT_EQ(Json::parse(seen.at(2).body),
            Json::parse(R"({"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Background",
                            "preconditions":{"uid":"u","resourceVersion":"7"}})"));
}

TEST_F(Verbs, each_patch_has_its_content_type) {
  for (int i = 0; i < 4; ++i) api_->then_json("{}");
  Client client = this->client();
  EXPECT_TRUE(client.patch(job_, {Patch::Type::merge, {{"a", nullptr}}}, call()));
  EXPECT_TRUE(client.patch(job_, {Patch::Type::json, Json::parse(R"([{"op":"remove","path":"/a"}])")}, call()));
  EXPECT_TRUE(client.patch(job_, {Patch::Type::strategic, {{"b", 1}}}, call()));
  ObjectPath status = job_;
  status.subresource = "status";
  EXPECT_TRUE(client.patch(status, {Patch::Type::apply, {{"c", 1}}, "valle-check", Patch::Conflicts::force}, call()));
  const auto seen = api_->seen();
  EXPECT_EQ(header(seen.at(0), "Content-Type"), "application/merge-patch+json");
  EXPECT_EQ(seen.at(0).body, R"({"a":null})");
  EXPECT_EQ(header(seen.at(1), "Content-Type"), "application/json-patch+json");
  EXPECT_EQ(seen.at(1).body, R"([{"op":"remove","path":"/a"}])");
  EXPECT_EQ(header(seen.at(2), "Content-Type"), "application/strategic-merge-patch+json");
  EXPECT_EQ(header(seen.at(3), "Content-Type"), "application/apply-patch+yaml");
  EXPECT_EQ(seen.at(3).target, "/apis/batch/v1/namespaces/lab/jobs/nightly/status?fieldManager=valle-check&force=true");
}

TEST_F(Verbs, a_dry_run_and_strict_validation_are_asked_for) {
  api_->then_json("{}");
  Call careful = call();
  careful.mode = Mode::dry_run;
  careful.validation = FieldValidation::strict;
  EXPECT_TRUE(client().create({resources::k_jobs, "lab"}, Json::object(), careful));
  EXPECT_THAT(api_->seen().at(0).target, HasSubstr("?dryRun=All&fieldValidation=Strict&"));
}

TEST_F(Verbs, a_byte_that_is_no_text_does_not_end_the_call) {
  api_->then_json("{}");
  EXPECT_TRUE(client().patch(job_, {Patch::Type::merge, {{"note", "caf\xE9"}}}, call()));
  EXPECT_EQ(api_->seen().at(0).body, "{\"note\":\"caf\xEF\xBF\xBD\"}");
}

TEST_F(Verbs, a_call_that_names_no_object_is_never_made) {
  Client client = this->client();
  const ObjectPath nameless{resources::k_jobs, "lab", ""};
  EXPECT_EQ(client.get(nameless, call()).error().kind, Kind::bad_request);
  EXPECT_EQ(client.update(nameless, Json::object(), call()).error().kind, Kind::bad_request);
  EXPECT_EQ(client.patch(nameless, {}, call()).error().kind, Kind::bad_request);
  EXPECT_EQ(client.remove(nameless, {}, call()).error().kind, Kind::bad_request) << "it would delete them all";
  EXPECT_TRUE(api_->seen().empty());
}

TEST_F(Verbs, a_list_is_read_page_by_page) {
  api_->then_json(R"({"metadata":{"resourceVersion":"10","continue":"t/1"},"items":[{"n":1},{"n":2}]})")
      .then_json(R"({"metadata":{"resourceVersion":"10"},"items":[{"n":3}]})");
  const auto list = client(nullptr, {.page = 2}).list({resources::k_jobs}, {.labels = "a=b", .fields = "x=y"}, call());
  ASSERT_TRUE(list);
  EXPECT_EQ(Json(list->items).dump(), R"([{"n":1},{"n":2},{"n":3}])");
  EXPECT_EQ(list->resource_version, "10");
  EXPECT_EQ(api_->seen().at(1).target,
            "/apis/batch/v1/jobs?limit=2&continue=t%2F1&labelSelector=a%3Db&fieldSelector=x%3Dy");
}

TEST_F(Verbs, a_list_whose_token_expires_begins_again) {
  api_->then_json(R"({"metadata":{"resourceVersion":"10","continue":"t"},"items":[{"n":1}]})")
      .then_status(410, "Expired")
      .then_json(R"({"metadata":{"resourceVersion":"20"},"items":[{"n":7}]})");
  const auto list = client().list({resources::k_jobs}, {}, call());
  ASSERT_TRUE(list);
  EXPECT_EQ(Json(list->items).dump(), R"([{"n":7}])");
  EXPECT_EQ(list->resource_version, "20");
}

TEST_F(Verbs, a_list_that_expires_again_and_again_fails) {
  for (int i = 0; i < 3; ++i) api_->then_status(410, "Expired");
  EXPECT_EQ(client().list({resources::k_jobs}, {}, call()).error().kind, Kind::expired);
  EXPECT_EQ(api_->seen().size(), 3U);
}

TEST_F(Verbs, a_list_is_no_longer_than_its_limit) {
  const std::string page = R"({"metadata":{"continue":"t"},"items":[1,2]})";
  api_->then_json(page)
      .then_json(R"({"metadata":{},"items":[1,2]})")
      .then_json(page)
      .then_json(R"({"metadata":{},"items":[1,2,3]})");
  Client client = this->client(nullptr, {.most_items = 4});
  EXPECT_TRUE(client.list({resources::k_jobs}, {}, call()));
  EXPECT_EQ(client.list({resources::k_jobs}, {}, call()).error().kind, Kind::too_large);
}

TEST_F(Verbs, an_answer_that_makes_no_sense_is_the_servers_error) {
  api_->then_json("<html>").then_json("[]").then_json(R"({"metadata":{},"items":null})");
  Client client = this->client();
  EXPECT_EQ(client.get(job_, call()).error().kind, Kind::server);
  EXPECT_EQ(client.list_page({resources::k_jobs}, {}, {}, call()).error().kind, Kind::server);
  EXPECT_TRUE(client.list_page({resources::k_jobs}, {}, {}, call())->items.empty()) << "an empty list may be null";
}

TEST_F(Verbs, a_refused_token_is_read_again_once) {
  api_->then_status(401, "Unauthorized").then_json("{}");
  EXPECT_TRUE(client(std::make_shared<RotatingToken>(std::vector<std::string>{"old", "new"})).get(job_, call()));
  const auto seen = api_->seen();
  EXPECT_EQ(header(seen.at(0), "Authorization"), "Bearer old");
  EXPECT_EQ(header(seen.at(1), "Authorization"), "Bearer new");
}

TEST_F(Verbs, the_same_token_is_not_tried_twice) {
  api_->then_status(401, "Unauthorized", "who are you");
  const auto answer = client(fixed_token(Secret{"abc"})).get(job_, call());
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, Kind::unauthorized);
  EXPECT_EQ(answer.error().message, "who are you");
  EXPECT_EQ(api_->seen().size(), 1U);
}

TEST_F(Verbs, two_refused_tokens_are_enough) {
  api_->then_status(401, "Unauthorized").then_status(401, "Unauthorized");
  EXPECT_EQ(
      client(std::make_shared<RotatingToken>(std::vector<std::string>{"a", "b", "c"})).get(job_, call()).error().kind,
      Kind::unauthorized);
  EXPECT_EQ(api_->seen().size(), 2U);
}

TEST_F(Verbs, a_token_that_cannot_be_read_is_said_without_a_call) {
  const auto answer = client(token_from_file("/nowhere/token")).get(job_, call());
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, Kind::unauthorized);
  EXPECT_THAT(answer.error().message, HasSubstr("/nowhere/token"));
  EXPECT_TRUE(api_->seen().empty());
}

TEST_F(Verbs, our_own_rate_limit_makes_calls_wait) {
  for (int i = 0; i < 3; ++i) api_->then_json("{}");
  Client client = this->client(nullptr, {.rate = {.per_second = 2, .burst = 2}});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(client.get(job_, call()));
  EXPECT_EQ(clock_->waits(), std::vector<milliseconds>{milliseconds{500}});
}

TEST_F(Verbs, a_turn_beyond_the_deadline_is_not_waited_for) {
  api_->then_json("{}");
  Client client = this->client(nullptr, {.rate = {.per_second = 1, .burst = 1}});
  EXPECT_TRUE(client.get(job_, call()));
  EXPECT_EQ(client.get(job_, {.deadline = clock_->now() + milliseconds{900}}).error().kind, Kind::deadline);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(client.get(job_, {.deadline = clock_->now() + seconds{5}, .stop = stop.get_token()}).error().kind,
            Kind::cancelled);
  EXPECT_EQ(api_->seen().size(), 1U);
}

TEST_F(Verbs, a_stream_hands_on_lines_or_an_error) {
  api_->then_lines({"a", "b", "c"}).then_status(403, "Forbidden").then_cut({"a"});
  Client client = this->client();
  std::string lines;
  const LineSink sink = [&](std::string_view line) { return (lines += line) == "ab" ? Flow::enough : Flow::more; };
  EXPECT_TRUE(client.stream("/p", {{"watch", "1"}}, sink, call()));
  EXPECT_EQ(lines, "ab");
  EXPECT_EQ(client.stream("/p", {}, sink, call()).error().kind, Kind::forbidden);
  EXPECT_EQ(client.stream("/p", {}, sink, call()).error().kind, Kind::unreachable);
  EXPECT_EQ(api_->seen().at(0).target, "/p?watch=1");
}

TEST_F(Verbs, discovery_reads_versions_and_the_kinds_that_matter) {
  api_->then_json(R"({"major":"1","minor":"35+","gitVersion":"v1.35.4"})")
      .then_json(R"({"versions":["v1"]})")
      .then_json(R"({"groups":[{"name":"batch","versions":[{"groupVersion":"batch/v1"}]},
                               {"name":"kueue.x-k8s.io","versions":[{"groupVersion":"kueue.x-k8s.io/v1beta1"}]},
                               {"name":"jobset.x-k8s.io","versions":[{"groupVersion":"jobset.x-k8s.io/v1alpha2"}]}]})")
      .then_json(R"({"resources":[{"name":"jobs"},{"name":"jobs/status"},{"name":"cronjobs"}]})")
      .then_status(404, "NotFound");
  Client client = this->client();
  const auto served = discover(
      client, {resources::k_jobs, resources::k_cron_jobs, resources::k_workloads, resources::k_job_sets}, call());
  ASSERT_TRUE(served) << text_of(served.error());
  EXPECT_EQ(served->version, "v1.35.4");
  EXPECT_EQ(served->minor, 35);
  EXPECT_TRUE(served->has(resources::k_jobs));
  EXPECT_TRUE(served->has(resources::k_jobs, "status"));
  EXPECT_FALSE(served->has(resources::k_cron_jobs, "status"));
  EXPECT_FALSE(served->has(resources::k_workloads));
  EXPECT_EQ(
      missing(*served, {{resources::k_jobs, "to run"},
                        {resources::k_workloads, "to hold Jobs"},
                        {resources::k_job_sets, "for sets"},
                        {resources::k_volcano_jobs, "for Volcano"}}),
      (std::vector<std::string>{
          "workloads.kueue.x-k8s.io/v1beta2 is not served, needed to hold Jobs; the server offers "
          "kueue.x-k8s.io/v1beta1 instead",
          "jobsets.jobset.x-k8s.io/v1alpha2 is not served, needed for sets; the server has jobset.x-k8s.io/v1alpha2, "
          "but not this kind",
          "jobs.batch.volcano.sh/v1alpha1 is not served, needed for Volcano; the server has nothing of "
          "batch.volcano.sh"}));
}

TEST_F(Verbs, discovery_fails_with_the_call_that_failed) {
  api_->then_status(403, "Forbidden");
  Client client = this->client();
  EXPECT_EQ(discover(client, {}, call()).error().kind, Kind::forbidden);
}

}  // namespace
}  // namespace valle::k8s
