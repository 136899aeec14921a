// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace valle::service::http {

/// Well-formed UTF-8: no overlong form, surrogate, or code point above U+10FFFF (Unicode 15, table 3-7).
[[nodiscard]] bool is_utf8(std::string_view text);

}  // namespace valle::service::http
