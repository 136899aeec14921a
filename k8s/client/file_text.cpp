// SPDX-License-Identifier: Apache-2.0
#include "k8s/client/file_text.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <fstream>
#include <system_error>

namespace valle::k8s {

using scheduler::Errc;
using scheduler::refuse;

scheduler::Result<std::string> text_of_file(const std::filesystem::path& file) {
  errno = 0;
  std::ifstream stream{file, std::ios::binary};
  if (!stream) {
    return refuse(Errc::invalid_request, "cannot be read: " + std::generic_category().message(errno), file.string());
  }
  std::string text(k_largest_small_file + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad()) return refuse(Errc::invalid_request, "cannot be read", file.string());
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > k_largest_small_file) return refuse(Errc::invalid_request, "is larger than 1 MB", file.string());
  return text;
}

std::string fingerprint_of(const std::filesystem::path& file) {
  struct stat found {};
  if (file.empty() || stat(file.c_str(), &found) != 0) return {};
  std::string text;
  for (const auto part :
       {static_cast<long long>(found.st_ino), static_cast<long long>(found.st_size),
        static_cast<long long>(found.st_mtim.tv_sec), static_cast<long long>(found.st_mtim.tv_nsec)}) {
    text += std::to_string(part) + ',';
  }
  return text;
}

}  // namespace valle::k8s
