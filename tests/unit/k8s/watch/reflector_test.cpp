// SPDX-License-Identifier: Apache-2.0
// The protocol of list and watch against a script: what is asked, what reaches the cache, and what happens after
// failures.
#include "k8s/watch/reflector.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "k8s/client/discovery.hpp"
#include "tests/support/k8s/fake_clock.hpp"
#include "tests/support/k8s/scripted_api.hpp"
#include "tests/support/k8s/watch_lines.hpp"

namespace valle::k8s {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using tests::added;
using tests::bookmark;
using tests::deleted;
using tests::error_event;
using tests::initial_end;
using tests::modified;
using tests::page;

/// Writes down what it receives; objects named "odd" cannot be read.
class Diary final : public ObjectSink {
 public:
  std::string put(const std::string& key, const std::string& version, const Json&) override {
    if (key == "lab/odd") return "/spec: is odd";
    lines.push_back(key + '@' + version);
    return {};
  }
  void drop(const std::string& key) override { lines.push_back('-' + key); }
  void list_begins() override { lines.push_back("["); }
  void list_ends() override { lines.push_back("]"); }
  std::vector<std::string> lines;
};

class Watching : public ::testing::Test {
 protected:
  /// Plays the whole script.
  void run(WatchOptions options = {}) {
    options.collection = {resources::k_jobs, "lab"};
    reflector_ = std::make_unique<Reflector>(std::make_shared<Client>(api_, nullptr, clock_, ClientOptions{.page = 4}),
                                             options, diary_);
    reflector_->run(api_->finished.get_token());
  }
  std::string target(std::size_t at) const { return api_->seen().at(at).target; }
  std::shared_ptr<tests::ScriptedApi> api_ = std::make_shared<tests::ScriptedApi>();
  std::shared_ptr<tests::FakeClock> clock_ = std::make_shared<tests::FakeClock>();
  Diary diary_;
  std::unique_ptr<Reflector> reflector_;
};

constexpr WatchOptions::Start k_paged = WatchOptions::Start::paged;

TEST_F(Watching, a_streaming_list_comes_first_and_the_watch_begins_where_it_ended) {
  api_->then_lines({added("a", 5), added("b", 3), initial_end(7)}).then_lines({modified("a", 8), deleted("b", 9)});
  run();
  EXPECT_THAT(diary_.lines, ElementsAre("[", "lab/a@5", "lab/b@3", "]", "lab/a@8", "-lab/b"));
  EXPECT_THAT(target(0),
              HasSubstr("/apis/batch/v1/namespaces/lab/jobs?sendInitialEvents=true&resourceVersionMatch=NotOlderThan"));
  EXPECT_THAT(target(0), HasSubstr("watch=true&allowWatchBookmarks=true"));
  EXPECT_THAT(target(1), HasSubstr("resourceVersion=7&"));
  EXPECT_THAT(target(1), ::testing::Not(HasSubstr("sendInitialEvents")));
}

TEST_F(Watching, a_server_without_streaming_lists_is_asked_page_by_page) {
  api_->then_status(422, "Invalid",
                    "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled")
      .then_json(page({{"a", 1}, {"b", 2}}, 9, "t"))
      .then_json(page({{"c", 3}}, 9))
      .then_lines({added("d", 10)})
      .then_status(410, "Expired")
      .then_json(page({}, 30));
  run();
  EXPECT_THAT(diary_.lines, ElementsAre("[", "[", "lab/a@1", "lab/b@2", "lab/c@3", "]", "lab/d@10", "[", "]"));
  EXPECT_THAT(target(1), HasSubstr("limit=4"));
  EXPECT_THAT(target(2), HasSubstr("continue=t"));
  EXPECT_THAT(target(3), HasSubstr("resourceVersion=9&"));
  EXPECT_THAT(target(4), HasSubstr("resourceVersion=10&"));
  EXPECT_THAT(target(5), HasSubstr("limit=4")) << "once refused, streaming is not tried again";
  EXPECT_THAT(clock_->waits(), IsEmpty()) << "an expired version is remedied at once";
}

TEST_F(Watching, a_server_that_does_not_know_the_parameter_is_found_out) {
  api_->then_lines({added("a", 5), bookmark(6)}).then_json(page({{"a", 5}}, 6));
  run();
  EXPECT_THAT(diary_.lines, ElementsAre("[", "lab/a@5", "[", "lab/a@5", "]"));
}

TEST_F(Watching, a_streaming_list_that_is_cut_is_tried_again_as_such) {
  api_->then_cut({added("a", 5)}).then_lines({added("b", 6), initial_end(7)});
  run();
  EXPECT_THAT(diary_.lines, ElementsAre("[", "lab/a@5", "[", "lab/b@6", "]"));
  EXPECT_THAT(target(1), HasSubstr("sendInitialEvents"));
  EXPECT_EQ(clock_->waits().size(), 1U);
}

TEST_F(Watching, an_early_end_is_normal_and_resumes_from_the_last_version) {
  api_->then_json(page({}, 9)).then_lines({added("a", 10)}).then_lines({bookmark(25)}).then_lines({modified("a", 26)});
  run({.start = k_paged});
  EXPECT_THAT(target(2), HasSubstr("resourceVersion=10&"));
  EXPECT_THAT(target(3), HasSubstr("resourceVersion=25&"));
  EXPECT_EQ(reflector_->state().resource_version, "26");
  EXPECT_EQ(reflector_->state().lists, 1U);
  EXPECT_THAT(clock_->waits(), IsEmpty());
}

TEST_F(Watching, a_cut_stream_resumes_too_after_a_pause) {
  api_->then_json(page({}, 9)).then_cut({added("a", 10)}).then_cut({added("b", 11)}).then_lines({added("c", 12)});
  run({.start = k_paged});
  EXPECT_THAT(diary_.lines, ElementsAre("[", "]", "lab/a@10", "lab/b@11", "lab/c@12"));
  ASSERT_EQ(clock_->waits().size(), 2U);
  for (const auto wait : clock_->waits()) EXPECT_LE(wait, milliseconds{800}) << "each made progress";
}

TEST_F(Watching, an_error_event_of_410_lists_again) {
  api_->then_json(page({{"a", 1}}, 9))
      .then_lines({error_event(410, "Expired")})
      .then_json(page({{"b", 20}}, 21))
      .then_lines({added("c", 22)});
  run({.start = k_paged});
  EXPECT_THAT(diary_.lines, ElementsAre("[", "lab/a@1", "]", "[", "lab/b@20", "]", "lab/c@22"));
  EXPECT_EQ(reflector_->state().lists, 2U);
}

TEST_F(Watching, versions_that_expire_again_and_again_are_not_relisted_without_pause) {
  for (int i = 0; i < 4; ++i) api_->then_json(page({}, 9)).then_lines({error_event(410, "Gone")});
  run({.start = k_paged});
  EXPECT_EQ(clock_->waits().size(), 3U);
  EXPECT_GT(clock_->waits().back(), milliseconds{1'600 - 1});
}

TEST_F(Watching, an_expired_page_begins_the_list_again) {
  api_->then_json(page({{"a", 1}}, 9, "t")).then_status(410, "Expired").then_json(page({{"b", 2}}, 12));
  run({.start = k_paged});
  EXPECT_THAT(diary_.lines, ElementsAre("[", "lab/a@1", "[", "lab/b@2", "]"));
}

TEST_F(Watching, duplicates_and_older_events_pass_by) {
  api_->then_json(page({{"a", 8}}, 9))
      .then_lines({added("a", 8), modified("b", 10), modified("b", 10), modified("b", 9), deleted("b", 10), bookmark(4),
                   modified("c", 11)});
  run({.start = k_paged});
  EXPECT_THAT(diary_.lines, ElementsAre("[", "lab/a@8", "]", "lab/b@10", "lab/c@11"));
  EXPECT_EQ(reflector_->state().stale_events, 4U);
  EXPECT_EQ(reflector_->state().resource_version, "11");
}

TEST_F(Watching, objects_that_cannot_be_read_are_counted_and_passed_over) {
  api_->then_json(page({{"odd", 1}, {"a", 2}}, 9))
      .then_lines({modified("odd", 10), R"({"type":"ADDED","object":{}})", modified("a", 12)});
  run({.start = k_paged});
  EXPECT_THAT(diary_.lines, ElementsAre("[", "lab/a@2", "]", "lab/a@12"));
  EXPECT_EQ(reflector_->state().unparseable, 3U);
  EXPECT_EQ(reflector_->state().last_unparseable, ": has no name");
  EXPECT_EQ(reflector_->state().resource_version, "12");
}

TEST_F(Watching, a_line_that_is_no_event_lists_again) {
  for (const auto* odd : {"{", "[]", R"({"type":"NEWS","object":{}})", R"({"object":{}})"}) {
    api_->then_json(page({}, 9)).then_lines({odd});
  }
  api_->then_json(page({{"a", 1}}, 9));
  run({.start = k_paged});
  EXPECT_EQ(reflector_->state().lists, 5U);
}

TEST_F(Watching, an_event_beyond_the_limit_lists_again_and_pages_that_are_too_large_shrink) {
  api_->then_json(page({}, 9)).then_failure(TransportFailure::Kind::too_large);
  api_->then_failure(TransportFailure::Kind::too_large)
      .then_failure(TransportFailure::Kind::too_large)
      .then_json(page({}, 12));
  run({.start = k_paged});
  EXPECT_THAT(target(2), HasSubstr("limit=4"));
  EXPECT_THAT(target(3), HasSubstr("limit=2"));
  EXPECT_THAT(target(4), HasSubstr("limit=1"));
}

TEST_F(Watching, an_overloaded_server_is_left_alone_for_as_long_as_it_asks) {
  api_->then({.status = 429,
              .body = tests::ScriptedApi::status(429, "TooManyRequests"),
              .headers = {{"retry-after", "40"}}})
      .then_json(page({}, 1));
  run({.start = k_paged});
  EXPECT_THAT(clock_->waits(), ElementsAre(seconds{40}));
}

TEST_F(Watching, while_the_server_is_away_the_version_is_kept_and_the_pause_grows) {
  api_->then_json(page({}, 9));
  for (int i = 0; i < 12; ++i) api_->then_cut();
  api_->then_lines({added("a", 10)});
  run({.start = k_paged});
  EXPECT_THAT(target(13), HasSubstr("resourceVersion=9&"));
  EXPECT_EQ(reflector_->state().lists, 1U);
  const auto waits = clock_->waits();
  ASSERT_EQ(waits.size(), 12U);
  EXPECT_LE(waits.front(), milliseconds{800});
  EXPECT_GE(waits.back(), seconds{15});
  EXPECT_LE(waits.back(), seconds{30});
  EXPECT_EQ(reflector_->state().failures, 0U);
  EXPECT_EQ(reflector_->state().last_error, "");
}

TEST_F(Watching, a_version_that_the_server_refuses_again_and_again_is_given_up) {
  api_->then_json(page({}, 900));
  for (int i = 0; i < 5; ++i) api_->then_status(504, "Timeout", "Too large resource version");
  api_->then_json(page({}, 12)).then_lines({added("a", 13)});
  run({.start = k_paged});
  EXPECT_THAT(target(5), HasSubstr("resourceVersion=900&"));
  EXPECT_THAT(target(6), HasSubstr("limit="));
  EXPECT_THAT(target(7), HasSubstr("resourceVersion=12&"));
}

TEST_F(Watching, a_watch_that_ends_at_once_with_nothing_is_a_failure) {
  api_->then_json(page({}, 9)).then_lines({}).then_lines({});
  run({.start = k_paged});
  EXPECT_EQ(clock_->waits().size(), 2U);
  EXPECT_THAT(reflector_->state().last_error, HasSubstr("ended at once"));
}

TEST_F(Watching, selectors_go_with_list_and_watch) {
  api_->then_lines({initial_end(3)}).then_status(410, "Expired");
  run({.selection = {.labels = "a=b", .fields = "metadata.name=x"}});
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_THAT(target(i), HasSubstr("labelSelector=a%3Db&fieldSelector=metadata.name%3Dx"));
  }
}

TEST_F(Watching, watches_last_a_random_time_between_the_limits) {
  api_->then_json(page({}, 1));
  for (int i = 0; i < 20; ++i) api_->then_lines({bookmark(2 + i)});
  run({.start = k_paged, .seed = 3});
  std::set<std::string> times;
  for (std::size_t i = 1; i <= 20; ++i) {
    const std::string asked = target(i);
    const auto at = asked.find("timeoutSeconds=") + 15;
    const int time = std::stoi(asked.substr(at));
    EXPECT_GE(time, 300);
    EXPECT_LE(time, 600);
    EXPECT_EQ(api_->seen().at(i).deadline, clock_->now() + seconds{time + 30});
    times.insert(asked.substr(at, 3));
  }
  EXPECT_GT(times.size(), 10U);
}

TEST_F(Watching, a_list_without_a_version_is_no_list) {
  api_->then_json(R"({"metadata":{},"items":[]})").then_json(page({}, 4));
  run({.start = k_paged});
  EXPECT_EQ(reflector_->state().lists, 1U);
}

TEST(Versions, are_compared_as_numbers_where_they_are_numbers) {
  EXPECT_TRUE(is_later("10", "9"));
  EXPECT_FALSE(is_later("9", "10"));
  EXPECT_FALSE(is_later("10", "10"));
  EXPECT_TRUE(is_later("99999999999999999999999999", "5"));
  for (const auto* odd : {"", "abc", "0", "-1", "1e3"}) {
    EXPECT_TRUE(is_later(odd, "5")) << odd;
    EXPECT_TRUE(is_later("5", odd)) << odd;
  }
}

}  // namespace
}  // namespace valle::k8s
