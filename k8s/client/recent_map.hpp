// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <list>
#include <string>
#include <unordered_map>
#include <utility>

namespace valle::k8s {

/// A map that never holds more than `most` entries: the one that was used longest ago goes first.
template <class Value>
class RecentMap final {
 public:
  explicit RecentMap(std::size_t most) : most_{most} {}

  /// The value, now the most recently used; null if there is none.
  [[nodiscard]] Value* find(const std::string& key) {
    const auto found = places_.find(key);
    if (found == places_.end()) return nullptr;
    order_.splice(order_.begin(), order_, found->second);
    return &found->second->second;
  }
  Value& put(const std::string& key, Value value) {
    erase(key);
    order_.emplace_front(key, std::move(value));
    places_[key] = order_.begin();
    if (order_.size() > most_) {
      places_.erase(order_.back().first);
      order_.pop_back();
    }
    return order_.front().second;
  }
  void erase(const std::string& key) {
    const auto found = places_.find(key);
    if (found == places_.end()) return;
    order_.erase(found->second);
    places_.erase(found);
  }
  [[nodiscard]] std::size_t size() const { return order_.size(); }

 private:
  using Order = std::list<std::pair<std::string, Value>>;
  std::size_t most_;
  Order order_;
  std::unordered_map<std::string, typename Order::iterator> places_;
};

}  // namespace valle::k8s
