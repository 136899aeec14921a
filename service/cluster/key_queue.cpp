// SPDX-License-Identifier: Apache-2.0
#include "service/cluster/key_queue.hpp"

#include <algorithm>

namespace valle::service::cluster {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds k_first_pause{100};
constexpr milliseconds k_longest_pause{10'000};

}  // namespace

void KeyQueue::place(const std::string& key, bool urgent) {
  if (working_.contains(key)) {
    again_[key] = again_[key] || urgent;
    return;
  }
  const auto [found, is_new] = waiting_.try_emplace(key, urgent);
  if (!is_new && (found->second || !urgent)) return;
  // A key that becomes urgent leaves its old place behind, which is skipped when it comes up.
  found->second = urgent;
  (urgent ? urgent_ : ordinary_).push_back(key);
  ready_.notify_one();
}

void KeyQueue::add(const std::string& key, bool urgent) {
  const std::scoped_lock lock{mutex_};
  place(key, urgent);
}

void KeyQueue::add_later(const std::string& key) {
  const std::scoped_lock lock{mutex_};
  auto& pause = pauses_.try_emplace(key, k_first_pause).first->second;
  later_.emplace(Clock::now() + pause, key);
  pause = std::min(pause * 2, k_longest_pause);
  ready_.notify_one();
}

void KeyQueue::forget(const std::string& key) {
  const std::scoped_lock lock{mutex_};
  pauses_.erase(key);
}

void KeyQueue::wake_delayed(Clock::time_point now) {
  while (!later_.empty() && later_.begin()->first <= now) {
    const std::string key = later_.begin()->second;
    later_.erase(later_.begin());
    place(key, true);
  }
}

bool KeyQueue::wait(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    wake_delayed(Clock::now());
    if (!waiting_.empty()) return true;
    const auto until = later_.empty() ? Clock::now() + milliseconds{1'000} : later_.begin()->first;
    ready_.wait_until(lock, stop, until, [this] { return !waiting_.empty(); });
  }
  return false;
}

std::optional<std::string> KeyQueue::take(const std::stop_token& stop) {
  std::unique_lock lock{mutex_};
  while (wait(lock, stop)) {
    for (auto* queue : {&urgent_, &ordinary_}) {
      while (!queue->empty()) {
        std::string key = std::move(queue->front());
        queue->pop_front();
        if (waiting_.erase(key) == 0) continue;
        working_.insert(key);
        return key;
      }
    }
  }
  return {};
}

std::vector<std::string> KeyQueue::take_all(std::size_t most, const std::stop_token& stop) {
  std::unique_lock lock{mutex_};
  std::vector<std::string> keys;
  if (!wait(lock, stop)) return keys;
  for (auto* queue : {&urgent_, &ordinary_}) {
    while (!queue->empty() && keys.size() < most) {
      std::string key = std::move(queue->front());
      queue->pop_front();
      if (waiting_.erase(key) != 0) keys.push_back(std::move(key));
    }
  }
  return keys;
}

void KeyQueue::done(const std::string& key) {
  const std::scoped_lock lock{mutex_};
  working_.erase(key);
  if (const auto asked = again_.find(key); asked != again_.end()) {
    const bool urgent = asked->second;
    again_.erase(asked);
    place(key, urgent);
  }
}

std::size_t KeyQueue::size() const {
  const std::scoped_lock lock{mutex_};
  return waiting_.size() + later_.size();
}

}  // namespace valle::service::cluster
