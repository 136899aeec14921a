// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "k8s/client/transport.hpp"

namespace valle::k8s {

/// The texts of a response's `Warning: 299 - "…"` headers, 32 at most.
[[nodiscard]] std::vector<std::string> warnings_in(const Response& response);

}  // namespace valle::k8s
