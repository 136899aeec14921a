// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace valle::connectors {

/// All but letters, digits, `-`, `.`, `_` and `~` as %XX.
[[nodiscard]] std::string percent_encoded(std::string_view text);

/// Names and values percent-encoded and joined by `=` and `&`: what stands behind the `?`, and in the body of a form.
[[nodiscard]] std::string form_of(const std::vector<std::pair<std::string, std::string>>& query);

/// Base, path and encoded query joined with exactly the slashes and marks that belong between them.
[[nodiscard]] std::string address_of(std::string_view base_url, std::string_view path,
                                     const std::vector<std::pair<std::string, std::string>>& query);

}  // namespace valle::connectors
