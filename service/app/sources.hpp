// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "connectors/retry/surroundings.hpp"
#include "scheduler/ports/intensity_source.hpp"
#include "service/runtime/config.hpp"

namespace valle::service::app {

/// The configured sources in their order; the bundled sample where none is configured. Refused
/// (`Errc::invalid_request`): a source without the token that its provider demands. Whether a token file can be read is
/// found when it is used, so that one bad file does not stop the other sources.
[[nodiscard]] scheduler::Result<std::vector<std::unique_ptr<scheduler::IntensitySource>>> make_sources(
    const runtime::Config& config, connectors::HttpTransport& transport, connectors::Waiter& waiter);

/// The plausible ranges of the configuration.
[[nodiscard]] connectors::Door make_door(const runtime::Config& config);

}  // namespace valle::service::app
