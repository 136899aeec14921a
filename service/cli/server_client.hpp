// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace valle::service::cli {

/// Asks a running valle and returns the body of its answer. Ends the command with the server's own error, told apart by
/// the code of its problem document, or with `source_unavailable` if nobody answers at `url`.
[[nodiscard]] std::string ask_server(const std::string& url, const std::string& path,
                                     const std::vector<std::pair<std::string, std::string>>& query);

}  // namespace valle::service::cli
