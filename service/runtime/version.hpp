// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace valle::service::runtime {

/// The program's version, as in CHANGELOG.md.
[[nodiscard]] constexpr std::string_view version() { return VALLE_VERSION; }

}  // namespace valle::service::runtime
