// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "connectors/door/door.hpp"
#include "connectors/retry/waiter.hpp"
#include "connectors/transport/http_transport.hpp"

namespace valle::connectors {

/// What every provider's client needs from the program that holds it. `transport` and `waiter` outlive the client.
struct Surroundings {
  HttpTransport& transport;
  Waiter& waiter;
  Door door = {};
  std::uint64_t jitter_seed = 1;  ///< spreads retries of several instances
};

}  // namespace valle::connectors
