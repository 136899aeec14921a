// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/model/problem.hpp"
#include "service/api/json_reader.hpp"

namespace valle::service::api {

/// Gives the intensity of a zone, one value a slot of `[start, start + slots · slot)`, for a site whose `gramsPerKwh`
/// is left out; refuses with `no-intensity-data` where any slot is unknown.
using IntensitySupply = std::function<scheduler::Result<std::vector<scheduler::CarbonIntensity>>(
    const scheduler::Zone& zone, const scheduler::Problem& grid)>;

/// For callers without a store: every site must bring its intensities.
[[nodiscard]] IntensitySupply no_intensity_supply();

/// Reads the problem of the contract's section 4, checked by `scheduler::validate`. Refusals carry the JSON pointer of
/// the member at fault. `grid` of the supply holds start, slot and slots. Defaults: slot one hour, pue 1, no capacity
/// limit; of a job: earliestStart the problem's start, sites all, homeSite the first of sites, priority 0. With
/// `duration` and `powerWatts` beside `modes`, these are one more mode: the first.
[[nodiscard]] scheduler::Result<scheduler::Problem> read_problem(const Json& document, const IntensitySupply& supply);
[[nodiscard]] scheduler::Result<scheduler::Problem> parse_problem(std::string_view text, const IntensitySupply& supply);

/// The same problem as JSON: read_problem(write_problem(p)) = p.
[[nodiscard]] std::string write_problem(const scheduler::Problem& problem);

}  // namespace valle::service::api
