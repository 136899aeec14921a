// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "service/http/router.hpp"
#include "service/runtime/clock.hpp"
#include "service/runtime/executors.hpp"

namespace valle::service::api {

/// What a test clock's route needs. All must outlive the router.
struct TestClockServices {
  runtime::TestClock& clock;
  runtime::WorkQueue& advancing;  ///< a thread of its own: it waits for what the other queues do
  std::function<void()> settle;   ///< waits until the work that an instant set off is done
};

/// `GET` and `POST /test/clock {"now": T}`: lives through everything that is due until then, and answers when it is
/// done.
void add_test_clock_routes(http::Router& router, const TestClockServices& services);

}  // namespace valle::service::api
