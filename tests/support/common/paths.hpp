// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace valle::tests {

/// The root of the sources, and the program as built. Known to one small source alone, so that all other test objects are
/// the same in every clone and come from the compiler's cache.
[[nodiscard]] std::filesystem::path source_folder();
[[nodiscard]] std::filesystem::path program();

}  // namespace valle::tests
