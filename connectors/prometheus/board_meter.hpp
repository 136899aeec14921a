// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>

#include "connectors/prometheus/capabilities.hpp"
#include "connectors/prometheus/metering.hpp"
#include "scheduler/energy/board_points.hpp"

namespace valle::connectors::prometheus {

struct BoardView;

/// What the boards of a pod used, all together.
struct BoardReading {
  ItemReading item = {};
  std::vector<std::string> learnt = {};  ///< boards that the exporter names with the pod and the ledger did not know
};

/// Energy of accelerator boards by dcgm-exporter: by the boards' UUIDs, from the ledger or, where it does not know
/// them, from the exporter's own pod labels. The counter where there is one, else the gauge.
class BoardMeter {
 public:
  BoardMeter(Replicas& replicas, const MeterTerms& terms) : replicas_{replicas}, terms_{terms} {}

  /// One answer an item, in the items' order, `items` ordered by end; nothing for a pod of whom no board is known.
  /// `tenants`: everybody in the ledger near the items' time.
  [[nodiscard]] std::vector<std::optional<BoardReading>> read(std::span<const PodItem> items,
                                                              std::span<const scheduler::PodOfRun> tenants,
                                                              const Capabilities& found, const QueryPatience& patience);

  /// c as last seen.
  [[nodiscard]] double spacing_seconds() const;

 private:
  using BoardsOfPods = std::map<std::string, std::set<std::string>>;  // pod UID → board UUIDs
  /// Who had a board by the ledger.
  struct Tenants {
    std::vector<scheduler::Tenant> all;
    std::set<std::string> names;  ///< NAMESPACE/NAME, as exporters call them
  };
  using TenantsOfBoards = std::map<std::string, Tenants, std::less<>>;
  /// One board of one item.
  struct Work {
    std::size_t item;
    std::string board;
  };

  void learn(std::span<const PodItem> items, const Capabilities& found, const QueryPatience& patience,
             BoardsOfPods& boards);
  void learn_by(std::string_view pod_label, std::span<const PodItem> items, const Capabilities& found,
                const QueryPatience& patience, BoardsOfPods& boards);
  struct Batch;
  [[nodiscard]] static TenantsOfBoards tenants_of(std::span<const scheduler::PodOfRun> tenants,
                                                  const BoardsOfPods& boards);
  void read_batch(const Batch& batch, std::span<const Work> work, std::vector<std::optional<BoardReading>>& answers);
  [[nodiscard]] std::optional<scheduler::Reading> read_counter(const BoardView& view, scheduler::BoardQuestion question,
                                                               const std::string& board);
  [[nodiscard]] std::optional<scheduler::Reading> read_gauge(const BoardView& view,
                                                             const scheduler::BoardQuestion& question,
                                                             const std::string& board) const;
  [[nodiscard]] scheduler::BoardFacts facts_of(const std::string& board) const;

  Replicas& replicas_;
  const MeterTerms& terms_;
  std::optional<double> spacing_seconds_;
  std::map<std::string, double> idle_watts_;  // the least seen, by board
};

}  // namespace valle::connectors::prometheus
