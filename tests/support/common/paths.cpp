// SPDX-License-Identifier: Apache-2.0
#include "tests/support/common/paths.hpp"

namespace valle::tests {

std::filesystem::path source_folder() { return VALLE_SOURCE_DIR; }
std::filesystem::path program() { return VALLE_PROGRAM; }

}  // namespace valle::tests
