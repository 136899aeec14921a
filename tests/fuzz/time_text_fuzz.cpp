// SPDX-License-Identifier: Apache-2.0
// libFuzzer: whatever bytes are read as an instant or a duration must print as text that reads as the same.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "scheduler/units/require.hpp"
#include "scheduler/units/time.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace valle::scheduler;
  const std::string_view text{reinterpret_cast<const char*>(bytes), size};
  if (const auto instant = parse_instant(text, Fraction::up)) {
    require(parse_instant(format_instant(*instant)) == instant, "an instant does not print as itself");
  }
  if (const auto duration = parse_duration(text)) {
    require(parse_duration(format_duration(*duration)) == duration, "a duration does not print as itself");
  }
  return 0;
}
