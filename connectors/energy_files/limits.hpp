// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace valle::connectors::energy {

/// No run of a job is longer or uses more: beyond, a row is broken.
inline constexpr double k_largest_kwh = 1e9;
inline constexpr double k_longest_seconds = 366.0 * 86'400;

}  // namespace valle::connectors::energy
