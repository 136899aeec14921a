// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/energy/figure.hpp"
#include "scheduler/units/time.hpp"

/// Energy that other tools have measured or modelled, as they wrote it down. What is taken is energy before PUE; the
/// tools' carbon never is: it rests on a guessed country or one yearly constant.
namespace valle::connectors::energy {

/// What a tool says about one run of one program.
struct ToolRun {
  std::string id = {};                          ///< the tool's own id of the run; may be empty
  std::string project = {};                     ///< what its user called it: how it is matched with a job
  std::optional<scheduler::Interval> ran = {};  ///< nothing where the tool does not tell when
  double seconds = 0;                           ///< how long, by the tool's own clock
  /// One for each boundary at most; of unknown quality where the tool failed to see a part of what was used.
  std::vector<scheduler::EnergyFigure> figures = {};
  // Parts of the figure, where the tool tells them apart.
  std::optional<scheduler::Energy> processor = {};
  std::optional<scheduler::Energy> boards = {};  ///< nothing where there are boards whose energy is not known
  std::optional<scheduler::Energy> memory = {};
  std::optional<scheduler::Energy> partial = {};  ///< the sum of what was seen, where that is not the whole
  std::int64_t epochs = 0;                        ///< of a training, where the tool counts them
  /// False where the run contradicts itself or was not seen whole: it must not teach the estimates.
  bool teaches = true;
  std::size_t line = 0;  ///< in the file, from 1
};

struct RefusedRow {
  std::size_t line = 0;
  std::string reason;
  friend bool operator==(const RefusedRow&, const RefusedRow&) = default;
};

/// What became of a file's rows.
struct ReadSummary {
  std::size_t taken = 0;
  std::size_t refused = 0;
  std::vector<RefusedRow> first_refused = {};  ///< the first `k_most_refused_kept`
  void refuse(std::size_t line, std::string reason);
};
inline constexpr std::size_t k_most_refused_kept = 100;

/// Gets the runs in the order of the file.
using TakeRun = std::function<void(ToolRun run)>;

}  // namespace valle::connectors::energy
