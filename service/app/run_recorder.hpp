// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "scheduler/account/run.hpp"
#include "service/app/intensity_book.hpp"
#include "service/app/job.hpp"
#include "service/app/places.hpp"
#include "service/app/store_access.hpp"
#include "service/runtime/clock.hpp"

namespace valle::service::app {

/// The run of a job as the ledger must have it now; pure. `stored` is what it has, or null.
///
/// When the job is first seen, instant, home site and its PUE are frozen. Attempts of a cluster's job are those of its
/// pods, which the cluster's watcher writes; a job of REST has one, with the energy that its caller told at the end. A
/// job that never ran leaves a run without attempts, which no report shows.
[[nodiscard]] scheduler::Run run_after(const Job& job, const scheduler::Run* stored,
                                       std::span<const runtime::SiteConfig> sites);

/// What the plan promises to save with the job's slot, on what is known now, forecasts included; nothing where hours
/// are not known or there is no slot.
[[nodiscard]] std::optional<scheduler::Emissions> planned_saving(const Job& job, const scheduler::Run& run,
                                                                 std::span<const runtime::SiteConfig> sites,
                                                                 const IntensityBook& book, scheduler::Instant now);

/// Writes jobs planned here into the ledger as they move. Jobs that change while a write is waiting are written
/// together. Safe from any thread; what it is given outlives it.
class RunRecorder final {
 public:
  struct Services {
    StoreAccess& store;
    const CurrentBook& book;
    const Places& places;
    const runtime::Clock& clock;
  };

  explicit RunRecorder(Services services) : services_{services} {}

  /// Quick; for `JobWatch::listen`.
  void job_changed(const Job& job);
  /// At the start: jobs that moved while nobody wrote them down, e.g. because the program was killed in between.
  void catch_up();

 private:
  void post();
  void write(store::Database& database);

  Services services_;
  std::mutex mutex_;
  std::map<std::string, Job> waiting_;  // newest state by id
  bool posted_ = false;
};

}  // namespace valle::service::app
