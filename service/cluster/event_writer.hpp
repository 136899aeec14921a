// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "k8s/client/events.hpp"
#include "k8s/reconcile/decision.hpp"
#include "service/cluster/held_object.hpp"

namespace valle::service::cluster {

/// Writes Events about jobs (`kubectl describe` shows them) in a thread of its own, after everything that matters more.
/// They are courtesies: where too many wait, or the API server refuses, they are dropped and that is logged.
class EventWriter final {
 public:
  EventWriter(std::shared_ptr<k8s::Client> client, k8s::WallClock wall, std::string identity);
  ~EventWriter();  ///< drops what waits
  EventWriter(const EventWriter&) = delete;
  EventWriter& operator=(const EventWriter&) = delete;

  /// From any thread.
  void write(const HeldObject& about, const k8s::JobEvent& event);

 private:
  void run(const std::stop_token& stop);

  std::shared_ptr<k8s::Client> client_;
  k8s::EventRecorder recorder_;
  std::mutex mutex_;
  std::condition_variable_any ready_;
  std::deque<k8s::Event> waiting_;
  std::jthread thread_;
};

}  // namespace valle::service::cluster
