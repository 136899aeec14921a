// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "connectors/retry/surroundings.hpp"
#include "scheduler/ports/energy_meter.hpp"
#include "service/runtime/config.hpp"

namespace valle::service::app {

/// The meter of the configuration's `energy:`. Refused with the setting that is wrong. `transport` and `waiter` outlive
/// it.
[[nodiscard]] scheduler::Result<std::unique_ptr<scheduler::EnergyMeter>> make_meter(
    const runtime::EnergyConfig& config, connectors::HttpTransport& transport, connectors::Waiter& waiter);

}  // namespace valle::service::app
