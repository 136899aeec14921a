// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "connectors/prometheus/capabilities.hpp"
#include "connectors/prometheus/metering.hpp"

namespace valle::connectors::prometheus {

/// Energy of pods as a share of their nodes: Kepler from 0.10 on by UID, Kepler up to 0.9 by name, Scaphandre by name;
/// for each pod the first of them that has seen it.
class PodMeter {
 public:
  PodMeter(Replicas& replicas, const MeterTerms& terms) : replicas_{replicas}, terms_{terms} {}

  /// One answer an item, in the items' order. `items` are ordered by end.
  [[nodiscard]] std::vector<ItemReading> read(std::span<const PodItem> items, const Capabilities& found,
                                              const QueryPatience& patience);

  /// T as last seen.
  [[nodiscard]] double scrape_seconds() const { return scrape_seconds_.value_or(terms_.scrape_seconds); }

 private:
  using Slots = std::vector<std::size_t>;  // of items that wait for an answer
  struct Kind;
  static const Kind k_kinds[];

  void read_kind(const Kind& kind, std::span<const PodItem> items, std::vector<ItemReading>& answers,
                 const QueryPatience& patience);
  void read_batch(const Kind& kind, std::span<const PodItem> items, std::span<ItemReading*> answers,
                  const QueryPatience& patience);
  void fill_counters(const Kind& kind, std::span<const PodItem> items, std::span<ItemReading*> answers,
                     const Seen& seen);
  void fill_gauges(const Kind& kind, std::span<const PodItem> items, std::span<ItemReading*> answers, const Seen& seen);
  [[nodiscard]] double joules_in_unit_of_legacy(scheduler::Moment at, const QueryPatience& patience);

  Replicas& replicas_;
  const MeterTerms& terms_;
  std::optional<double> scrape_seconds_;
  std::optional<double> legacy_unit_;
};

}  // namespace valle::connectors::prometheus
