// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace valle::service::runtime {

/// A text that is written once and then read once from its beginning, of any length: in memory while it is short, else
/// in a temporary file that has no name and goes with the process. Of one thread at a time.
class Spool final {
 public:
  static constexpr std::size_t k_in_memory = 4u << 20;
  static constexpr std::size_t k_piece = 256u << 10;

  /// Throws `std::system_error` if the disk for temporary files fails.
  void append(std::string_view text);
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// Replaces `piece` by what comes next, at most `k_piece` bytes; false after the end. Throws as `append` does.
  [[nodiscard]] bool next(std::string& piece);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void spill();

  std::string memory_;
  std::unique_ptr<std::FILE, Close> file_;
  std::uint64_t size_ = 0;
  std::uint64_t read_ = 0;
};

}  // namespace valle::service::runtime
