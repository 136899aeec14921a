// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace valle::service::app {

/// What `/readyz` waits for beside data. Set once by whoever fetches; safe from any thread.
struct Readiness {
  std::atomic<bool> first_round_over{false};  ///< every source was asked once, however it ended
  std::atomic<bool> webhook_waits{false};     ///< its listener is not up yet: there is no certificate
  std::atomic<bool> stopping{false};          ///< shutdown has begun: no new work, please
};

}  // namespace valle::service::app
