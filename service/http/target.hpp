// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scheduler/model/error.hpp"
#include "service/http/message.hpp"

namespace valle::service::http {

/// A request target (`/v1/jobs/a%20b/?wait=60s`) taken apart and decoded.
struct Target {
  std::vector<std::string> segments;  ///< {"v1", "jobs", "a b"}; a trailing slash leaves nothing, `//` an empty one
  Pairs query;
};

/// Reads origin form (`/…`) and absolute form (`http://host/…`). Refused with invalid_request and a position: anything
/// else, a bad percent escape, bytes that are not UTF-8, and control characters. `+` in a query is a blank; but a blank
/// where only the sign of an offset can stand (`2021-06-10T06:00:00 02:00`) is read as `+`.
[[nodiscard]] scheduler::Result<Target> parse_target(std::string_view target);

/// Decodes `%41` (and `+` as a blank where `plus_is_blank`), refused as above.
enum class Plus { literal, blank };
[[nodiscard]] scheduler::Result<std::string> percent_decode(std::string_view text, Plus plus);

}  // namespace valle::service::http
