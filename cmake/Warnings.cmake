# SPDX-License-Identifier: Apache-2.0
# Our own code compiles without a warning; foreign headers come in as SYSTEM.
add_library(valle_warnings INTERFACE)
target_compile_options(valle_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror
  $<$<CONFIG:Release>:-Wno-error=maybe-uninitialized>)
