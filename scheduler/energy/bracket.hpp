// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <tl/expected.hpp>

#include "scheduler/energy/board_points.hpp"

namespace valle::scheduler {

/// The wide bracket: the counter from well before the start to well after the end, less the idle energy outside the
/// run. The values' unknown age cancels, and runs shorter than a scrape are exact. Nothing (with the reason in
/// `refused`) if somebody else had the board near, the counter restarted, the samples do not reach, or the board was
/// not idle on both sides.
struct Bracket {
  double joules = 0;
  double uncertainty_joules = 0;
  double left_watts = 0;   ///< idle power before
  double right_watts = 0;  ///< and after
};
enum class BracketRefusal { out_of_reach, neighbour, restart, not_idle, no_busier_inside };
[[nodiscard]] tl::expected<Bracket, BracketRefusal> wide_bracket(const BoardPoints& points, const Span& ran,
                                                                 std::span<const Tenant> others,
                                                                 const BoardFacts& facts);

}  // namespace valle::scheduler
