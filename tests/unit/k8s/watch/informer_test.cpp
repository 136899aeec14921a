// SPDX-License-Identifier: Apache-2.0
#include "k8s/watch/informer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "k8s/client/discovery.hpp"
#include "tests/support/k8s/fake_clock.hpp"
#include "tests/support/k8s/scripted_api.hpp"
#include "tests/support/k8s/watch_lines.hpp"

namespace valle::k8s {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tests::added;
using tests::deleted;
using tests::initial_end;
using tests::modified;
using tests::page;

struct Thing {
  std::string name;
  std::string note;
};

/// Notes "bad" and "worse" cannot be read, the second with an exception.
scheduler::Result<Thing> parse_thing(const Json& json) {
  Thing thing{json.at("metadata").at("name").get<std::string>(), json.value("note", "")};
  if (thing.note == "bad") return scheduler::refuse(scheduler::Errc::invalid_request, "is bad", "/note");
  if (thing.note == "worse") throw std::runtime_error{"thrown"};
  return thing;
}

class Cache : public ::testing::Test {
 protected:
  using Things = Informer<Thing>;
  /// Plays the whole script and stops.
  void run() {
    informer_ = std::make_unique<Things>(std::make_shared<Client>(api_, nullptr, clock_),
                                         WatchOptions{.collection = {resources::k_jobs, "lab"}}, parse_thing,
                                         [this](const Things::Object& before, const Things::Object& now) {
                                           const auto text = [](const Things::Object& thing) {
                                             return thing ? thing->name + thing->note : std::string{"-"};
                                           };
                                           // The cache has already changed when the handler is told.
                                           const auto& name = now ? now->name : before->name;
                                           EXPECT_EQ(informer_->get("lab", name), now);
                                           changes_.push_back(text(before) + ">" + text(now));
                                         });
    informer_->start();
    api_->wait_for_end();
    informer_->stop();
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& thing : informer_->snapshot()) all.push_back(thing->name + thing->note);
    return all;
  }
  std::shared_ptr<tests::ScriptedApi> api_ = std::make_shared<tests::ScriptedApi>();
  std::shared_ptr<tests::FakeClock> clock_ = std::make_shared<tests::FakeClock>();
  std::vector<std::string> changes_;  // by the informer's thread, read after it was joined
  std::unique_ptr<Things> informer_;
};

TEST_F(Cache, follows_what_the_server_says) {
  api_->then_lines({added("b", 1, "1"), added("a", 2), initial_end(3)})
      .then_lines({modified("b", 4, "2"), added("c", 5), deleted("a", 6)});
  run();
  EXPECT_THAT(names(), ElementsAre("b2", "c"));
  EXPECT_THAT(changes_, ElementsAre("->b1", "->a", "b1>b2", "->c", "a>-"));
  EXPECT_TRUE(informer_->synced());
  EXPECT_EQ(informer_->size(), 2U);
  EXPECT_EQ(informer_->get("lab", "a"), nullptr);
  EXPECT_EQ(informer_->get("", "b"), nullptr);
}

TEST_F(Cache, is_not_synced_before_the_first_list_is_whole) {
  api_->then_cut({added("a", 1)});
  run();
  EXPECT_FALSE(informer_->synced());
  EXPECT_EQ(informer_->size(), 1U);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(informer_->wait_synced(stop.get_token()));
}

TEST_F(Cache, a_relist_reports_what_has_vanished_and_not_what_is_the_same) {
  api_->then_lines({added("a", 1), added("b", 2), added("c", 3), initial_end(3)})
      .then_status(410, "Expired")
      .then_lines({added("b", 2), added("c", 9, "new"), added("d", 8), initial_end(9)});
  run();
  EXPECT_THAT(names(), ElementsAre("b", "cnew", "d"));
  EXPECT_THAT(changes_, ElementsAre("->a", "->b", "->c", "c>cnew", "->d", "a>-"));
}

TEST_F(Cache, a_list_that_broke_off_reports_no_deletions) {
  api_->then_lines({added("a", 1), added("b", 2), initial_end(3)})
      .then_status(410, "Expired")
      .then_cut({added("b", 2)});
  run();
  EXPECT_THAT(names(), ElementsAre("a", "b"));
  EXPECT_TRUE(informer_->synced()) << "what was known stays usable while the server is away";
}

TEST_F(Cache, an_object_that_cannot_be_read_keeps_its_last_readable_form) {
  api_->then_lines({added("a", 1, "good"), added("x", 2, "bad"), initial_end(3)})
      .then_lines({modified("a", 4, "bad"), modified("a", 5, "worse")})
      .then_status(410, "Expired")
      .then_lines({added("a", 5, "worse"), initial_end(6)})
      .then_lines({modified("a", 7, "fine")});
  run();
  EXPECT_THAT(names(), ElementsAre("afine"));
  EXPECT_THAT(changes_, ElementsAre("->agood", "agood>afine"));
  EXPECT_EQ(informer_->state().unparseable, 4U);
  EXPECT_THAT(informer_->state().last_unparseable, HasSubstr("lab/a: thrown"));
}

TEST_F(Cache, a_reader_keeps_its_object_while_the_cache_moves_on) {
  api_->then_lines({added("a", 1, "old"), initial_end(1)}).then_lines({modified("a", 2, "new")});
  std::shared_ptr<const Thing> kept;
  informer_ = std::make_unique<Things>(std::make_shared<Client>(api_, nullptr, clock_),
                                       WatchOptions{.collection = {resources::k_jobs}}, parse_thing,
                                       [&](const Things::Object& before, const Things::Object&) {
                                         if (before) kept = before;
                                       });
  informer_->start();
  api_->wait_for_end();
  informer_->stop();
  EXPECT_EQ(kept->note, "old");
  EXPECT_EQ(informer_->get("lab", "a")->note, "new");
}

TEST_F(Cache, may_be_stopped_without_having_been_started_and_twice) {
  Things informer{std::make_shared<Client>(api_, nullptr, clock_), {.collection = {resources::k_jobs}}, parse_thing};
  informer.stop();
  informer.start();
  api_->wait_for_end();
  informer.stop();
  informer.stop();
}

TEST(Key, is_namespace_and_name_or_the_name_alone) {
  EXPECT_EQ(key_of("lab", "a"), "lab/a");
  EXPECT_EQ(key_of("", "a"), "a");
}

}  // namespace
}  // namespace valle::k8s
