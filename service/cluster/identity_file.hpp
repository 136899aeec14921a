// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "service/cluster/certificate_maker.hpp"

namespace valle::service::cluster {

/// Certificate and key in one PEM file that lives in this process's memory alone: no disk ever holds the key, a
/// read-only file system will do, and nothing is left behind. Its path is for this process only. `put` replaces the
/// content in one step: whoever opens the path gets a whole old or a whole new file. One thread at a time.
class IdentityFile final {
 public:
  IdentityFile();  ///< empty
  ~IdentityFile();
  IdentityFile(const IdentityFile&) = delete;
  IdentityFile& operator=(const IdentityFile&) = delete;

  void put(const Identity& identity);
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  int file_;
  std::filesystem::path path_;
};

}  // namespace valle::service::cluster
