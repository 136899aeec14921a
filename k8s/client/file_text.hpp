// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "scheduler/model/error.hpp"

namespace valle::k8s {

inline constexpr std::size_t k_largest_small_file = 1u << 20;

/// The whole of a file; `Errc::invalid_request` with the file as pointer if it cannot be read or is larger than 1 MB.
[[nodiscard]] scheduler::Result<std::string> text_of_file(const std::filesystem::path& file);

/// Changes whenever the file is written, replaced, or its symbolic link is turned, as mounted Secrets are. Empty if it
/// is not there.
[[nodiscard]] std::string fingerprint_of(const std::filesystem::path& file);

}  // namespace valle::k8s
