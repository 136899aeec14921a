// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "service/cluster/board.hpp"
#include "service/cluster/event_writer.hpp"
#include "service/cluster/key_queue.hpp"
#include "service/cluster/objects.hpp"
#include "service/cluster/services.hpp"

namespace valle::service::cluster {

/// Brings objects to what the store's jobs want of them, in threads of its own: releases before everything else, what
/// failed again after a growing pause. Does nothing while this replica does not lead.
class Actor final {
 public:
  /// What else it works with, beside the services.
  struct Parts {
    const Board& board;
    const Objects& objects;
    EventWriter& events;
    std::function<bool()> leading;
    std::function<std::int64_t()> epoch;
  };
  Actor(const Services& services, Parts parts);
  ~Actor();  ///< stop()

  void start();
  void stop();
  /// Look at the object of that key. From any thread.
  void look(const std::string& key, bool urgent = false) { queue_.add(key, urgent); }
  void forget(const std::string& uid);

 private:
  void run(const std::stop_token& stop);
  /// False: look again after a pause.
  bool act(const std::string& key);
  bool perform(const HeldObject& object, const app::Job& job, const k8s::Action& action);
  [[nodiscard]] k8s::Decision decide(const app::Job& job, const HeldObject& object) const;
  /// A job that was released and has lost its quota waits again where that pays and time is left.
  [[nodiscard]] std::vector<k8s::Action> second_wait(const std::string& key, const app::Job& job);

  const Services& services_;
  Parts parts_;
  KeyQueue queue_;
  std::mutex mutex_;
  /// By uid, the version that our last write of an object made: older ones in the copies don't show it yet.
  std::map<std::string, std::string> written_version_;
  runtime::Family<runtime::Counter>& writes_;
  runtime::Family<runtime::Histogram>& lateness_;
  std::vector<std::jthread> threads_;
};

}  // namespace valle::service::cluster
