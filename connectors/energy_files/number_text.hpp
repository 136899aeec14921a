// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace valle::connectors::energy {

/// Whether a comma in a number stands for the decimal point.
enum class DecimalComma {
  never_meant,  ///< fields are parted by commas: only where it cannot part thousands ("0,042", "12,5")
  always_meant  ///< fields are parted by something else
};

/// A finite number; nothing for empty, `nan`, `inf`, and anything else.
[[nodiscard]] std::optional<double> number_of(std::string_view text, DecimalComma comma = DecimalComma::never_meant);

}  // namespace valle::connectors::energy
