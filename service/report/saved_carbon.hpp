// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "scheduler/account/sums.hpp"
#include "scheduler/units/units.hpp"
#include "service/app/places.hpp"
#include "service/app/store_access.hpp"
#include "service/runtime/clock.hpp"
#include "service/runtime/metrics.hpp"
#include "service/runtime/timer.hpp"

namespace valle::service::report {

/// `valle_saved_carbon_grams_total{owner}`: what all assessed runs of the ledger have saved, losses taken off, on what
/// the grid is known to have been. Hours are measured after the runs, so it is summed anew every few minutes; runs that
/// ended over five weeks ago once a day. As a counter it never falls: a total that does is shown when it has risen
/// again.
class SavedCarbon final {
 public:
  static constexpr scheduler::Duration k_every = std::chrono::minutes{10};
  static constexpr scheduler::Duration k_recent = std::chrono::days{35};

  struct Services {
    const runtime::Clock& clock;
    runtime::Timers& timers;
    const app::CurrentBook& book;
    const app::Places& places;
    app::StoreAccess& store;
    runtime::Metrics& metrics;
    runtime::ReportConfig config;
  };

  explicit SavedCarbon(Services services);
  /// The first sum is made at once.
  void start();

 private:
  using ByOwner = std::map<std::string, scheduler::Sum<scheduler::EmissionsTag>>;

  void post();
  void look(store::Database& database);
  [[nodiscard]] bool add(store::Database& database, scheduler::Interval ended, ByOwner& sums) const;

  Services services_;
  runtime::Family<runtime::Counter>& saved_;
  // Of the store's reading threads, one look at a time.
  std::mutex mutex_;
  scheduler::Instant old_until_{};
  ByOwner old_;
  std::int64_t state_ = -1;
  std::shared_ptr<const app::IntensityBook> book_;
};

}  // namespace valle::service::report
