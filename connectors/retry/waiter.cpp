// SPDX-License-Identifier: Apache-2.0
#include "connectors/retry/waiter.hpp"

namespace valle::connectors {

bool InterruptibleWaiter::wait(std::chrono::milliseconds pause) {
  std::unique_lock lock{mutex_};
  return !stopped_.wait_for(lock, pause, [this] { return stopping_; });
}

std::chrono::milliseconds InterruptibleWaiter::elapsed() const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch());
}

void InterruptibleWaiter::interrupt() {
  const std::scoped_lock lock{mutex_};
  stopping_ = true;
  stopped_.notify_all();
}

}  // namespace valle::connectors
