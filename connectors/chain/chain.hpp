// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "connectors/retry/waiter.hpp"
#include "scheduler/ports/intensity_source.hpp"

namespace valle::connectors {

/// How good the served rows are as a whole. An answer always says; nothing is hidden behind a number.
enum class Grade {
  fresh,  ///< fetched in this refresh interval
  aged,   ///< the last good answer, at most a day old: no source answers at the moment
  stale,  ///< the last good answer, older than a day
  none,   ///< nothing is known
};
[[nodiscard]] std::string_view to_text(Grade grade);

/// What one source said when the chain came to it.
struct SourceReport {
  std::string source;
  scheduler::Outcome outcome = scheduler::Outcome::no_data;
  std::string detail = {};                              ///< one sentence for people; no secrets
  bool asked = false;                                   ///< false: not asked now (shut off, waiting, already known)
  std::optional<scheduler::Instant> next_attempt = {};  ///< not before
  std::vector<scheduler::Rejection> rejected = {};      ///< rows refused at the door, where none was left to serve
};

struct ChainAnswer {
  std::string source = {};  ///< which served; empty if none
  std::string attribution = {};
  std::shared_ptr<const scheduler::Harvest> harvest = {};  ///< null if none; may reach beyond what was wanted
  scheduler::Instant fetched_at{};                         ///< when the served rows were fetched
  Grade grade = Grade::none;
  std::vector<SourceReport> said = {};  ///< in the configured order, up to the one that served
};

/// Health of one (source, zone, signal).
struct SourceHealth {
  std::string source;
  scheduler::Zone zone;
  scheduler::Signal signal;
  std::optional<scheduler::Instant> last_success = {};
  std::optional<scheduler::Instant> last_attempt = {};
  scheduler::Outcome last_outcome = scheduler::Outcome::no_data;
  std::string detail = {};
  unsigned consecutive_failures = 0;
  std::optional<scheduler::Instant> next_attempt = {};  ///< not asked before this
  std::size_t rejected = 0;                             ///< rows refused at the door since the start
  std::size_t unusual = 0;  ///< rows taken that lie outside what is usual for the zone: look at them
};

/// A counter of `valle_source_requests_total{source,outcome}`: one for each time that a source was really asked.
struct SourceCount {
  std::string source;
  scheduler::Outcome outcome;
  std::size_t requests = 0;
};

struct ChainOptions {
  std::uint64_t jitter_seed = 1;
  /// Tells how much of the caller's time the first sources have taken; outlives the chain. Without one, each source
  /// gets all of it.
  const Waiter* waiter = nullptr;
};

/// The configured sources in their order. For each (zone, signal) the first one with usable data serves. However many
/// ask, a source is asked at most once at a time and once in its refresh interval about one (zone, signal, window). A
/// failing one is left alone for a growing while (`pause_after`): longer after a refused key (from 15 min to 1 h), a
/// firewall (from 1 h on) or a plan that does not cover this zone (24 h, for this zone and signal only). Local sources
/// (refresh interval zero) are read anew each time. Safe from several threads; calls block.
class Chain {
 public:
  explicit Chain(std::vector<std::unique_ptr<scheduler::IntensitySource>> sources, ChainOptions options = {});
  ~Chain();
  Chain(const Chain&) = delete;
  Chain& operator=(const Chain&) = delete;

  /// `wanted` of the request is widened to whole hours first, so that questions of one hour are one question.
  [[nodiscard]] ChainAnswer ask(const scheduler::SourceRequest& request);

  /// All that was asked so far, by source, zone, signal.
  [[nodiscard]] std::vector<SourceHealth> health() const;
  [[nodiscard]] std::vector<SourceCount> counts() const;
  /// Union of the sources' known zones, in order of name. Empty: any zone may be asked.
  [[nodiscard]] std::vector<scheduler::Zone> known_zones() const;
  /// Changes when a local source (files) has changed: then ask again at once.
  [[nodiscard]] std::string stamp() const;
  /// Attribution of a source by its name; empty if there is none of that name.
  [[nodiscard]] std::string attribution(const std::string& source) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace valle::connectors
