// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "k8s/client/transport.hpp"

namespace valle::k8s {

/// Cuts a stream of bytes that comes in pieces into lines; blank ones are passed over. `\r` before the end is taken
/// off.
class LineSplitter final {
 public:
  explicit LineSplitter(std::size_t longest) : longest_{longest} {}

  enum class Outcome { more, enough, too_long };
  /// Hands on the lines that are whole by now.
  [[nodiscard]] Outcome feed(std::string_view bytes, const LineSink& line);
  /// The stream has ended as it should: what is left is a line too.
  [[nodiscard]] Outcome finish(const LineSink& line);

 private:
  std::size_t longest_;
  std::string begun_;  ///< of a line that has not ended yet
};

}  // namespace valle::k8s
