// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "connectors/chain/chain.hpp"
#include "service/app/fetch_schedule.hpp"
#include "service/app/ingest.hpp"
#include "service/app/readiness.hpp"
#include "service/app/store_access.hpp"
#include "service/runtime/config.hpp"
#include "service/runtime/executors.hpp"
#include "service/runtime/timer.hpp"

namespace valle::service::app {

/// Keeps the store and the book fed: asks the chain for what is due, brings the answers in, and reads configured files
/// whole at the start and whenever they change. Notices when another program (`valle ingest`) has written to the store.
/// Deciding happens on the timer's thread, asking on the connectors'
/// queue, storing on the store's writing thread.
class FetchLoop final {
 public:
  /// All but `on_news` must outlive this, and the queues be closed and idle before it ends.
  struct Services {
    connectors::Chain& chain;
    CurrentBook& book;
    StoreAccess& store;
    runtime::WorkQueue& connectors;
    const runtime::Clock& clock;
    runtime::Timers& timers;
    Readiness& readiness;
    std::function<void()> on_news = {};  ///< after each harvest that changed the book; on the writing thread
  };

  FetchLoop(Services services, const runtime::Config& config);

  /// The first round, at once; the loop goes on by itself. `readiness.first_round_over` turns true when every answer of
  /// it is stored.
  void start();

 private:
  void look();
  void look_again_later();
  void prune();
  void ask(const Fetch& fetch);
  void read_files();
  void read_files_if_changed();
  void reload_if_others_wrote();
  void done(const ZoneSignal& what, bool brought_something);
  void finish_first_round_if_done();
  [[nodiscard]] Ingest& ingest(store::Database& database);

  Services services_;
  runtime::Config config_;
  std::vector<scheduler::Zone> zones_;

  std::mutex mutex_;  // guards what follows, until the line below
  FetchHistory history_;
  std::set<ZoneSignal> under_way_;
  std::size_t files_under_way_ = 0;
  std::string stamp_;
  bool started_ = false;

  // Touched by the store's writing thread only.
  std::optional<store::IntensityRepository> repository_;
  std::optional<Ingest> ingest_;
};

/// The zones to fetch: those of sites and sources; else those that the sources know by themselves; else FR, ES and DE.
[[nodiscard]] std::vector<scheduler::Zone> zones_to_fetch(const runtime::Config& config,
                                                          const connectors::Chain& chain);

}  // namespace valle::service::app
