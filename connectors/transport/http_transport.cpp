// SPDX-License-Identifier: Apache-2.0
#include "connectors/transport/http_transport.hpp"

#include <algorithm>

namespace valle::connectors {

std::optional<std::string_view> HttpReply::header(std::string_view lower_case_name) const {
  const auto found =
      std::find_if(headers.begin(), headers.end(), [&](const auto& h) { return h.first == lower_case_name; });
  return found == headers.end() ? std::nullopt : std::optional<std::string_view>{found->second};
}

}  // namespace valle::connectors
