// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/account/run.hpp"
#include "scheduler/energy/figure.hpp"

namespace valle::scheduler {

/// One attempt that has ended: what did its pods use?
struct MeterQuestion {
  Interval ran;                ///< by the ledger's clock
  std::vector<PodOfRun> pods;  ///< all of the attempt; without pods there is nothing to measure by
};

/// What a meter must know besides.
struct MeterSurroundings {
  Instant now;
  /// Everybody in the ledger who ran near the questions' time, the questions' own pods included: who else had a board
  /// decides how its energy can be told apart.
  std::span<const PodOfRun> tenants = {};
  std::chrono::milliseconds time_left{60'000};  ///< what remains of the caller's deadline
  bool tokens = false;                          ///< whether `MeterAnswer::tokens` is wanted: one query more
};

enum class MeterOutcome {
  measured,     ///< at least one figure with a number
  no_data,      ///< the source answered and has nothing about this attempt: unknown, not zero
  unavailable,  ///< the source is away, slow, or answers nonsense: worth asking again later. Figures that came with it
                ///< stand, others are missing
  refused,      ///< the source will never answer this (bad address, no permission): for people to mend
};

/// Tokens that an attempt's inference server generated, and the energy of the same seconds as one boundary saw it: its
/// quotient is what a token takes. Restarts of the server are left out of both.
struct TokenFigure {
  EnergyBoundary boundary = EnergyBoundary::board;
  std::string model = {};
  double tokens = 0;
  double joules = 0;
  friend bool operator==(const TokenFigure&, const TokenFigure&) = default;
};

struct MeterAnswer {
  MeterOutcome outcome = MeterOutcome::no_data;
  std::vector<EnergyFigure> figures = {};  ///< one for each boundary at most
  std::vector<TokenFigure> tokens = {};    ///< if wanted, where a server counted them: one for each boundary and model
  /// Boards that the source saw with pods of whom the ledger did not know it: pod UID, board UUID.
  std::vector<std::pair<std::string, std::string>> boards_learnt = {};
  std::string detail = {};  ///< one sentence for people: why there is no figure, or a remark on it; no secrets
};

/// Reads from outside what finished attempts have used. Blocking; called from the connectors' threads, one call at a
/// time. Never throws: a foreign exception ends inside.
class EnergyMeter {
 public:
  virtual ~EnergyMeter() = default;
  /// `prometheus`, `zeusd`, …
  [[nodiscard]] virtual std::string name() const = 0;
  /// How long after its end an attempt can be measured best; before that, last samples may be missing.
  [[nodiscard]] virtual Duration settles_after() const = 0;
  /// One answer a question, in the questions' order. Large calls are split inside as the source bears it.
  [[nodiscard]] virtual std::vector<MeterAnswer> measure(std::span<const MeterQuestion> questions,
                                                         const MeterSurroundings& surroundings) = 0;
};

}  // namespace valle::scheduler
