// SPDX-License-Identifier: Apache-2.0
#include "k8s/client/transport.hpp"

#include <algorithm>

namespace valle::k8s {

std::optional<std::string_view> Response::header(std::string_view lower_case_name) const {
  const auto found =
      std::find_if(headers.begin(), headers.end(), [&](const auto& header) { return header.first == lower_case_name; });
  if (found == headers.end()) return std::nullopt;
  return found->second;
}

}  // namespace valle::k8s
