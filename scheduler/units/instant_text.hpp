// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "scheduler/units/time.hpp"

namespace valle::scheduler {

/// Appends what `format_instant` gives, for those who write many.
void append_instant(std::string& text, Instant instant);

}  // namespace valle::scheduler
