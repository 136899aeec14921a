// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "connectors/transport/http_transport.hpp"
#include "service/report/delivery.hpp"

namespace valle::service::report {

/// POSTs reports by `transport`, which must outlive what is returned. Any 2xx takes a report; the refusals never hold
/// the address, whose path is often a secret.
[[nodiscard]] Delivery::Send webhook_sender(connectors::HttpTransport& transport);

}  // namespace valle::service::report
