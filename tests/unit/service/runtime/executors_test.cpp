// SPDX-License-Identifier: Apache-2.0
#include "service/runtime/executors.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <future>
#include <memory>
#include <latch>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "service/runtime/log.hpp"

namespace valle::service::runtime {
namespace {

using namespace std::chrono_literals;

/// Occupies one thread of a queue until it is let go.
class Blocker {
 public:
  explicit Blocker(WorkQueue& queue) {
    const bool taken = queue.post([latches = latches_] {
      latches->begun.count_down();
      latches->go.wait();
    });
    EXPECT_TRUE(taken);
    if (taken) latches_->begun.wait();
  }
  ~Blocker() { release(); }
  void release() {
    if (!std::exchange(released_, true)) latches_->go.count_down();
  }

 private:
  struct Latches {
    std::latch begun{1};
    std::latch go{1};
  };
  std::shared_ptr<Latches> latches_ = std::make_shared<Latches>();  // the work may still be in wait() when we end
  bool released_ = false;
};

TEST(WorkQueue, one_thread_runs_its_work_in_order) {
  std::vector<int> order;
  WorkQueue queue{{.name = "store"}};
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(queue.post([&order, i] { order.push_back(i); }));
  ASSERT_TRUE(queue.wait_idle(10s));
  std::vector<int> expected(100);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(order, expected);
}

TEST(WorkQueue, refuses_work_beyond_its_places_and_destroys_it) {
  WorkQueue queue{{.name = "small", .threads = 1, .capacity = 2}};
  Blocker blocker{queue};
  EXPECT_TRUE(queue.post([] {}));
  EXPECT_TRUE(queue.post([] {}));
  auto held = std::make_shared<int>(0);
  EXPECT_FALSE(queue.post([held] {}));
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(queue.waiting(), 2u);
  EXPECT_FALSE(queue.wait_idle(0ms));
  blocker.release();
  EXPECT_TRUE(queue.wait_idle(10s));
  EXPECT_EQ(queue.waiting(), 0u);
}

TEST(WorkQueue, closing_refuses_new_work_asks_running_work_to_stop_and_finishes_what_waits) {
  WorkQueue queue{{.name = "solver"}};
  std::atomic<bool> last_ran = false;
  std::latch begun{1};
  ASSERT_TRUE(queue.post([&, stop = queue.stop_token()] {
    begun.count_down();
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock{mutex};
    wake.wait(lock, stop, [] { return false; });
  }));
  ASSERT_TRUE(queue.post([&] { last_ran = true; }));
  begun.wait();
  queue.close();
  EXPECT_FALSE(queue.post([] {}));
  EXPECT_TRUE(queue.wait_idle(10s));
  EXPECT_TRUE(last_ran);
}

TEST(WorkQueue, ending_drops_what_still_waits_without_running_it) {
  auto held = std::make_shared<int>(0);
  bool ran = false;
  {
    WorkQueue queue{{.name = "short"}};
    std::latch begun{1};
    ASSERT_TRUE(queue.post([&, stop = queue.stop_token()] {
      begun.count_down();
      while (!stop.stop_requested()) std::this_thread::yield();
    }));
    begun.wait();
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(queue.post([held, &ran] { ran = true; }));
  }
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_FALSE(ran);
}

TEST(WorkQueue, outlives_work_that_throws) {
  std::string line;
  log::set_sink([&](std::string_view text) { line = text; });
  WorkQueue queue{{.name = "store"}};
  ASSERT_TRUE(queue.post([] { throw std::runtime_error{"disk full"}; }));
  std::promise<void> ran;
  ASSERT_TRUE(queue.post([&] { ran.set_value(); }));
  ran.get_future().get();
  ASSERT_TRUE(queue.wait_idle(10s));
  log::set_sink({});
  EXPECT_EQ(line, "error event=work_threw queue=store what=\"disk full\"");
}

TEST(WorkQueue, tells_its_threads_apart) {
  WorkQueue queue{{.name = "readers", .threads = 3}};
  std::mutex mutex;
  std::set<std::size_t> seen;
  std::latch all{3};
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(queue.post([&] {
      {
        const std::scoped_lock lock{mutex};
        seen.insert(WorkQueue::this_thread_index());
      }
      all.arrive_and_wait();
    }));
  }
  ASSERT_TRUE(queue.wait_idle(10s));
  EXPECT_EQ(seen, (std::set<std::size_t>{0, 1, 2}));
}

std::vector<int> times_each_ran(QueueParallel& parallel, std::size_t count) {
  std::vector<std::atomic<int>> ran(count);
  parallel.for_each(count, [&](std::size_t i) { ++ran[i]; });
  return {ran.begin(), ran.end()};
}

TEST(QueueParallel, runs_each_index_once_whatever_the_queue_is_doing) {
  WorkQueue queue{{.name = "solver", .threads = 2, .capacity = 1}};
  QueueParallel parallel{queue};
  EXPECT_EQ(parallel.width(), 2u);
  const std::vector<int> once(1000, 1);
  EXPECT_EQ(times_each_ran(parallel, 1000), once);
  EXPECT_EQ(times_each_ran(parallel, 0), std::vector<int>{});
  ASSERT_TRUE(queue.wait_idle(10s));  // a helper that came too late may still wait
  {
    Blocker first{queue};
    Blocker second{queue};
    EXPECT_EQ(times_each_ran(parallel, 1000), once) << "all threads busy";
    (void)queue.post([] {});
    EXPECT_EQ(times_each_ran(parallel, 1000), once) << "no place left";
  }
  queue.close();
  EXPECT_EQ(times_each_ran(parallel, 1000), once) << "closed";
}

TEST(QueueParallel, works_from_a_thread_of_the_queue_itself_and_nested) {
  WorkQueue queue{{.name = "solver", .threads = 1}};
  QueueParallel parallel{queue};
  std::promise<int> total;
  ASSERT_TRUE(queue.post([&] {
    std::atomic<int> sum = 0;
    parallel.for_each(10, [&](std::size_t) { parallel.for_each(10, [&](std::size_t) { ++sum; }); });
    total.set_value(sum);
  }));
  EXPECT_EQ(total.get_future().get(), 100);
}

TEST(QueueParallel, throws_the_works_exception_at_the_caller_after_all_have_run) {
  WorkQueue queue{{.name = "solver", .threads = 2}};
  QueueParallel parallel{queue};
  std::atomic<int> ran = 0;
  EXPECT_THROW(parallel.for_each(50,
                                 [&](std::size_t i) {
                                   ++ran;
                                   if (i == 7) throw std::runtime_error{"seven"};
                                 }),
               std::runtime_error);
  EXPECT_EQ(ran, 50);
}

}  // namespace
}  // namespace valle::service::runtime
