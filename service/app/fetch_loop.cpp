// SPDX-License-Identifier: Apache-2.0
#include "service/app/fetch_loop.hpp"

#include <algorithm>
#include <utility>

#include "connectors/files/files.hpp"
#include "service/app/sources.hpp"
#include "service/runtime/log.hpp"

namespace valle::service::app {

using namespace scheduler;
namespace log = runtime::log;

namespace {

constexpr Duration k_look_for_changes_every{10};  // in files, and by others in the store
constexpr Duration k_prune_every{600};
constexpr std::size_t k_most_pruned = 5'000;  // at a time, so that the writing thread is never held for long

void log_remarks(const ZoneSignal& what, const connectors::ChainAnswer& answer) {
  for (const connectors::SourceReport& said : answer.said) {
    if (said.asked && said.outcome == Outcome::data && !said.detail.empty()) {
      log::warning("source_remark", {{"source", said.source}, {"zone", what.zone.name()}, {"detail", said.detail}});
    }
    if (!said.asked || said.outcome == Outcome::data || said.outcome == Outcome::not_offered) continue;
    log::warning("source_failed", {{"source", said.source},
                                   {"zone", what.zone.name()},
                                   {"signal", to_text(what.signal)},
                                   {"outcome", to_text(said.outcome)},
                                   {"detail", said.detail}});
  }
}

}  // namespace

std::vector<Zone> zones_to_fetch(const runtime::Config& config, const connectors::Chain& chain) {
  std::vector<Zone> zones = config.wanted_zones();
  if (zones.empty()) zones = chain.known_zones();
  if (zones.empty()) zones = {Zone::of("FR"), Zone::of("ES"), Zone::of("DE")};
  return zones;
}

FetchLoop::FetchLoop(Services services, const runtime::Config& config)
    : services_{std::move(services)}, config_{config}, zones_{zones_to_fetch(config, services_.chain)} {}

void FetchLoop::start() {
  {
    const std::scoped_lock lock{mutex_};
    stamp_ = services_.chain.stamp();
  }
  read_files();
  look();
  {
    const std::scoped_lock lock{mutex_};
    started_ = true;
  }
  finish_first_round_if_done();
  services_.timers.every(k_look_for_changes_every, [this] {
    read_files_if_changed();
    reload_if_others_wrote();
  });
  services_.timers.every(k_prune_every, [this] { prune(); });
  look_again_later();
}

void FetchLoop::prune() {
  const bool posted = services_.store.write([this](store::Database& database) {
    const auto deleted =
        store::IntensityRepository{database}.prune(services_.clock.now(), config_.retention, k_most_pruned);
    if (!deleted) log::error("prune_failed", {{"detail", deleted.error().detail}});
    if (deleted && *deleted > 0) log::info("pruned", {{"rows", *deleted}});
  });
  if (!posted) log::warning("prune_put_off");
}

void FetchLoop::look_again_later() {
  services_.timers.at(next_look(services_.clock.now()), [this] {
    look();
    look_again_later();
  });
}

void FetchLoop::look() {
  const Instant now = services_.clock.now();
  std::vector<Fetch> fetches;
  {
    const std::scoped_lock lock{mutex_};
    fetches = due_fetches(zones_, *services_.book.get(), history_, now);
    std::erase_if(fetches, [this](const Fetch& fetch) { return !under_way_.insert(fetch.what).second; });
    for (const Fetch& fetch : fetches) history_[fetch.what].attempt = now;
  }
  for (const Fetch& fetch : fetches) {
    if (!services_.connectors.post([this, fetch] { ask(fetch); })) done(fetch.what, false);
  }
}

void FetchLoop::ask(const Fetch& fetch) {
  connectors::ChainAnswer answer = services_.chain.ask({.zone = fetch.what.zone,
                                                        .signal = fetch.what.signal,
                                                        .wanted = fetch.wanted,
                                                        .now = services_.clock.now(),
                                                        .time_left = std::chrono::seconds{60}});
  log_remarks(fetch.what, answer);
  const bool news = answer.harvest || std::any_of(answer.said.begin(), answer.said.end(),
                                                  [](const auto& said) { return !said.rejected.empty(); });
  const bool stored = news && services_.store.write([this, what = fetch.what, answer](store::Database& database) {
    const auto report = ingest(database).take(what.zone, answer, services_.clock.now());
    if (!report) log::error("ingest_failed", {{"zone", what.zone.name()}, {"detail", report.error().detail}});
    if (report && *report) {
      log::info("ingested", {{"counts", to_text(**report)}, {"signal", to_text(what.signal)}});
      if (services_.on_news) services_.on_news();
    }
    // Old rows served once more are no success: the sources are asked again soon.
    done(what, report.has_value() && answer.grade == connectors::Grade::fresh);
  });
  if (!stored) done(fetch.what, false);
}

void FetchLoop::read_files() {
  for (const runtime::SourceConfig& source : config_.sources) {
    if (source.kind != connectors::k_files_source) continue;
    {
      const std::scoped_lock lock{mutex_};
      ++files_under_way_;
    }
    const bool posted = services_.store.write([this, source](store::Database& database) {
      const Instant now = services_.clock.now();
      const std::filesystem::path paths[] = {source.path};
      const auto zones = connectors::read_intensity_files(paths, now, make_door(config_));
      if (!zones) {
        log::error("files_refused", {{"place", zones.error().pointer}, {"detail", zones.error().detail}});
      } else {
        for (const connectors::ZoneFiles& zone : *zones) {
          if (!source.takes(zone.zone)) continue;
          const auto report = ingest(database).take(source.kind, "", zone.zone, zone.harvest, now);
          if (report) log::info("ingested", {{"counts", to_text(*report)}});
          if (!report) log::error("ingest_failed", {{"zone", zone.zone.name()}, {"detail", report.error().detail}});
        }
        if (services_.on_news) services_.on_news();
      }
      {
        const std::scoped_lock lock{mutex_};
        --files_under_way_;
      }
      finish_first_round_if_done();
    });
    if (!posted) {
      const std::scoped_lock lock{mutex_};
      --files_under_way_;
    }
  }
}

void FetchLoop::read_files_if_changed() {
  std::string stamp = services_.chain.stamp();
  {
    const std::scoped_lock lock{mutex_};
    if (stamp == stamp_) return;
    stamp_ = std::move(stamp);
  }
  log::info("files_changed");
  read_files();
}

void FetchLoop::reload_if_others_wrote() {
  // Put off while the queue is full: the next look notices it as well.
  (void)services_.store.write([this](store::Database& database) {
    const auto changed = database.changed_by_others();
    if (!changed) return log::error("look_at_store_failed", {{"detail", changed.error().detail}});
    if (!*changed) return;
    const auto reloaded = ingest(database).reload();
    if (!reloaded) return log::error("reload_failed", {{"detail", reloaded.error().detail}});
    log::info("reloaded", {{"detail", "another program has written to the database"}});
    if (services_.on_news) services_.on_news();
  });
}

void FetchLoop::done(const ZoneSignal& what, bool brought_something) {
  {
    const std::scoped_lock lock{mutex_};
    under_way_.erase(what);
    if (brought_something) history_[what].success = services_.clock.now();
  }
  finish_first_round_if_done();
}

void FetchLoop::finish_first_round_if_done() {
  const std::scoped_lock lock{mutex_};
  if (started_ && under_way_.empty() && files_under_way_ == 0) services_.readiness.first_round_over = true;
}

Ingest& FetchLoop::ingest(store::Database& database) {
  if (!ingest_) {
    repository_.emplace(database);
    ingest_.emplace(*repository_, services_.book);
  }
  return *ingest_;
}

}  // namespace valle::service::app
