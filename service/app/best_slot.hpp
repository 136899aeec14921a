// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/query/best_slot.hpp"
#include "service/app/intensity_book.hpp"
#include "service/app/percent.hpp"
#include "service/app/places.hpp"

namespace valle::service::app {

/// The limits of a best-slot question.
inline constexpr scheduler::Duration k_longest_run = std::chrono::days{30};
inline constexpr scheduler::Duration k_default_wait = std::chrono::days{7};
inline constexpr scheduler::Duration k_longest_wait = std::chrono::days{3660};
inline constexpr std::size_t k_most_options = 24;

/// The contract's best-slot request as plain values. What is not given is missing here, too.
struct BestSlotRequest {
  scheduler::Duration duration{};                         ///< 1 s … 30 days
  std::optional<scheduler::Instant> earliest_start = {};  ///< default now
  // At most one of the three.
  std::optional<scheduler::Instant> finish_by = {};
  std::optional<scheduler::Instant> latest_start = {};
  std::optional<scheduler::Duration> max_wait = {};
  std::vector<scheduler::Zone> zones = {};   ///< empty: all
  std::optional<scheduler::Zone> home = {};  ///< default the first zone
  // At most one of the two; default 1 kWh in all.
  std::optional<scheduler::Energy> energy = {};
  std::optional<scheduler::Power> power = {};
  std::size_t options = 3;
  Percent least_saving{};  ///< a smaller saving is not worth waiting for
  std::optional<scheduler::Interruption> interruption = {};
};

/// The members that stand in each other's way or are out of range, by the contract's pointers (`/maxWait`).
[[nodiscard]] scheduler::Result<void> check(const BestSlotRequest& request);

/// What a run saves against running now at home. Negative where it is worse.
struct Saving {
  scheduler::Emissions emissions{};
  Percent share{};
  friend bool operator==(const Saving&, const Saving&) = default;
};

/// One possible run with its place and price.
struct Run {
  scheduler::Zone zone;
  std::optional<std::string> site;  ///< nothing if sites are configured and none lies in the zone
  scheduler::Slot slot;
  std::optional<Saving> saving = {};  ///< against run-now, where that is known
  std::optional<scheduler::EnergyPrice> price = {};
  std::optional<scheduler::Money> cost = {};
};

struct ZoneWithout {
  scheduler::Zone zone;
  std::string reason;
};

struct BestSlotAnswer {
  Run best;  ///< run-now where waiting saves less than asked for
  std::vector<Run> options;
  std::optional<Run> run_now;  ///< at home at the earliest start; nothing if the home zone is not known then
  std::optional<Run> worst;    ///< nothing for an interruptible job
  std::vector<std::pair<scheduler::Zone, ChosenSeries>> data = {};  ///< asked zones, and home
  std::vector<ZoneWithout> zones_left_out = {};
  bool limited_by_data = false;  ///< an asked zone's data end before the window does
  bool energy_assumed = false;
  bool exact = true;     ///< false: an interruptible job has too many ways to pause to try all
  std::size_t work = 0;  ///< about half a nanosecond each
  std::string reason = {};
};

/// The best slot of one job, nothing stored. The request is checked before data is looked for: `invalid-request`,
/// `unknown-zone`, `window-too-short` (fact smallestFinishBy), then `no-intensity-data` (facts zones, from, to).
[[nodiscard]] scheduler::Result<BestSlotAnswer> best_slot(const BestSlotRequest& request, const IntensityBook& book,
                                                          const Places& places, scheduler::Instant now);

}  // namespace valle::service::app
