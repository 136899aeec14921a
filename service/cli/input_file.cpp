// SPDX-License-Identifier: Apache-2.0
#include "service/cli/input_file.hpp"

#include <array>

#include "service/cli/command.hpp"

namespace valle::service::cli {

using scheduler::Errc;

std::ifstream open_input(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  if (!file) throw CommandFailed{{Errc::invalid_request, "can't be read", path}};
  return file;
}

std::string whole_input(const std::string& path, std::size_t largest_bytes) {
  std::ifstream file = open_input(path);
  std::string text;
  std::array<char, 1 << 16> piece{};
  while (file.read(piece.data(), piece.size()) || file.gcount() > 0) {
    text.append(piece.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > largest_bytes) {
      throw CommandFailed{{Errc::too_large, "is longer than " + std::to_string(largest_bytes >> 20) + " MiB", path}};
    }
  }
  if (file.bad()) throw CommandFailed{{Errc::invalid_request, "can't be read", path}};
  return text;
}

}  // namespace valle::service::cli
