// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <thread>

#include "service/cluster/key_queue.hpp"
#include "service/cluster/objects.hpp"
#include "service/cluster/services.hpp"

namespace valle::service::cluster {

/// Answers Kueue's AdmissionChecks with controllerName `valle.sh/carbon-check`, where somebody has made one: says that
/// they have a controller, and answers each Workload with Ready at once, for a check that is pending holds quota. What
/// should wait waits by other means; see Actor. In a thread of its own, as leader only.
class CheckAnswers final {
 public:
  CheckAnswers(const Services& services, const Objects& objects, std::function<bool()> leading);
  ~CheckAnswers();  ///< stop()
  CheckAnswers(const CheckAnswers&) = delete;
  CheckAnswers& operator=(const CheckAnswers&) = delete;

  void start();
  void stop();
  /// An AdmissionCheck has changed; from any thread, like the next one.
  void look_at_check(const std::string& name) { queue_.add("check/" + name); }
  void look_at_workload(const std::string& key) { queue_.add("workload/" + key); }
  /// Everything, after taking over.
  void look_at_all();

 private:
  void run(const std::stop_token& stop);
  bool answer(const std::string& key, const std::stop_token& stop);

  const Services& services_;
  const Objects& objects_;
  std::function<bool()> leading_;
  KeyQueue queue_;
  std::jthread thread_;
};

}  // namespace valle::service::cluster
