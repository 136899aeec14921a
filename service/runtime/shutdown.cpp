// SPDX-License-Identifier: Apache-2.0
#include "service/runtime/shutdown.hpp"

#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "service/runtime/log.hpp"

namespace valle::service::runtime {

namespace {

sigset_t ending_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

struct Shutdown::State {
  /// sigwait in a thread of its own: it works however busy or stuck all others are, which the second signal needs.
  void watch() {
    const sigset_t set = ending_signals();
    while (true) {
      int signal = 0;
      if (sigwait(&set, &signal) != 0) continue;
      const std::scoped_lock lock{mutex};
      if (ending) return;
      if (signals++ > 0) _exit(128 + signal);
      reason = signal;
      asked.notify_all();
    }
  }

  void request() {
    const std::scoped_lock lock{mutex};
    if (!reason) reason = 0;
    asked.notify_all();
  }

  std::mutex mutex;
  std::condition_variable asked;
  std::optional<int> reason;
  int signals = 0;
  bool ending = false;
  std::thread watcher;
};

Shutdown::Shutdown() : state_{std::make_unique<State>()} {
  std::signal(SIGPIPE, SIG_IGN);
  const sigset_t set = ending_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  state_->watcher = std::thread{[state = state_.get()] { state->watch(); }};
}

Shutdown::~Shutdown() {
  {
    const std::scoped_lock lock{state_->mutex};
    state_->ending = true;
  }
  pthread_kill(state_->watcher.native_handle(), SIGTERM);
  state_->watcher.join();
}

int Shutdown::wait() {
  std::unique_lock lock{state_->mutex};
  state_->asked.wait(lock, [this] { return state_->reason.has_value(); });
  return *state_->reason;
}

void Shutdown::request() { state_->request(); }

void run_stop_steps(const std::vector<StopStep>& steps) {
  for (const StopStep& step : steps) {
    const auto begin = std::chrono::steady_clock::now();
    try {
      step.run();
    } catch (const std::exception& thrown) {
      log::error("stop_step_threw", {{"step", step.name}, {"what", thrown.what()}});
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    log::info("stopped", {{"step", step.name}, {"seconds", took.count()}});
  }
}

}  // namespace valle::service::runtime
