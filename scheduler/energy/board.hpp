// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "scheduler/energy/board_points.hpp"
#include "scheduler/energy/reading.hpp"

namespace valle::scheduler {

/// A board's energy of one run: the bracket where it holds, for a group of tenants that shared the board split in their
/// proportion, else in proportion. Nothing if the samples do not touch the run.
[[nodiscard]] std::optional<Reading> read_board(const BoardPoints& points, const BoardQuestion& question);

}  // namespace valle::scheduler
