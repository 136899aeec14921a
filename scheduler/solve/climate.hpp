// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "scheduler/solve/dual.hpp"
#include "scheduler/solve/prices.hpp"

namespace valle::scheduler::solving {

/// What all tasks tell about the heat of single ones.
struct Climate {
  std::vector<double> unit;    ///< typical price of each resource
  std::vector<double> room;    ///< of each task: what it holds, at typical prices
  std::vector<double> weight;  ///< of each task: how much hotter it is than the mean
  double dearest = 1;          ///< the largest penalty of any task
  Climate(const Instance& instance, const TaskList& tasks, const Prices& prices);
};

}  // namespace valle::scheduler::solving
