// SPDX-License-Identifier: Apache-2.0
#include "k8s/client/events.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/k8s/fake_clock.hpp"
#include "tests/support/k8s/scripted_api.hpp"

namespace valle::k8s {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Outcome = EventRecorder::Outcome;
using std::chrono::seconds;

class Recorder : public ::testing::Test {
 protected:
  Recorder() {
    for (int i = 0; i < 60; ++i) api_->then({.status = 201});
  }
  Outcome record(const std::string& note = "starts at 02:00", const std::string& job = "nightly") {
    const auto done = recorder_.record(event(note, job), {.deadline = clock_->now() + seconds{5}});
    EXPECT_TRUE(done);
    return done.value_or(Outcome::dropped);
  }
  static Event event(const std::string& note, const std::string& job = "nightly") {
    return {.subject = {"batch/v1", "Job", "lab", job, "uid-" + job, "7"},
            .reason = "CarbonPlanned",
            .note = note,
            .action = "Plan"};
  }
  std::shared_ptr<tests::ScriptedApi> api_ = std::make_shared<tests::ScriptedApi>();
  std::shared_ptr<tests::FakeClock> clock_ = std::make_shared<tests::FakeClock>();
  std::shared_ptr<Client> client_ =
      std::make_shared<Client>(api_, nullptr, clock_, ClientOptions{.rate = {1'000'000, 1'000'000}});
  EventRecorder recorder_{client_,
                          [] { return WallTime{seconds{1'800'000'000}}; },
                          {.instance = "valle-0", .most_remembered = 3, .burst = 2, .refill = seconds{300}}};
};

TEST_F(Recorder, writes_what_kubectl_describe_shows) {
  EXPECT_EQ(record(), Outcome::written);
  const Request request = api_->seen().at(0);
  EXPECT_THAT(request.target, StartsWith("/apis/events.k8s.io/v1/namespaces/lab/events?"));
  Json body = Json::parse(request.body);
  EXPECT_THAT(body["metadata"]["name"].get<std::string>(), StartsWith("nightly."));
  body["metadata"].erase("name");
  EXPECT_EQ(body, Json::parse(R"({"apiVersion":"events.k8s.io/v1","kind":"Event","metadata":{"namespace":"lab"},
    "eventTime":"2027-01-15T08:00:00.000000Z","reportingController":"valle.sh/valle","reportingInstance":"valle-0",
    "action":"Plan","reason":"CarbonPlanned","note":"starts at 02:00","type":"Normal",
    "regarding":{"apiVersion":"batch/v1","kind":"Job","namespace":"lab","name":"nightly","uid":"uid-nightly","resourceVersion":"7"}})"));
}

TEST_F(Recorder, what_repeats_itself_is_counted_at_doubling_steps) {
  std::vector<Outcome> outcomes;
  for (int i = 0; i < 9; ++i) outcomes.push_back(record());
  EXPECT_EQ(outcomes.front(), Outcome::written);
  EXPECT_EQ(std::count(outcomes.begin(), outcomes.end(), Outcome::counted), 8);
  const auto seen = api_->seen();
  ASSERT_EQ(seen.size(), 4U);  // once, then at 2, 4 and 8
  EXPECT_EQ(seen[3].method, "PATCH");
  EXPECT_EQ(Json::parse(seen[3].body)["series"],
            Json::parse(R"({"count":8,"lastObservedTime":"2027-01-15T08:00:00.000000Z"})"));
  EXPECT_EQ(seen[3].target.substr(0, seen[3].target.find('?')),
            "/apis/events.k8s.io/v1/namespaces/lab/events/" +
                Json::parse(seen[0].body)["metadata"]["name"].get<std::string>());
}

TEST_F(Recorder, a_series_ends_after_a_long_silence) {
  EXPECT_EQ(record(), Outcome::written);
  clock_->advance(seconds{361});
  EXPECT_EQ(record(), Outcome::written);
}

TEST_F(Recorder, a_flood_about_one_object_and_reason_is_dropped_and_counted) {
  EXPECT_EQ(record("1"), Outcome::written);
  EXPECT_EQ(record("2"), Outcome::written);
  EXPECT_EQ(record("3"), Outcome::dropped);
  EXPECT_EQ(record("1", "other"), Outcome::written) << "others are not made to pay";
  EXPECT_EQ(recorder_.dropped(), 1U);
  clock_->advance(seconds{300});
  EXPECT_EQ(record("4"), Outcome::written);
  EXPECT_EQ(record("5"), Outcome::dropped);
}

TEST_F(Recorder, forgets_what_was_unused_for_longest) {
  record("x", "a");
  record("x", "b");
  record("x", "c");
  record("x", "a");
  record("x", "d");  // b goes
  EXPECT_EQ(record("x", "a"), Outcome::counted);
  EXPECT_EQ(record("x", "b"), Outcome::written);
}

TEST_F(Recorder, long_texts_are_cut_between_characters) {
  std::string note(1023, 'x');
  record(note + "ñ");
  EXPECT_EQ(Json::parse(api_->seen().at(0).body)["note"], note);
  record("n", std::string(250, 'j'));
  EXPECT_EQ(Json::parse(api_->seen().at(1).body)["metadata"]["name"].get<std::string>().size(), 247U);
}

TEST_F(Recorder, what_belongs_to_the_cluster_is_told_in_default) {
  Event of_cluster = event("x");
  of_cluster.subject.space.clear();
  EXPECT_TRUE(recorder_.record(of_cluster, {.deadline = clock_->now() + seconds{5}}));
  EXPECT_THAT(api_->seen().at(0).target, HasSubstr("/namespaces/default/"));
}

TEST(RecorderFaults, an_event_that_is_gone_is_written_anew_and_a_failure_begins_a_new_series) {
  auto api = std::make_shared<tests::ScriptedApi>();
  auto clock = std::make_shared<tests::FakeClock>();
  api->then({.status = 201})
      .then_status(404, "NotFound")
      .then({.status = 201})
      .then_json("{}")
      .then_status(403, "Forbidden")
      .then({.status = 201});
  EventRecorder recorder{std::make_shared<Client>(api, nullptr, clock), [] { return WallTime{}; }, {}};
  const Event event{.subject = {"batch/v1", "Job", "lab", "j", "u"},
                    .type = Event::Type::warning,
                    .reason = "R",
                    .note = "n",
                    .action = "A"};
  const auto record = [&] { return recorder.record(event, {.deadline = clock->now() + seconds{5}}); };
  EXPECT_EQ(record(), Outcome::written);
  EXPECT_EQ(record(), Outcome::written) << "counted on an Event that had expired";
  EXPECT_EQ(record(), Outcome::counted);
  EXPECT_EQ(record(), Outcome::counted);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(record(), Outcome::counted);
  const auto failed = record();
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().kind, ApiError::Kind::forbidden);
  EXPECT_EQ(record(), Outcome::written);
  EXPECT_EQ(Json::parse(api->seen().at(0).body)["type"], "Warning");
}

}  // namespace
}  // namespace valle::k8s
