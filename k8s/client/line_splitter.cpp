// SPDX-License-Identifier: Apache-2.0
#include "k8s/client/line_splitter.hpp"

#include <utility>

namespace valle::k8s {
namespace {

LineSplitter::Outcome hand_on(std::string_view text, const LineSink& line) {
  if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  if (text.empty() || line(text) == Flow::more) return LineSplitter::Outcome::more;
  return LineSplitter::Outcome::enough;
}

}  // namespace

LineSplitter::Outcome LineSplitter::feed(std::string_view bytes, const LineSink& line) {
  for (;;) {
    const auto end = bytes.find('\n');
    const auto piece = bytes.substr(0, end);
    if (begun_.size() + piece.size() > longest_) return Outcome::too_long;
    if (end == std::string_view::npos) {
      begun_ += piece;
      return Outcome::more;
    }
    Outcome outcome = Outcome::more;
    if (begun_.empty()) {
      outcome = hand_on(piece, line);
    } else {
      begun_ += piece;
      outcome = hand_on(begun_, line);
      begun_.clear();
    }
    if (outcome != Outcome::more) return outcome;
    bytes.remove_prefix(end + 1);
  }
}

LineSplitter::Outcome LineSplitter::finish(const LineSink& line) {
  const std::string rest = std::exchange(begun_, {});
  return hand_on(rest, line);
}

}  // namespace valle::k8s
