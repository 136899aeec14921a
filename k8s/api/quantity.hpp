// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "scheduler/model/problem.hpp"

namespace valle::k8s {

/// Reads a resource.Quantity (`500m`, `2`, `1.5Gi`, `2e3`, `100M`) exactly, rounded up to thousandths as Kubernetes
/// does for what it schedules. Nothing if it is malformed, negative or above 1e12.
[[nodiscard]] std::optional<scheduler::Amount> parse_quantity(std::string_view text);

}  // namespace valle::k8s
