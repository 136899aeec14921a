// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace valle::k8s {

/// Bytes as objects carry them (`data` of a Secret, `caBundle`): base64 without line ends.
[[nodiscard]] std::string encoded_base64(const std::string& bytes);
/// Blanks and line ends in between are passed over. Nothing where it is empty or not base64.
[[nodiscard]] std::optional<std::string> decoded_base64(std::string text);

}  // namespace valle::k8s
