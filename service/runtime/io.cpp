// SPDX-License-Identifier: Apache-2.0
#include "service/runtime/io.hpp"

#include <pthread.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

#include "service/runtime/log.hpp"

namespace valle::service::runtime {

struct Io::State {
  explicit State(std::size_t count) : context{static_cast<int>(count)}, guard{context.get_executor()} {}

  void run() {
    pthread_setname_np(pthread_self(), "valle-io");
    while (true) {
      try {
        context.run();
        return;
      } catch (const std::exception& thrown) {
        log::error("io_work_threw", {{"what", thrown.what()}});
      }
    }
  }

  boost::asio::io_context context;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard;
  std::vector<std::jthread> threads;
};

Io::Io(std::size_t threads) : state_{std::make_unique<State>(threads)} {
  for (std::size_t i = 0; i < threads; ++i) {
    state_->threads.emplace_back([state = state_.get()] { state->run(); });
  }
}

Io::~Io() { stop(); }

void Io::post(std::function<void()> work) { boost::asio::post(state_->context, std::move(work)); }

void Io::stop() {
  state_->context.stop();
  state_->threads.clear();
}

boost::asio::io_context& Io::context() { return state_->context; }

}  // namespace valle::service::runtime
