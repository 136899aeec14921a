// SPDX-License-Identifier: Apache-2.0
#include "service/http/message.hpp"

#include <algorithm>

#include "scheduler/units/require.hpp"

namespace valle::service::http {

std::optional<std::string_view> Request::header(std::string_view lower_case_name) const {
  const auto found = std::ranges::find(headers, lower_case_name, [](const auto& pair) { return pair.first; });
  if (found == headers.end()) return std::nullopt;
  return found->second;
}

const std::string& Request::path_parameter(std::string_view name) const {
  const auto found = std::ranges::find(path_parameters, name, [](const auto& pair) { return pair.first; });
  scheduler::require(found != path_parameters.end(), "the route's pattern has this parameter");
  return found->second;
}

}  // namespace valle::service::http
