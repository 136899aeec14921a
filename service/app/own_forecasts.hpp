// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "scheduler/forecast/forecaster.hpp"
#include "service/app/forecast_scores.hpp"
#include "service/app/ingest.hpp"
#include "service/app/own_history.hpp"
#include "service/app/store_access.hpp"
#include "service/runtime/clock.hpp"
#include "service/runtime/timer.hpp"

namespace valle::service::app {

/// Measured hours that an identity must have before own forecasts serve it.
inline constexpr std::size_t k_least_history_hours = 48;

/// Makes own forecasts and keeps them in the store and the book: for each identity with measured rows, shortly before
/// each hour and whenever its measured rows or prices have changed. Models are trained in between, one at a time, from
/// the archive that the book holds; until one is there, or where it does no better, the untrained forecast serves.
/// Once a day forecasts of the last four weeks are scored, ours and the providers', and a provider that adds to ours is
/// blended in. Identities of which a file tells the time ahead are left alone: that is used as it stands.
///
/// Works on the solver's threads in pieces of some milliseconds (training: under a second), so that plans come between.
/// Safe from any thread; the queues and timers must have ended before this does.
class OwnForecasts final {
 public:
  struct Services {
    const runtime::Clock& clock;
    CurrentBook& book;
    StoreAccess& store;
    runtime::WorkQueue& solver;
    runtime::Timers& timers;
    std::function<void()> on_new = {};  ///< after new forecasts are in the book; on the store's writing thread
  };
  explicit OwnForecasts(Services services) : services_{std::move(services)} {}
  OwnForecasts(const OwnForecasts&) = delete;
  OwnForecasts& operator=(const OwnForecasts&) = delete;

  /// A first look, then one before each hour.
  void start();
  /// Something may have changed. Returns at once.
  void look();
  /// How good forecasts have been lately; never null.
  [[nodiscard]] std::shared_ptr<const ForecastScores> scores() const;

 private:
  /// What a forecast was made from; when it differs, another one is due.
  struct Basis {
    scheduler::Instant hour{};
    std::vector<scheduler::Instant> measured_ends;
    std::vector<std::optional<scheduler::Instant>> revisions;
    std::vector<scheduler::Instant> price_ends;
    friend bool operator==(const Basis&, const Basis&) = default;
  };
  struct Zone {
    std::optional<Basis> made_from;
    std::shared_ptr<scheduler::forecast::ServingModel> model;
    std::size_t learnt_steps = 0;              ///< measured steps before `model->before` when it was learnt
    std::optional<scheduler::Instant> scored;  ///< the day
  };
  using Key = scheduler::SeriesIdentity;

  void look_before_next_hour();
  void work();
  [[nodiscard]] bool forecast_next();
  [[nodiscard]] bool train_next();
  [[nodiscard]] bool score_next();
  void score(const Key& key, const IntensityBook& book);
  /// The provider's hours that are blended with ours, from `begin` on; empty if there is none.
  [[nodiscard]] std::vector<double> blended_hours(const Key& key, const IntensityBook& book,
                                                  scheduler::Instant begin) const;
  [[nodiscard]] std::map<Key, Basis> due(const IntensityBook& book) const;
  void forecast(const Key& key, const IntensityBook& book);
  [[nodiscard]] std::optional<OwnHistory> history_of(const Key& key, const IntensityBook& book) const;
  [[nodiscard]] Ingest& ingest(store::Database& database);

  Services services_;

  mutable std::mutex mutex_;  // guards what follows, until the line below
  bool working_ = false;
  bool look_again_ = false;
  std::shared_ptr<const ForecastScores> scores_ = std::make_shared<const ForecastScores>();

  // Of the chain of work on the solver's queue alone.
  std::map<Key, Zone> zones_;
  bool made_some_ = false;

  // Touched by the store's writing thread only.
  std::optional<store::IntensityRepository> repository_;
  std::optional<Ingest> ingest_;
};

/// The forecast as it is stored: steps as long as the history's, an hour at most, never below the 1 g/kWh of the door.
[[nodiscard]] store::OwnIssue own_issue(const scheduler::SeriesIdentity& identity, scheduler::Instant issued_at,
                                        const scheduler::forecast::OwnForecast& forecast);

}  // namespace valle::service::app
