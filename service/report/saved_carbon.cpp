// SPDX-License-Identifier: Apache-2.0
#include "service/report/saved_carbon.hpp"

#include <utility>

#include "service/report/report_grid.hpp"
#include "service/runtime/log.hpp"
#include "service/store/run_repository.hpp"

namespace valle::service::report {

using scheduler::Instant;
using scheduler::Interval;

SavedCarbon::SavedCarbon(Services services)
    : services_{std::move(services)},
      saved_{services_.metrics.counter(
          "valle_saved_carbon_grams_total",
          "What assessed runs have saved against running at once at home, losses taken off", {"owner"})} {}

void SavedCarbon::start() {
  services_.timers.every(k_every, [this] { post(); });
  post();
}

void SavedCarbon::post() {
  // A look that finds no room is made up by the next one.
  (void)services_.store.read([this](store::Database& database) {
    const std::unique_lock lock{mutex_, std::try_to_lock};
    if (lock) look(database);
  });
}

bool SavedCarbon::add(store::Database& database, Interval ended, ByOwner& sums) const {
  const auto grid =
      present_grid(*book_, services_.places.sites(*book_), services_.config, ended, services_.clock.now());
  const GridSites sites{grid};
  const auto lookup = sites.lookup();
  const auto read = store::RunRepository{database}.each_finished(ended, state_, [&](store::RunRow& row) {
    const auto account = scheduler::account_of(row.run, lookup);
    if (account.split) sums[row.run.owner] += account.split->saved();
    return true;
  });
  if (!read) runtime::log::error("saved_carbon_not_summed", {{"why", read.error().detail}});
  return read.has_value();
}

void SavedCarbon::look(store::Database& database) {
  const auto state = store::RunRepository{database}.state();
  auto book = services_.book.get();
  if (!state || (*state == state_ && book == book_)) return;
  state_ = *state;
  book_ = std::move(book);
  const Instant now = services_.clock.now();
  const Instant today = std::chrono::floor<std::chrono::days>(now);
  if (const Instant until = today - k_recent; until != old_until_) {
    ByOwner old;
    if (!add(database, {Instant{}, until}, old)) return;
    old_ = std::move(old);
    old_until_ = until;
  }
  ByOwner sums = old_;
  if (!add(database, {old_until_, now + scheduler::Duration{1}}, sums)) return;
  for (const auto& [owner, sum] : sums) {
    // The series is there from the first assessed run on; doubles hold milligrams up to 9e12 g.
    saved_.with({owner}).raise_to(static_cast<double>(sum.base()) / 1000);
  }
}

}  // namespace valle::service::report
