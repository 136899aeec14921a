// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scheduler/energy/counter.hpp"
#include "scheduler/energy/sample.hpp"

namespace valle::scheduler {

/// Somebody who had a board for a while, by the ledger or by the exporter's own labels.
struct Tenant {
  std::string pod;  ///< UID, or NAMESPACE/NAME where only that is known
  Span ran;
  friend bool operator==(const Tenant&, const Tenant&) = default;
};

/// What is known of one board besides its counter.
struct BoardFacts {
  double limit_watts = 700;
  std::optional<double> collect_seconds = {};  ///< how old values may be at most, where the operator says so
  std::optional<double> idle_watts = {};       ///< the least that it was seen to draw; nothing if never seen idle
};

struct BoardQuestion {
  Span ran;                     ///< the run asked about
  std::string pod;              ///< its tenant
  std::vector<Tenant> tenants;  ///< all near the run, the asked one may be among them
  BoardFacts facts;
};

/// The largest value at each instant over all label sets of one board: MIG instances and time slices repeat the board's
/// value, and pods' labels come and go.
[[nodiscard]] Samples largest_at_each_instant(std::span<const Samples> series);

/// A board's counter in joules, thinned to the first sample of each new value, restarts read as such: a slow collector
/// repeats values, and repeated ones are not zero power.
struct BoardPoints {
  Samples totals;                 ///< joules since the first point
  double scrape_seconds = 0;      ///< median distance of samples
  double spacing_seconds = 0;     ///< c: median distance of new values, the longer of scrape and collection interval
  std::vector<Restart> restarts;  ///< driver reloads
  std::size_t dropped = 0;
};
[[nodiscard]] BoardPoints board_points(std::span<const Sample> joules, double limit_watts);

/// The least mean power between neighbouring points outside everybody's runs; nothing if the board was never free.
[[nodiscard]] std::optional<double> idle_watts_of(const BoardPoints& points, std::span<const Tenant> tenants);

}  // namespace valle::scheduler
