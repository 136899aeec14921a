// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scheduler/energy/estimate.hpp"
#include "scheduler/model/error.hpp"

namespace valle::connectors::energy {

/// What a public benchmark says that one query of a model costs. It is a prior for an estimate, never a measurement of
/// a job; boards only.
struct QueryPrior {
  std::string model = {};  ///< empty where the file does not name it
  std::string board = {};  ///< the accelerator's model, likewise
  scheduler::QueryEnergy each{};
  std::string source = {};  ///< `ai-energy-score`, `ml-energy`
};

/// AI Energy Score's `GPU_ENERGY_SUMMARY.json` (`units`, `total`) or `GPU_ENERGY_WH.txt` (one number in Wh): the
/// boards' energy of a task of `queries` queries, by its rules 1,000.
[[nodiscard]] scheduler::Result<QueryPrior> read_ai_energy_score(std::string_view text, std::int64_t queries = 1'000);

/// One result of the ML.ENERGY benchmark: `Model`, `GPU model` and the energy of one request, image or video in J.
[[nodiscard]] scheduler::Result<QueryPrior> read_ml_energy(std::string_view text);

}  // namespace valle::connectors::energy
