// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/model/error.hpp"
#include "scheduler/units/time.hpp"
#include "scheduler/units/units.hpp"

namespace valle::connectors::energy {

/// What one allocation of OpenCost held: a key to share idle energy by, no energy.
struct Allocation {
  std::string name = {};  ///< as aggregated: a pod, a namespace, a label
  std::string node = {};
  std::optional<scheduler::Interval> ran = {};
  double core_hours = 0;
  double board_hours = 0;
  double memory_gib_hours = 0;
};

/// Reads the answer of `GET /allocation`: `{code, data: [{name: {…}, …}, …]}`, one object a step of the window.
/// OpenCost's own rests (`__idle__`, `__unallocated__`, `__unmounted__`) are left out. Refused: an answer with another
/// code, or without data.
[[nodiscard]] scheduler::Result<std::vector<Allocation>> read_allocations(std::string_view body);

/// Each name's share of `energy`, by core hours; they sum to it exactly. Who held no core has no share.
[[nodiscard]] std::map<std::string, scheduler::Energy> shared_by_cores(scheduler::Energy energy,
                                                                       const std::vector<Allocation>& allocations);

/// Reads the answer of `GET /assets/carbon`: kg of CO2e by asset. What OpenCost gives as 0 is an instance that its
/// table does not know, so it is nothing here. For cross-checks only: a table by hours, no measurement.
[[nodiscard]] scheduler::Result<std::map<std::string, std::optional<double>>> read_asset_carbon(std::string_view body);

}  // namespace valle::connectors::energy
