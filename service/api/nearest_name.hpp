// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace valle::service::api {

/// The known name that a reader most probably meant: equal but for case, `_` and `-`, or at most two typing slips
/// away (one in names of up to four letters). Nothing if none is near; the first on a tie.
[[nodiscard]] std::optional<std::string_view> nearest_name(std::string_view name,
                                                           std::span<const std::string_view> known);

}  // namespace valle::service::api
