// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "scheduler/ports/parallel.hpp"

namespace valle::service::runtime {

/// A named queue of work with a fixed number of threads and of waiting places: the store's writer (1 thread), its
/// readers (2), the connectors (4), the solver (1–2). First in, first out. Safe from any thread.
class WorkQueue final {
 public:
  struct Options {
    std::string name;  ///< also the threads' name
    std::size_t threads = 1;
    std::size_t capacity = 1024;  ///< work that waits; what runs is not counted
  };
  explicit WorkQueue(Options options);
  ~WorkQueue();  ///< drops what waits, requests stop, joins
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  /// False (and `work` is destroyed, so a Respond in it answers) when the queue is full or closed. Work that throws is
  /// logged at error and otherwise ignored. Dropped work is destroyed without running.
  [[nodiscard]] bool post(std::function<void()> work);

  /// Stop is requested by close(); long work looks at it.
  [[nodiscard]] std::stop_token stop_token() const;

  /// Takes no more work and requests stop.
  void close();
  /// Waits until nothing waits or runs, for at most `bound`; true if so. Not from this queue's own threads.
  bool wait_idle(std::chrono::milliseconds bound);

  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] std::size_t threads() const;
  [[nodiscard]] std::size_t waiting() const;
  /// Which of its queue's threads the caller is, 0…threads-1 (e.g. to pick its own database connection); 0 elsewhere.
  [[nodiscard]] static std::size_t this_thread_index();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Spreads work over the threads of a queue. The caller always takes part, so this also works from one of the queue's
/// threads, and when the queue is busy, full or closed. The first exception of the work is thrown again at the caller.
class QueueParallel final : public scheduler::Parallel {
 public:
  /// `queue` must outlive this.
  explicit QueueParallel(WorkQueue& queue) : queue_{queue} {}
  [[nodiscard]] std::size_t width() const override { return queue_.threads(); }
  void for_each(std::size_t count, const std::function<void(std::size_t)>& work) override;

 private:
  WorkQueue& queue_;
};

}  // namespace valle::service::runtime
