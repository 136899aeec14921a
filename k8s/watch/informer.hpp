// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "k8s/watch/reflector.hpp"
#include "scheduler/model/error.hpp"

namespace valle::k8s {

/// A cache of all objects of a kind that follows the API server by list and watch, on a thread of its own. Readers
/// never wait for the network. T is what is kept of an object; the JSON is not. Objects that cannot be read are counted
/// and passed over; the last readable form stays. All functions are safe from any thread but `start` and `stop`.
template <class T>
class Informer final : private ObjectSink {
 public:
  using Object = std::shared_ptr<const T>;
  using Parse = std::function<scheduler::Result<T>(const Json&)>;
  /// (before, now): null before is new, null now is gone. Called on the informer's thread after the cache has changed;
  /// it should only note the change and return. May be called again for the same state.
  using Handler = std::function<void(const Object& before, const Object& now)>;

  Informer(std::shared_ptr<Client> client, WatchOptions options, Parse parse, Handler handler = {})
      : parse_{std::move(parse)},
        handler_{std::move(handler)},
        reflector_{std::move(client), std::move(options), *this} {}
  ~Informer() override { stop(); }
  Informer(const Informer&) = delete;
  Informer& operator=(const Informer&) = delete;

  void start() {
    thread_ = std::jthread{[this](const std::stop_token& stop) { reflector_.run(stop); }};
  }
  /// Prompt: ends the watch and joins the thread. The cache stays readable.
  void stop() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
  }

  /// The object, or null. `space` is empty for cluster-scoped kinds.
  [[nodiscard]] Object get(std::string_view space, std::string_view name) const {
    const std::scoped_lock lock{mutex_};
    const auto found = objects_.find(key_of(space, name));
    return found == objects_.end() ? nullptr : found->second.object;
  }
  /// All, ordered by `namespace/name`.
  [[nodiscard]] std::vector<Object> snapshot() const {
    const std::scoped_lock lock{mutex_};
    std::vector<Object> all;
    all.reserve(objects_.size());
    for (const auto& [key, entry] : objects_) all.push_back(entry.object);
    return all;
  }
  [[nodiscard]] std::size_t size() const {
    const std::scoped_lock lock{mutex_};
    return objects_.size();
  }
  /// Everything was seen at least once.
  [[nodiscard]] bool synced() const {
    const std::scoped_lock lock{mutex_};
    return synced_;
  }
  /// Waits for `synced`; false if `stop` was requested first. For a deadline, request it from a timer.
  [[nodiscard]] bool wait_synced(std::stop_token stop) const {
    std::unique_lock lock{mutex_};
    return changed_.wait(lock, std::move(stop), [this] { return synced_; });
  }
  [[nodiscard]] WatchState state() const { return reflector_.state(); }

 private:
  struct Entry {
    std::string resource_version;
    Object object;
  };

  std::string put(const std::string& key, const std::string& resource_version, const Json& object) override {
    if (listing_) listed_.insert(key);
    if (is_same(key, resource_version)) return {};
    Object now;
    try {
      auto parsed = parse_(object);
      if (!parsed) return parsed.error().pointer + ": " + parsed.error().detail;
      now = std::make_shared<const T>(*std::move(parsed));
    } catch (const std::exception& problem) {
      return problem.what();
    }
    Object before;
    {
      const std::scoped_lock lock{mutex_};
      auto& entry = objects_[key];
      before = std::exchange(entry.object, now);
      entry.resource_version = resource_version;
    }
    if (handler_) handler_(before, now);
    return {};
  }

  void drop(const std::string& key) override {
    Object before;
    {
      const std::scoped_lock lock{mutex_};
      const auto found = objects_.find(key);
      if (found == objects_.end()) return;
      before = std::move(found->second.object);
      objects_.erase(found);
    }
    if (handler_) handler_(before, nullptr);
  }

  void list_begins() override {
    listing_ = true;
    listed_.clear();
  }

  void list_ends() override {
    std::vector<std::string> vanished;
    {
      const std::scoped_lock lock{mutex_};
      for (const auto& [key, entry] : objects_) {
        if (!listed_.contains(key)) vanished.push_back(key);
      }
    }
    for (const auto& key : vanished) drop(key);
    listing_ = false;
    listed_.clear();
    const std::scoped_lock lock{mutex_};
    synced_ = true;
    changed_.notify_all();
  }

  bool is_same(const std::string& key, const std::string& resource_version) const {
    const std::scoped_lock lock{mutex_};
    const auto found = objects_.find(key);
    return found != objects_.end() && !resource_version.empty() && found->second.resource_version == resource_version;
  }

  Parse parse_;
  Handler handler_;
  bool listing_ = false;          // on the informer's thread only
  std::set<std::string> listed_;  // likewise
  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  std::map<std::string, Entry> objects_;
  bool synced_ = false;
  Reflector reflector_;
  std::jthread thread_;  // last: ends first
};

}  // namespace valle::k8s
