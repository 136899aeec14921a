// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstdlib>

namespace valle::scheduler {

/// An assertion for programmer errors, on in every build: says what was broken and aborts.
/// Expected refusals use `Result`; a broken world (disk, file) throws.
constexpr void require(bool holds, const char* what) {
  if (!holds) {
    std::fprintf(stderr, "valle: broken invariant: %s\n", what);
    std::abort();
  }
}

}  // namespace valle::scheduler
