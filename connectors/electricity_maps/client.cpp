// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <mutex>

#include "connectors/door/cut.hpp"
#include "connectors/electricity_maps/address.hpp"
#include "connectors/electricity_maps/electricity_maps.hpp"
#include "connectors/electricity_maps/parse.hpp"
#include "connectors/retry/upstream.hpp"

namespace valle::connectors {
namespace {

using electricity_maps::Asked;
using scheduler::Duration;
using scheduler::Instant;
using scheduler::Interval;
using scheduler::Outcome;
using scheduler::Signal;
using scheduler::SourceAnswer;
using scheduler::SourceRequest;
using scheduler::Zone;
using std::chrono::days;
using std::chrono::hours;

constexpr hours k_hour{1};
/// `history` ends with the current hour: 24 rows.
constexpr hours k_history_reach{23};
/// The most that one call of past-range may ask for at hourly steps.
constexpr days k_longest_range{10};
/// After this a zone or call that the plan did not include is tried again.
constexpr Duration k_denied_for = hours{24};

class ElectricityMaps final : public scheduler::IntensitySource {
 public:
  ElectricityMaps(ElectricityMapsOptions options, Surroundings surroundings)
      : options_{std::move(options)},
        upstream_{electricity_maps::upstream_options(options_), std::move(surroundings)} {}

  [[nodiscard]] std::string name() const override { return "electricity-maps"; }

  [[nodiscard]] std::string attribution() const override {
    return "Electricity Maps (electricitymaps.com); use is governed by the terms of your plan.";
  }

  [[nodiscard]] bool offers(const Zone& zone, Signal signal) const override {
    if (signal == Signal::grid_forecast) return false;
    return is_wanted(zone, options_.zones);
  }

  [[nodiscard]] std::vector<Zone> known_zones() const override { return options_.zones; }

  [[nodiscard]] SourceAnswer fetch(const SourceRequest& request) override {
    if (!offers(request.zone, request.signal)) return {.outcome = Outcome::not_offered};
    const Patience patience = upstream_.patience_for(request);
    SourceAnswer answer;
    switch (request.signal) {
      case Signal::measured: answer = fetch_measured(request, patience); break;
      case Signal::forecast: answer = fetch_forecast(request, patience); break;
      default: answer = fetch_prices(request, patience); break;
    }
    const std::string warning = options_.token->warning();
    if (!warning.empty()) answer.detail += (answer.detail.empty() ? "" : "; ") + warning;
    if (answer.outcome != Outcome::data) return answer;
    put_in_order(answer.harvest);
    auto cut = answer_from(std::move(answer.harvest), request);
    if (cut.detail.empty()) cut.detail = std::move(answer.detail);
    return cut;
  }

 private:
  using Texts = Upstream::Texts;

  /// The newest 24 hours by `history` (or `latest` if only the current hour is wanted), older ones by `past-range`.
  SourceAnswer fetch_measured(const SourceRequest& request, const Patience& patience) {
    const Instant this_hour = std::chrono::floor<hours>(request.now);
    const Instant history_begin = this_hour - k_history_reach;
    std::vector<SourceAnswer> said;
    if (request.wanted.begin >= this_hour) {
      said.push_back(ask_intensity("latest", {}, request, scheduler::ReadingKind::measured, patience));
    } else if (request.wanted.end > history_begin) {
      said.push_back(ask_intensity("history", {}, request, scheduler::ReadingKind::measured, patience));
    }
    // The newest piece first: should the budget end, the older hours wait. For the one hour by which "the last 24"
    // falls short of a day no request is spent: it came with the hour before.
    Instant end = std::min(request.wanted.end, history_begin);
    const bool next_to_nothing = !said.empty() && end - request.wanted.begin <= k_hour;
    while (!next_to_nothing && end > request.wanted.begin) {
      const Instant begin = std::max(request.wanted.begin, end - k_longest_range);
      said.push_back(
          ask_intensity("past-range", range(begin, end), request, scheduler::ReadingKind::measured, patience));
      if (said.back().outcome != Outcome::data && said.back().outcome != Outcome::no_data) break;
      end = begin;
    }
    return joined(std::move(said));
  }

  SourceAnswer fetch_forecast(const SourceRequest& request, const Patience& patience) {
    const auto ahead = std::chrono::ceil<hours>(request.wanted.end - request.now);
    std::string horizon = "72";
    for (const auto reach : {48, 24, 6}) {
      if (ahead <= hours{reach}) horizon = std::to_string(reach);
    }
    return ask_intensity("forecast", {{"horizonHours", horizon}}, request, scheduler::ReadingKind::forecast, patience);
  }

  /// Past hours by `past-range`, the current one to tomorrow by the rolling 25 rows of `combined`.
  SourceAnswer fetch_prices(const SourceRequest& request, const Patience& patience) {
    const Instant this_hour = std::chrono::floor<hours>(request.now);
    std::vector<SourceAnswer> said;
    if (request.wanted.end > this_hour) said.push_back(ask_prices("combined", {}, request, patience));
    if (request.wanted.begin < this_hour) {
      const Instant end = std::min(request.wanted.end, this_hour);
      const Instant begin = std::max(request.wanted.begin, end - k_longest_range);
      said.push_back(ask_prices("past-range", range(begin, end), request, patience));
    }
    return joined(std::move(said));
  }

  static Texts range(Instant begin, Instant end) {
    return {{"start", scheduler::format_instant(begin)}, {"end", scheduler::format_instant(end)}};
  }

  /// Rows add up. `data` as soon as any call brought rows, else what the first call said; what the others said stays in
  /// the detail.
  static SourceAnswer joined(std::vector<SourceAnswer> said) {
    const auto append = [](auto& to, auto& from) { std::move(from.begin(), from.end(), std::back_inserter(to)); };
    SourceAnswer all;
    for (std::size_t i = 0; i < said.size(); ++i) {
      SourceAnswer& next = said[i];
      if (i == 0 || next.outcome == Outcome::data) all.outcome = next.outcome;
      if (i == 0) all.retry_after = next.retry_after;
      if (!next.detail.empty()) all.detail += (all.detail.empty() ? "" : "; ") + next.detail;
      append(all.harvest.intensity, next.harvest.intensity);
      append(all.harvest.prices, next.harvest.prices);
      append(all.harvest.rejected, next.harvest.rejected);
      all.harvest.duplicates += next.harvest.duplicates;
    }
    return all;
  }

  SourceAnswer ask_intensity(const std::string& endpoint, Texts more, const SourceRequest& request,
                             scheduler::ReadingKind kind, const Patience& patience) {
    more.emplace_back("emissionFactorType", "lifecycle");
    if (options_.version == ElectricityMapsOptions::Version::v4) more.emplace_back("flowTraced", "true");
    return ask("carbon-intensity", endpoint, std::move(more), request, patience, [&](const std::string& body) {
      return electricity_maps::parse_intensity(body, {request.zone, kind, request.now}, upstream_.door());
    });
  }

  SourceAnswer ask_prices(const std::string& endpoint, Texts more, const SourceRequest& request,
                          const Patience& patience) {
    return ask("price-day-ahead", endpoint, std::move(more), request, patience, [&](const std::string& body) {
      return electricity_maps::parse_prices(body, Asked{.zone = request.zone, .now = request.now});
    });
  }

  template <class Parse>
  SourceAnswer ask(const std::string& signal, const std::string& endpoint, Texts more, const SourceRequest& request,
                   const Patience& patience, Parse parse) {
    const std::string call = request.zone.name() + " " + signal + "/" + endpoint;
    if (auto denied = denial_of(call, request.now)) return *std::move(denied);
    const auto token = options_.token->current();
    if (!token) {
      return {.outcome = Outcome::misconfigured, .detail = token.error().pointer + ": " + token.error().detail};
    }
    const bool v4 = options_.version == ElectricityMapsOptions::Version::v4;
    Texts query{{"zone", request.zone.name()}};
    // Else a location that is not recognised is answered for the address of the caller.
    query.emplace_back(v4 ? "disableCallerLookup" : "shouldUseFallbackCallerLookup", v4 ? "true" : "false");
    query.insert(query.end(), more.begin(), more.end());
    const std::string path = electricity_maps::version_path(options_) + signal + "/" + endpoint;
    const auto reply = upstream_.get(path, std::move(query), {{"auth-token", token->reveal()}}, patience);
    if (!reply) return reply.error();
    if (reply->status != 200) {
      auto refused = electricity_maps::refusal(*reply, request.zone, endpoint, &*token);
      if (refused.outcome == Outcome::not_covered) deny(call, request.now, refused);
      return refused;
    }
    if (auto json = expect_json(*reply, upstream_.provider()); !json) return json.error();
    return parse(reply->body);
  }

  struct Denial {
    Instant until;
    SourceAnswer answer;
  };

  std::optional<SourceAnswer> denial_of(const std::string& call, Instant now) {
    const std::scoped_lock lock{mutex_};
    const auto found = denials_.find(call);
    if (found == denials_.end() || found->second.until <= now) return std::nullopt;
    return found->second.answer;
  }

  void deny(const std::string& call, Instant now, const SourceAnswer& answer) {
    const std::scoped_lock lock{mutex_};
    denials_.insert_or_assign(call, Denial{now + k_denied_for, answer});
  }

  const ElectricityMapsOptions options_;
  Upstream upstream_;
  std::mutex mutex_;
  std::map<std::string, Denial> denials_;  // by zone and call; bounded by the zones that are asked for
};

}  // namespace

std::unique_ptr<scheduler::IntensitySource> make_electricity_maps(ElectricityMapsOptions options,
                                                                  Surroundings surroundings) {
  return std::make_unique<ElectricityMaps>(std::move(options), std::move(surroundings));
}

}  // namespace valle::connectors
