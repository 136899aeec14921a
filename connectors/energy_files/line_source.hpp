// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <istream>
#include <string>
#include <string_view>

namespace valle::connectors::energy {

/// Hands out the lines of a file of any size without their ends (LF or CRLF) and without a byte order mark of UTF-8.
class LineSource final {
 public:
  LineSource(std::istream& file, std::size_t longest) : file_{file}, longest_{longest} {}
  /// The line is valid until the next call. A longer one than allowed is handed out cut, and `cut` says so.
  [[nodiscard]] bool next(std::string_view& line);
  [[nodiscard]] bool cut() const { return cut_; }
  /// Of the line handed out last, from 1.
  [[nodiscard]] std::size_t number() const { return number_; }

 private:
  [[nodiscard]] bool fill();

  std::istream& file_;
  std::size_t longest_;
  std::string block_ = {};
  std::size_t at_ = 0;
  std::string line_ = {};
  bool cut_ = false;
  std::size_t number_ = 0;
};

}  // namespace valle::connectors::energy
