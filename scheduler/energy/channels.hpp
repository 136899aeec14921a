// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/model/error.hpp"

namespace valle::scheduler {

/// Power domains of a processor overlap: psys holds package; package holds core and uncore (also pp0 and pp1) and every
/// channel of a single core. Memory (dram) is a domain of its own on servers, inside psys. Sums may only be made of
/// domains that do not hold each other.

/// Whether the energy of `inner` is part of that of `outer`.
[[nodiscard]] bool holds(std::string_view outer, std::string_view inner);

/// Refused with `invalid_request` if one of the chosen domains holds another, is unknown, or stands twice.
[[nodiscard]] Result<void> check_domains(std::span<const std::string> chosen);

/// One channel of a sensor: `package-0`, `core_3`, `dram`.
struct Channel {
  std::string name;
  double watts = 0;
};

/// Power of the processor from whatever channels it has: those that no other channel holds.
[[nodiscard]] double watts_of_outermost(std::span<const Channel> channels);

}  // namespace valle::scheduler
