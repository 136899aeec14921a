// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "connectors/door/door.hpp"
#include "connectors/esios/parse.hpp"
#include "connectors/esios/technologies.hpp"

/// The intensity of a grid from what each technology generates. Pure.
namespace valle::connectors::esios {

/// Mean power of each whole hour. An hour is there only if every step of it is: never averaged from the part that
/// happens to be known.
[[nodiscard]] std::map<scheduler::Instant, scheduler::Power> hourly_means(const Indicator& indicator);

/// The largest share of the mix, in ppm, that a technology (by its indicator) was seen to carry of late.
using SeenShares = std::map<int, std::int64_t>;

struct Mix {
  scheduler::Harvest harvest;
  SeenShares seen;  ///< for the next time
};

/// For each hour that ended by `now`: Σ MWᵢ·factorᵢ / Σ MWᵢ over technologies that generate (> 0). An hour in which a
/// technology is missing that carried `k_share_that_counts_ppm` of the mix in the other hours or by `seen` is
/// `incomplete`, not clean. `generation` holds no entry for an indicator without any data. Lifecycle, average,
/// production.
[[nodiscard]] Mix intensity_of_mix(const std::map<int, Indicator>& generation, const SeenShares& seen,
                                   const scheduler::Zone& zone, scheduler::Instant now, const Door& door);

}  // namespace valle::connectors::esios
