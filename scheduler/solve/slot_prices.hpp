// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduler/solve/prices.hpp"
#include "scheduler/solve/solve.hpp"

// Prices of granules and slots as the problem's words, and back.
namespace valle::scheduler::solving {

[[nodiscard]] SlotPrices published(const Problem& problem, const Instance& instance, const Prices& prices);

/// What an instance can use of earlier prices: rows of the sites and resources that it has. Slots behind those that
/// were known take the price of a day before.
[[nodiscard]] Prices taken_up(const Problem& problem, const Instance& instance, const SlotPrices& earlier);

}  // namespace valle::scheduler::solving
