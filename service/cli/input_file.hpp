// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <fstream>
#include <string>

#include "scheduler/model/error.hpp"

namespace valle::service::cli {

/// A file of the user, ready to be read. Ends the command if it can't be.
[[nodiscard]] std::ifstream open_input(const std::string& path);

/// All of a file (or of a pipe). Ends the command if it can't be read or is longer than `largest_bytes`.
[[nodiscard]] std::string whole_input(const std::string& path, std::size_t largest_bytes);

/// An error with the file in front of its JSON pointer.
template <class T>
scheduler::Result<T> in_file(const std::string& path, scheduler::Result<T> result) {
  if (!result) result.error().pointer = path + (result.error().pointer.empty() ? "" : "#" + result.error().pointer);
  return result;
}

}  // namespace valle::service::cli
