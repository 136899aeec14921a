// SPDX-License-Identifier: Apache-2.0
#include "service/runtime/spool.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace valle::service::runtime {
namespace {

[[noreturn]] void fail(const char* what) { throw std::system_error{errno, std::generic_category(), what}; }

}  // namespace

void Spool::append(std::string_view text) {
  memory_ += text;
  size_ += text.size();
  if (memory_.size() > k_in_memory) spill();
}

void Spool::spill() {
  if (!file_) {
    file_.reset(std::tmpfile());
    if (!file_) fail("a temporary file could not be made");
  }
  if (std::fwrite(memory_.data(), 1, memory_.size(), file_.get()) != memory_.size()) {
    fail("a temporary file could not be written");
  }
  memory_.clear();
}

bool Spool::next(std::string& piece) {
  if (read_ == size_) return false;
  if (!file_) {
    piece.assign(memory_, static_cast<std::size_t>(read_), k_piece);
    read_ += piece.size();
    return true;
  }
  if (read_ == 0) {
    spill();
    if (std::fflush(file_.get()) != 0) fail("a temporary file could not be written");
    std::rewind(file_.get());
  }
  piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(k_piece, size_ - read_)));
  if (std::fread(piece.data(), 1, piece.size(), file_.get()) != piece.size()) {
    fail("a temporary file could not be read");
  }
  read_ += piece.size();
  return true;
}

}  // namespace valle::service::runtime
