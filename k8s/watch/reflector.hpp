// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "k8s/client/client.hpp"

namespace valle::k8s {

struct WatchOptions {
  Collection collection = {};
  Selection selection = {};
  /// A streaming list where the server offers it, else page by page; or page by page from the start.
  enum class Start { streaming, paged } start = Start::streaming;
  std::chrono::seconds shortest{300};  ///< a watch is asked to last between these two
  std::chrono::seconds longest{600};
  std::chrono::seconds grace{30};              ///< a stream that outlives its time by this much is given up
  std::chrono::seconds list_time{60};          ///< for a streaming list, or one page of a list
  std::chrono::milliseconds first_pause{800};  ///< after a failure; doubles with each, with jitter
  std::chrono::milliseconds longest_pause{30'000};
  std::uint64_t seed = 0;
};

/// How a watch fares, for metrics and messages.
struct WatchState {
  bool synced = false;  ///< the cache held everything at some time; stays true while the server is away
  std::string resource_version = {};
  std::optional<SteadyTime> last_contact = {};  ///< the last page, event or end of a stream that the server gave
  std::string last_error = {};                  ///< empty since the last success
  unsigned failures = 0;                        ///< in a row
  std::uint64_t lists = 0;                      ///< complete ones, the first included
  std::uint64_t watches = 0;                    ///< streams begun
  std::uint64_t events = 0;
  std::uint64_t stale_events = 0;  ///< duplicates and older ones, passed over
  std::uint64_t unparseable = 0;
  std::string last_unparseable = {};  ///< "lab/nightly: spec.suspend: expected true or false"
};

/// Whether resourceVersion `a` came after `b`. True for what is not a decimal number: such versions have no order.
[[nodiscard]] bool is_later(std::string_view a, std::string_view b);

/// `namespace/name`, or `name` of a cluster-scoped object.
[[nodiscard]] std::string key_of(std::string_view space, std::string_view name);

/// Receives the objects of a list and watch, on one thread at a time.
class ObjectSink {
 public:
  virtual ~ObjectSink() = default;
  /// A new or changed object. A text, what is wrong with it, if it cannot be read.
  [[nodiscard]] virtual std::string put(const std::string& key, const std::string& resource_version,
                                        const Json& object) = 0;
  virtual void drop(const std::string& key) = 0;
  /// Between these two, every object that exists is put once; whatever else is there at the end has vanished.
  virtual void list_begins() = 0;
  virtual void list_ends() = 0;
};

/// List and watch without end. Not for direct use: see Informer.
class Reflector final {
 public:
  Reflector(std::shared_ptr<Client> client, WatchOptions options, ObjectSink& sink);
  /// Returns once `stop` is requested.
  void run(std::stop_token stop);
  /// Safe from any thread.
  [[nodiscard]] WatchState state() const;

 private:
  struct Lines;  ///< what came of the lines of one stream
  [[nodiscard]] ApiResult<void> step(const std::stop_token& stop);
  [[nodiscard]] ApiResult<void> list_by_stream(const std::stop_token& stop);
  [[nodiscard]] ApiResult<void> list_by_pages(const std::stop_token& stop);
  [[nodiscard]] ApiResult<void> watch(const std::stop_token& stop);
  [[nodiscard]] ApiResult<void> follow(Query query, SteadyTime deadline, Lines& lines, const std::stop_token& stop);
  void take_event(std::string_view line, Lines& lines);
  void take_change(const std::string& type, const Json& object, const Lines& lines);
  void put(const Json& object);
  void listed(std::string version);
  void advance(std::string version);
  void note(const ApiResult<void>& outcome);
  void going_well();
  [[nodiscard]] std::chrono::milliseconds pause_after(const ApiError& error);
  [[nodiscard]] std::uint64_t random();

  std::shared_ptr<Client> client_;
  WatchOptions options_;
  ObjectSink& sink_;
  std::string version_;          ///< where the next watch begins; empty: list first
  bool stream_refused_ = false;  ///< this server gives no streaming lists
  std::size_t page_;             ///< objects in a page; less after one that was too large
  std::uint64_t random_;
  mutable std::mutex mutex_;
  WatchState state_;
};

}  // namespace valle::k8s
