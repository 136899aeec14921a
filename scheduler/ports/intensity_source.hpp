// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/model/reading.hpp"

namespace valle::scheduler {

/// What can be asked of a source.
enum class Signal { measured, forecast, price, grid_forecast };
[[nodiscard]] std::string_view to_text(Signal signal);

/// One question to a source. `wanted` is half-open; a source may return less, never more (rows outside are cut).
struct SourceRequest {
  Zone zone;
  Signal signal = Signal::measured;
  Interval wanted;
  Instant now;                                  ///< the clock, for sources that date what they read
  std::chrono::milliseconds time_left{10'000};  ///< what remains of the caller's deadline
};

/// How a request ended. Only `data` carries rows.
enum class Outcome {
  data,            ///< at least one usable row
  no_data,         ///< the provider has none, or none survived the door
  bad_answer,      ///< HTML, broken JSON, unequal arrays, wrong zone, sandbox data
  authentication,  ///< the key was refused (and is kept)
  not_covered,     ///< the plan includes neither this zone nor this call
  blocked,         ///< a firewall in front of the provider
  rate_limited,
  unavailable,    ///< 5xx, time-out, connection refused or cut
  not_offered,    ///< this source never has this signal or zone
  budget_spent,   ///< our own request budget forbids asking now
  misconfigured,  ///< retired address, unreadable token file
};
[[nodiscard]] std::string_view to_text(Outcome outcome);

struct SourceAnswer {
  Outcome outcome = Outcome::no_data;
  Harvest harvest = {};
  std::string detail = {};  ///< one sentence for people: why there is no data, or a remark on it; no secrets
  std::optional<std::chrono::seconds> retry_after = {};  ///< the provider's or our own wish
};

/// A provider of intensity, prices or grid forecasts. Blocking; called from the connectors' threads, possibly from
/// several at once. Never throws: a foreign exception ends inside.
class IntensitySource {
 public:
  virtual ~IntensitySource() = default;
  /// The contract's kind: `electricity-maps`, `esios`, `energy-charts`, `rte`, `files`, `sample`.
  [[nodiscard]] virtual std::string name() const = 0;
  /// Attribution and licence, as shown in answers and reports.
  [[nodiscard]] virtual std::string attribution() const = 0;
  [[nodiscard]] virtual bool offers(const Zone& zone, Signal signal) const = 0;
  /// Zones that this source is known to have without asking anybody: configured, named by files, or fixed. Empty where
  /// any zone may be asked.
  [[nodiscard]] virtual std::vector<Zone> known_zones() const { return {}; }
  /// An answer stays good until the next multiple of this since the epoch: the chain asks again no sooner. Zero: local
  /// and cheap, so asked each time.
  [[nodiscard]] virtual Duration refresh_interval() const { return std::chrono::hours{1}; }
  /// A cheap stamp that changes when the source has changed by itself (files); empty where only asking can tell.
  [[nodiscard]] virtual std::string stamp() const { return {}; }
  [[nodiscard]] virtual SourceAnswer fetch(const SourceRequest& request) = 0;
};

}  // namespace valle::scheduler
