// SPDX-License-Identifier: Apache-2.0
#include "service/cli/source_ingest.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <utility>
#include <vector>

#include "connectors/chain/chain.hpp"
#include "connectors/files/files.hpp"
#include "connectors/retry/waiter.hpp"
#include "connectors/transport/cpprest_transport.hpp"
#include "service/app/fetch_loop.hpp"
#include "service/app/fetch_schedule.hpp"
#include "service/app/sources.hpp"
#include "service/runtime/config.hpp"
#include "service/runtime/version.hpp"
#include "service/store/migrator.hpp"

namespace valle::service::cli {

using namespace scheduler;

namespace {

/// The configuration with no other source than the one that is asked.
runtime::Config config_of(const SourceIngest& asked, const Surroundings& surroundings) {
  runtime::ConfigSources sources;
  if (!asked.config.empty()) sources.file = asked.config;
  sources.environment = {surroundings.environment.begin(), surroundings.environment.end()};
  sources.flags["database"] = asked.database;
  runtime::Config config = must(runtime::load_config(sources));
  std::string known;
  for (const std::string& kind : config.source_order()) known += (known.empty() ? "" : ", ") + kind;
  std::erase_if(config.sources, [&](const runtime::SourceConfig& source) { return source.kind != asked.source; });
  if (config.sources.empty()) {
    throw CommandFailed{{Errc::invalid_request,
                         "no source " + asked.source + " is configured; " +
                             (known.empty() ? "--config names the file with sources:" : "configured are " + known),
                         "--source"}};
  }
  return config;
}

/// A source that failed, in the words of its answer; nothing for one that has no such numbers.
std::optional<Error> failure_of(const connectors::ChainAnswer& answer, const app::ZoneSignal& what) {
  for (const connectors::SourceReport& said : answer.said) {
    if (said.outcome == Outcome::data || said.outcome == Outcome::no_data || said.outcome == Outcome::not_offered) {
      continue;
    }
    const bool ours = said.outcome == Outcome::misconfigured || said.outcome == Outcome::authentication;
    return Error{ours ? Errc::invalid_request : Errc::source_unavailable,
                 std::string{to_text(what.signal)} + ": " + said.detail, said.source + " " + what.zone.name()};
  }
  return std::nullopt;
}

/// Brings answers into the store and tells what became of them.
class Intake {
 public:
  Intake(store::Database& database, const Surroundings& surroundings)
      : repository_{database}, surroundings_{surroundings} {}

  void take(const std::string& source, const Zone& zone, const Harvest& harvest, const std::string& attribution) {
    if (!attribution.empty()) must(repository_.note_attribution(source, attribution));
    print_ingested(surroundings_.out, zone, must(repository_.store(source, zone, harvest, surroundings_.clock.now())));
    brought_ = true;
  }

  void take(const app::ZoneSignal& what, const connectors::ChainAnswer& answer) {
    if (answer.harvest != nullptr) return take(answer.source, what.zone, *answer.harvest, answer.attribution);
    for (const connectors::SourceReport& said : answer.said) {
      if (said.rejected.empty()) continue;
      Harvest refused;
      refused.rejected = said.rejected;
      print_ingested(surroundings_.out, what.zone,
                     must(repository_.store(said.source, what.zone, refused, surroundings_.clock.now())));
    }
    auto failure = failure_of(answer, what);
    if (failure && failure_) surroundings_.err << "valle: " << failure->pointer << ": " << failure->detail << '\n';
    if (failure && !failure_) failure_ = std::move(failure);
  }

  /// The first failure ends the command; so does a source that had nothing.
  void finish(const std::string& source) {
    if (failure_) throw CommandFailed{*std::move(failure_)};
    if (!brought_) throw CommandFailed{{Errc::no_intensity_data, "it has nothing for these zones at present", source}};
  }

 private:
  store::IntensityRepository repository_;
  const Surroundings& surroundings_;
  bool brought_ = false;
  std::optional<Error> failure_;
};

void take_files(const runtime::Config& config, Instant now, Intake& intake) {
  for (const runtime::SourceConfig& source : config.sources) {
    const std::filesystem::path paths[] = {source.path};
    for (const connectors::ZoneFiles& zone :
         must(connectors::read_intensity_files(paths, now, app::make_door(config)))) {
      if (!source.takes(zone.zone)) continue;
      intake.take(source.kind, zone.zone, zone.harvest, "");
    }
  }
}

void take_answers(const runtime::Config& config, store::Database& database, Instant now, Intake& intake) {
  const auto transport = connectors::make_cpprest_transport({.user_agent = "valle/" + std::string{runtime::version()}});
  connectors::InterruptibleWaiter waiter;
  connectors::Chain chain{must(app::make_sources(config, *transport, waiter)), {.waiter = &waiter}};
  const auto book = must(app::IntensityBook::load(store::IntensityRepository{database}, config.source_order()));
  for (const app::Fetch& fetch : app::due_fetches(app::zones_to_fetch(config, chain), *book, {}, now)) {
    intake.take(fetch.what, chain.ask({.zone = fetch.what.zone,
                                       .signal = fetch.what.signal,
                                       .wanted = fetch.wanted,
                                       .now = now,
                                       .time_left = std::chrono::seconds{60}}));
  }
}

}  // namespace

Exit ingest_from_source(const SourceIngest& asked, const Surroundings& surroundings) {
  const runtime::Config config = config_of(asked, surroundings);
  const Instant now = surroundings.clock.now();
  const auto database = must(store::open_store(asked.database));
  Intake intake{*database, surroundings};
  if (asked.source == connectors::k_files_source) {
    take_files(config, now, intake);
  } else {
    take_answers(config, *database, now, intake);
  }
  intake.finish(asked.source);
  return Exit::done;
}

}  // namespace valle::service::cli
