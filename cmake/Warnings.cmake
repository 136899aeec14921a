# SPDX-License-Identifier: Apache-2.0
# Our own code compiles without a warning; foreign headers come in as SYSTEM. Two kinds of warning come out of Boost's
# inlined code, and only with some optimisations and sanitizers: they are shown there, but stop nothing.
add_library(valle_warnings INTERFACE)
target_compile_options(valle_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror
  $<$<CONFIG:Release>:-Wno-error=maybe-uninitialized>
  $<$<NOT:$<CONFIG:Release>>:-Wno-error=maybe-uninitialized;-Wno-error=mismatched-new-delete>)
