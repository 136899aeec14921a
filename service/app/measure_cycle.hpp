// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "scheduler/ports/energy_meter.hpp"
#include "scheduler/ports/job_ledger.hpp"
#include "service/app/measure_due.hpp"
#include "service/app/store_access.hpp"
#include "service/runtime/clock.hpp"
#include "service/runtime/config.hpp"
#include "service/runtime/metrics.hpp"
#include "service/runtime/timer.hpp"

namespace valle::service::app {

/// The round that gives finished attempts their energy: takes those without a figure from the ledger, asks the meter
/// about a thousand at a time, writes the figures back. What no meter has seen is asked for again, and after a while
/// marked as unknown, which is not zero.
///
/// One round at a time, on a thread of the connectors; safe from any thread. Queues and timers must have ended before
/// this does.
class MeasureCycle final {
 public:
  struct Services {
    const runtime::Clock& clock;
    StoreAccess& store;
    runtime::WorkQueue& connectors;
    runtime::Timers& timers;
    runtime::Metrics& metrics;
    std::unique_ptr<scheduler::EnergyMeter> meter;
    runtime::EnergyConfig config;
    std::function<bool()> may_act = {};     ///< of several replicas only the leader measures; empty: always
    std::function<void()> on_figures = {};  ///< figures were written; called on a thread of the connectors
  };
  explicit MeasureCycle(Services services);
  MeasureCycle(const MeasureCycle&) = delete;
  MeasureCycle& operator=(const MeasureCycle&) = delete;

  /// Measures now, and then every `energy.every`.
  void start();
  /// Begins a round unless one is under way.
  void tick();

 private:
  void measure_all();
  [[nodiscard]] scheduler::Result<std::vector<DueAttempt>> due(scheduler::Instant now);
  [[nodiscard]] scheduler::Result<void> measure(std::span<const DueAttempt> attempts, scheduler::Instant now);
  [[nodiscard]] scheduler::Result<void> write(std::span<const DueAttempt> attempts,
                                              const std::vector<scheduler::MeterAnswer>& answers);
  void calibrate(const DueAttempt& attempt, scheduler::MeterAnswer& answer) const;
  void judge(const DueAttempt& attempt, scheduler::MeterAnswer& answer, scheduler::Instant now);
  void note_failures(const std::vector<scheduler::MeterAnswer>& answers) const;

  Services services_;
  runtime::Family<runtime::Counter>& measured_;
  runtime::Family<runtime::Counter>& energy_;
  runtime::Family<runtime::Gauge>& waiting_;
  std::mutex mutex_;
  bool running_ = false;
  // Of the round's thread alone.
  std::optional<scheduler::Instant> looked_far_;
};

}  // namespace valle::service::app
