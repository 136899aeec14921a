// SPDX-License-Identifier: Apache-2.0
#include "connectors/chain/chain.hpp"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <tuple>

#include "connectors/chain/source_state.hpp"
#include "connectors/retry/retry.hpp"

namespace valle::connectors {
namespace {

using scheduler::Duration;
using scheduler::Instant;
using scheduler::IntensitySource;
using scheduler::Interval;
using scheduler::Outcome;
using scheduler::Signal;
using scheduler::SourceAnswer;
using scheduler::SourceRequest;
using scheduler::Zone;

struct Key {
  std::size_t source;
  Zone zone;
  Signal signal;
  friend auto operator<=>(const Key&, const Key&) = default;
};

/// To the end of the hour in which the interval ends, also where it ends on the hour: who asks up to now gets the same
/// question at 9:00 as at 9:59.
Interval in_whole_hours(const Interval& interval) {
  using std::chrono::hours;
  return {std::chrono::floor<hours>(interval.begin), std::chrono::floor<hours>(interval.end) + hours{1}};
}

bool is_local(const IntensitySource& source) { return source.refresh_interval().count() == 0; }

}  // namespace

std::string_view to_text(Grade grade) {
  switch (grade) {
    case Grade::fresh: return "fresh";
    case Grade::aged: return "aged";
    case Grade::stale: return "stale";
    case Grade::none: return "none";
  }
  return "";
}

struct Chain::State {
  std::vector<std::unique_ptr<IntensitySource>> sources;
  ChainOptions options;

  mutable std::mutex mutex;
  std::condition_variable landed;  // a flight of some pair has ended
  std::map<Key, PairState> pairs;
  std::vector<WholeState> wholes;  // one a source
  std::map<std::pair<std::size_t, Outcome>, std::size_t> counts;

  /// Comes back once this pair's answer is known: by asking, by waiting for who is asking, or by what is known already.
  SourceReport ask(const Key& key, const SourceRequest& request, ChainAnswer& answer);
  void serve(const Key& key, const KeptAnswer& kept, Grade grade, ChainAnswer& answer) const;
  void record(const Key& key, SourceAnswer& said, const SourceRequest& request, ChainAnswer& answer);
  void serve_last_good(const SourceRequest& request, ChainAnswer& answer) const;
  [[nodiscard]] SourceReport waiting_report(const Key& key, const PairState& pair) const;
};

Chain::Chain(std::vector<std::unique_ptr<IntensitySource>> sources, ChainOptions options)
    : state_{std::make_unique<State>()} {
  state_->wholes.resize(sources.size());
  state_->sources = std::move(sources);
  state_->options = options;
}

Chain::~Chain() = default;

ChainAnswer Chain::ask(const SourceRequest& request) {
  SourceRequest whole = request;
  whole.wanted = in_whole_hours(request.wanted);
  const Waiter* waiter = state_->options.waiter;
  const auto began = waiter == nullptr ? std::chrono::milliseconds{0} : waiter->elapsed();
  ChainAnswer answer;
  for (std::size_t i = 0; i < state_->sources.size(); ++i) {
    if (waiter != nullptr) whole.time_left = request.time_left - (waiter->elapsed() - began);
    const IntensitySource& source = *state_->sources[i];
    if (!source.offers(request.zone, request.signal)) {
      answer.said.push_back({.source = source.name(), .outcome = Outcome::not_offered});
      continue;
    }
    answer.said.push_back(state_->ask({i, request.zone, request.signal}, whole, answer));
    if (answer.harvest != nullptr) return answer;
  }
  state_->serve_last_good(whole, answer);
  return answer;
}

SourceReport Chain::State::waiting_report(const Key& key, const PairState& pair) const {
  const WholeState& whole = wholes[key.source];
  SourceReport report{.source = sources[key.source]->name(),
                      .outcome = pair.last_outcome,
                      .detail = pair.detail,
                      .next_attempt = pair.next_attempt};
  if (whole.next_attempt && (!report.next_attempt || *report.next_attempt < *whole.next_attempt)) {
    report.outcome = whole.outcome;
    report.detail = whole.detail;
    report.next_attempt = whole.next_attempt;
  }
  return report;
}

SourceReport Chain::State::ask(const Key& key, const SourceRequest& request, ChainAnswer& answer) {
  IntensitySource& source = *sources[key.source];
  SourceReport report{.source = source.name()};
  {
    std::unique_lock lock{mutex};
    PairState& pair = pairs[key];  // stays where it is: nothing is ever taken out of the map
    const bool free = landed.wait_for(lock, request.time_left, [&] { return !pair.in_flight; });
    if (pair.serves(request.wanted, request.now, source.refresh_interval())) {
      serve(key, *pair.last_good, Grade::fresh, answer);
      report.outcome = Outcome::data;
      return report;
    }
    if (!free) {
      report.outcome = Outcome::unavailable;
      report.detail = source.name() + " is still being asked about " + key.zone.name();
      return report;
    }
    if (!is_local(source) && request.time_left <= std::chrono::milliseconds{0}) {
      report.outcome = Outcome::unavailable;  // not the source's fault, so nothing is recorded
      report.detail = "no time was left to ask " + source.name();
      return report;
    }
    if (!is_local(source) && (pair.is_waiting(request.now) || wholes[key.source].is_waiting(request.now))) {
      return waiting_report(key, pair);
    }
    pair.in_flight = true;
  }
  SourceAnswer said;
  try {
    said = source.fetch(request);
  } catch (...) {
    // Out of memory, say: nobody may wait for a flight that never lands.
    const std::scoped_lock lock{mutex};
    pairs[key].in_flight = false;
    landed.notify_all();
    throw;
  }
  {
    const std::scoped_lock lock{mutex};
    record(key, said, request, answer);
    report.next_attempt = pairs[key].next_attempt;
  }
  landed.notify_all();
  report.outcome = said.outcome;
  report.detail = said.detail;
  if (said.outcome != Outcome::data) report.rejected = std::move(said.harvest.rejected);
  report.asked = true;
  return report;
}

void Chain::State::record(const Key& key, SourceAnswer& said, const SourceRequest& request, ChainAnswer& answer) {
  const bool local = is_local(*sources[key.source]);
  PairState& pair = pairs[key];
  pair.in_flight = false;
  ++counts[{key.source, said.outcome}];
  const auto seed =
      scrambled(options.jitter_seed ^ scrambled(key.source * 1'000'003 + std::hash<std::string>{}(key.zone.name())));
  pair.record(said, request.now, seed);
  if (local) {
    pair.next_attempt.reset();
  } else {
    wholes[key.source].record(said, request.now, seed);
  }
  if (said.outcome != Outcome::data) return;
  KeptAnswer kept{std::make_shared<const scheduler::Harvest>(std::move(said.harvest)), request.wanted, request.now};
  serve(key, kept, Grade::fresh, answer);
  // Local data can be years long and is read again for nothing.
  if (!local) pair.last_good = std::move(kept);
}

void Chain::State::serve(const Key& key, const KeptAnswer& kept, Grade grade, ChainAnswer& answer) const {
  answer.source = sources[key.source]->name();
  answer.attribution = sources[key.source]->attribution();
  answer.harvest = kept.harvest;
  answer.fetched_at = kept.fetched_at;
  answer.grade = grade;
}

void Chain::State::serve_last_good(const SourceRequest& request, ChainAnswer& answer) const {
  const std::scoped_lock lock{mutex};
  const Key* best = nullptr;
  const KeptAnswer* kept = nullptr;
  for (const auto& [key, pair] : pairs) {
    if (key.zone != request.zone || key.signal != request.signal || !pair.last_good) continue;
    // The newest; among equals the earlier source, since keys ascend by source.
    if (kept == nullptr || pair.last_good->fetched_at > kept->fetched_at) {
      best = &key;
      kept = &*pair.last_good;
    }
  }
  if (kept != nullptr) serve(*best, *kept, grade_of_kept(kept->fetched_at, request.now), answer);
}

std::vector<SourceHealth> Chain::health() const {
  const std::scoped_lock lock{state_->mutex};
  std::vector<SourceHealth> health;
  for (const auto& [key, pair] : state_->pairs) {
    if (!pair.last_attempt) continue;
    const WholeState& whole = state_->wholes[key.source];
    auto next_attempt = pair.next_attempt;
    if (whole.next_attempt && (!next_attempt || *next_attempt < *whole.next_attempt)) next_attempt = whole.next_attempt;
    health.push_back({.source = state_->sources[key.source]->name(),
                      .zone = key.zone,
                      .signal = key.signal,
                      .last_success = pair.last_success,
                      .last_attempt = pair.last_attempt,
                      .last_outcome = pair.last_outcome,
                      .detail = pair.detail,
                      .consecutive_failures = pair.failures,
                      .next_attempt = next_attempt,
                      .rejected = pair.rejected,
                      .unusual = pair.unusual});
  }
  return health;
}

std::vector<SourceCount> Chain::counts() const {
  const std::scoped_lock lock{state_->mutex};
  std::vector<SourceCount> counts;
  for (const auto& [key, requests] : state_->counts) {
    counts.push_back({state_->sources[key.first]->name(), key.second, requests});
  }
  return counts;
}

std::vector<Zone> Chain::known_zones() const {
  std::set<Zone> zones;
  for (const auto& source : state_->sources) {
    const auto known = source->known_zones();
    zones.insert(known.begin(), known.end());
  }
  return {zones.begin(), zones.end()};
}

std::string Chain::stamp() const {
  std::string stamp;
  for (const auto& source : state_->sources) stamp += source->stamp();
  return stamp;
}

std::string Chain::attribution(const std::string& source) const {
  for (const auto& candidate : state_->sources) {
    if (candidate->name() == source) return candidate->attribution();
  }
  return {};
}

}  // namespace valle::connectors
