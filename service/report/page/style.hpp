// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace valle::service::report {

/// The page's style sheet, for screens of any width and for A4.
[[nodiscard]] std::string_view style();

}  // namespace valle::service::report
