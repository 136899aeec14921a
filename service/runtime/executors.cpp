// SPDX-License-Identifier: Apache-2.0
#include "service/runtime/executors.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "scheduler/units/require.hpp"
#include "service/runtime/log.hpp"

namespace valle::service::runtime {

namespace {
thread_local std::size_t t_thread_index = 0;
}  // namespace

struct WorkQueue::State {
  explicit State(Options o) : options{std::move(o)} {}

  void run(std::size_t index) {
    t_thread_index = index;
    pthread_setname_np(pthread_self(), options.name.substr(0, 15).c_str());
    std::unique_lock lock{mutex};
    while (true) {
      something_to_do.wait(lock, [this] { return ending || !queue.empty(); });
      if (ending) return;
      std::function<void()> work = std::move(queue.front());
      queue.pop_front();
      ++running;
      lock.unlock();
      run_one(std::move(work));
      lock.lock();
      --running;
      if (queue.empty() && running == 0) idle.notify_all();
    }
  }

  /// Takes the work by value, so that what it holds is gone before the queue counts as idle.
  void run_one(std::function<void()> work) const {
    try {
      work();
    } catch (const std::exception& thrown) {
      log::error("work_threw", {{"queue", options.name}, {"what", thrown.what()}});
    } catch (...) {
      log::error("work_threw", {{"queue", options.name}});
    }
  }

  const Options options;
  std::stop_source stop;
  std::mutex mutex;
  std::condition_variable something_to_do;
  std::condition_variable idle;
  std::deque<std::function<void()>> queue;
  std::size_t running = 0;
  bool closed = false;
  bool ending = false;
  std::vector<std::jthread> threads;
};

WorkQueue::WorkQueue(Options options) : state_{std::make_unique<State>(std::move(options))} {
  scheduler::require(state_->options.threads > 0 && state_->options.capacity > 0, "a queue has threads and places");
  for (std::size_t i = 0; i < state_->options.threads; ++i) {
    state_->threads.emplace_back([state = state_.get(), i] { state->run(i); });
  }
}

WorkQueue::~WorkQueue() {
  std::deque<std::function<void()>> dropped;  // destroyed last, without the lock: a Respond in it answers
  {
    const std::scoped_lock lock{state_->mutex};
    state_->closed = state_->ending = true;
    dropped.swap(state_->queue);
  }
  state_->stop.request_stop();
  state_->something_to_do.notify_all();
  state_->threads.clear();
}

bool WorkQueue::post(std::function<void()> work) {
  {
    const std::scoped_lock lock{state_->mutex};
    if (state_->closed || state_->queue.size() >= state_->options.capacity) return false;
    state_->queue.push_back(std::move(work));
  }
  state_->something_to_do.notify_one();
  return true;
}

std::stop_token WorkQueue::stop_token() const { return state_->stop.get_token(); }

void WorkQueue::close() {
  {
    const std::scoped_lock lock{state_->mutex};
    state_->closed = true;
  }
  state_->stop.request_stop();
}

bool WorkQueue::wait_idle(std::chrono::milliseconds bound) {
  std::unique_lock lock{state_->mutex};
  return state_->idle.wait_for(lock, bound, [this] { return state_->queue.empty() && state_->running == 0; });
}

const std::string& WorkQueue::name() const { return state_->options.name; }

std::size_t WorkQueue::threads() const { return state_->options.threads; }

std::size_t WorkQueue::waiting() const {
  const std::scoped_lock lock{state_->mutex};
  return state_->queue.size();
}

std::size_t WorkQueue::this_thread_index() { return t_thread_index; }

namespace {

/// One for_each: indices are handed out one by one; helpers that come too late find none and touch nothing else.
struct Round {
  std::atomic<std::size_t> next{0};
  std::size_t count = 0;
  const std::function<void(std::size_t)>* work = nullptr;  ///< lives while an index below count is not done
  std::mutex mutex;
  std::condition_variable all_done;
  std::size_t done = 0;
  std::exception_ptr thrown;

  void take_part() {
    for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
      std::exception_ptr caught;
      try {
        (*work)(i);
      } catch (...) {
        caught = std::current_exception();
      }
      const std::scoped_lock lock{mutex};
      if (caught && !thrown) thrown = caught;
      if (++done == count) all_done.notify_all();
    }
  }
};

}  // namespace

void QueueParallel::for_each(std::size_t count, const std::function<void(std::size_t)>& work) {
  if (count == 0) return;
  const auto round = std::make_shared<Round>();
  round->count = count;
  round->work = &work;
  const std::size_t helpers = std::min(count, width()) - 1;
  for (std::size_t i = 0; i < helpers; ++i) {
    if (!queue_.post([round] { round->take_part(); })) break;
  }
  round->take_part();
  std::unique_lock lock{round->mutex};
  round->all_done.wait(lock, [&] { return round->done == round->count; });
  if (round->thrown) std::rethrow_exception(round->thrown);
}

}  // namespace valle::service::runtime
