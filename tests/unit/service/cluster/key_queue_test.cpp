// SPDX-License-Identifier: Apache-2.0
#include "service/cluster/key_queue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace valle::service::cluster {
namespace {

using testing::ElementsAre;

std::string next(KeyQueue& queue) { return queue.take({}).value_or("nothing"); }

TEST(KeyQueue, gives_each_key_once_and_urgent_ones_first) {
  KeyQueue queue;
  for (const char* key : {"a", "b", "a", "c"}) queue.add(key);
  queue.add("c", true);
  queue.add("b", true);
  EXPECT_EQ(next(queue), "c");
  EXPECT_EQ(next(queue), "b");
  EXPECT_EQ(next(queue), "a");
  EXPECT_EQ(queue.size(), 0U);
}

TEST(KeyQueue, does_not_give_out_what_is_worked_on_until_it_is_done) {
  KeyQueue queue;
  queue.add("a");
  EXPECT_EQ(next(queue), "a");
  queue.add("a");
  queue.add("b");
  EXPECT_EQ(next(queue), "b");
  EXPECT_EQ(queue.size(), 0U);
  queue.done("a");
  EXPECT_EQ(next(queue), "a");
}

TEST(KeyQueue, takes_all_up_to_a_number) {
  KeyQueue queue;
  for (const char* key : {"a", "b", "c"}) queue.add(key);
  EXPECT_THAT(queue.take_all(2, {}), ElementsAre("a", "b"));
  EXPECT_THAT(queue.take_all(2, {}), ElementsAre("c"));
}

TEST(KeyQueue, gives_nothing_once_stopped) {
  KeyQueue queue;
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(queue.take(stop.get_token()));
  EXPECT_TRUE(queue.take_all(5, stop.get_token()).empty());
}

TEST(KeyQueue, brings_a_failed_key_back_after_a_pause) {
  KeyQueue queue;
  queue.add("a");
  EXPECT_EQ(next(queue), "a");
  queue.add_later("a");
  queue.done("a");
  EXPECT_EQ(next(queue), "a");
}

}  // namespace
}  // namespace valle::service::cluster
