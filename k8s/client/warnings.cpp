// SPDX-License-Identifier: Apache-2.0
#include "k8s/client/warnings.hpp"

#include <cstddef>

namespace valle::k8s {
namespace {

constexpr std::size_t k_most_warnings = 32;

/// The quoted strings after `299 agent`; several warnings may share a header, each with an optional quoted date.
void read_values(std::string_view text, std::vector<std::string>& warnings) {
  while (warnings.size() < k_most_warnings) {
    const auto code = text.find("299 ");
    if (code == std::string_view::npos) return;
    const auto begin = text.find('"', code);
    if (begin == std::string_view::npos) return;
    std::string warning;
    std::size_t at = begin + 1;
    for (; at < text.size() && text[at] != '"'; ++at) {
      if (text[at] == '\\' && at + 1 < text.size()) ++at;
      warning += text[at];
    }
    warnings.push_back(std::move(warning));
    if (at >= text.size()) return;
    text.remove_prefix(at + 1);
  }
}

}  // namespace

std::vector<std::string> warnings_in(const Response& response) {
  std::vector<std::string> warnings;
  for (const auto& [name, value] : response.headers) {
    if (name == "warning") read_values(value, warnings);
  }
  return warnings;
}

}  // namespace valle::k8s
