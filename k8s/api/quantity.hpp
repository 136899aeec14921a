// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "k8s/api/json_access.hpp"
#include "scheduler/model/problem.hpp"

namespace valle::k8s {

/// Reads a resource.Quantity (`500m`, `2`, `1.5Gi`, `2e3`, `100M`) exactly, rounded up to thousandths as Kubernetes
/// does for what it schedules. Nothing if it is malformed, negative or above 1e15.
[[nodiscard]] std::optional<scheduler::Amount> parse_quantity(std::string_view text);
/// The same of a JSON value: a text, or a number as older clients write it.
[[nodiscard]] std::optional<scheduler::Amount> quantity_of(const Json& value);

/// Sum and product that stop at the largest amount: what users ask for must not overflow.
[[nodiscard]] scheduler::Amount added(scheduler::Amount a, scheduler::Amount b);
[[nodiscard]] scheduler::Amount multiplied(scheduler::Amount amount, std::int64_t times);

}  // namespace valle::k8s
