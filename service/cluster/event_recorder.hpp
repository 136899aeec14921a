// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include "k8s/api/object_meta.hpp"
#include "k8s/client/client.hpp"
#include "k8s/reconcile/decision.hpp"
#include "service/runtime/clock.hpp"

namespace valle::service::cluster {

/// Writes Events about objects (`kubectl describe` shows them), in a thread of its own, after everything that matters
/// more. They are courtesies: where too many wait, or the API server refuses, they are dropped and counted in the log.
class EventRecorder final {
 public:
  EventRecorder(k8s::Client& client, const runtime::Clock& clock, std::string identity);
  ~EventRecorder();  ///< drops what waits
  EventRecorder(const EventRecorder&) = delete;
  EventRecorder& operator=(const EventRecorder&) = delete;

  /// About a batch/v1 Job. From any thread.
  void record(const k8s::ObjectMeta& job, const k8s::JobEvent& event);

 private:
  void run(const std::stop_token& stop);

  k8s::Client& client_;
  const runtime::Clock& clock_;
  const std::string identity_;
  std::mutex mutex_;
  std::condition_variable_any ready_;
  std::deque<k8s::Json> waiting_;
  std::uint64_t sequence_ = 0;
  std::jthread thread_;
};

}  // namespace valle::service::cluster
