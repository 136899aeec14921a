// SPDX-License-Identifier: Apache-2.0
#include "service/runtime/shutdown.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <vector>

#include "service/runtime/log.hpp"

namespace valle::service::runtime {
namespace {

// Signals belong to the whole process, so each story runs in a child.

TEST(ShutdownDeathTest, the_first_signal_is_waited_for) {
  EXPECT_EXIT(
      {
        Shutdown shutdown;
        kill(getpid(), SIGTERM);
        _exit(shutdown.wait() == SIGTERM ? 42 : 1);
      },
      testing::ExitedWithCode(42), "");
}

TEST(ShutdownDeathTest, a_second_signal_ends_the_process_at_once) {
  EXPECT_EXIT(
      {
        Shutdown shutdown;
        kill(getpid(), SIGINT);
        shutdown.wait();
        kill(getpid(), SIGINT);
        while (true) pause();
      },
      testing::ExitedWithCode(128 + SIGINT), "");
}

TEST(ShutdownDeathTest, the_end_can_be_asked_for_from_inside) {
  EXPECT_EXIT(
      {
        int reason = -1;
        {
          Shutdown shutdown;
          shutdown.request();
          reason = shutdown.wait();
        }
        _exit(reason == 0 ? 42 : 1);
      },
      testing::ExitedWithCode(42), "");
}

TEST(StopSteps, run_in_order_even_after_one_that_throws) {
  std::vector<std::string> lines;
  log::set_sink([&](std::string_view line) { lines.emplace_back(line); });
  std::vector<int> ran;
  run_stop_steps({{"listener", [&] { ran.push_back(1); }},
                  {"queues", [] { throw std::runtime_error{"stuck"}; }},
                  {"store", [&] { ran.push_back(3); }}});
  log::set_sink({});
  EXPECT_THAT(ran, testing::ElementsAre(1, 3));
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[1], "error event=stop_step_threw step=queues what=stuck");
  EXPECT_THAT(lines[3], testing::StartsWith("info event=stopped step=store seconds="));
}

}  // namespace
}  // namespace valle::service::runtime
