// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <mutex>
#include <optional>

#include "connectors/door/cut.hpp"
#include "connectors/esios/cross_check.hpp"
#include "connectors/esios/esios.hpp"
#include "connectors/esios/mix.hpp"
#include "connectors/esios/parse.hpp"
#include "connectors/retry/upstream.hpp"

namespace valle::connectors {
namespace {

using esios::AskedIndicator;
using scheduler::GridQuantity;
using scheduler::Instant;
using scheduler::Interval;
using scheduler::Outcome;
using scheduler::Signal;
using scheduler::SourceAnswer;
using scheduler::SourceRequest;
using scheduler::Zone;
using std::chrono::hours;

constexpr int k_day_ahead_price = 600;
constexpr int k_peninsula = 8741;

/// Frozen forecasts for tomorrow, published before noon.
constexpr std::array<std::pair<int, GridQuantity>, 3> k_grid_forecasts{
    {{1775, GridQuantity::demand}, {1777, GridQuantity::wind}, {1779, GridQuantity::solar}}};

/// Areas of the price indicator.
constexpr std::array<std::pair<std::string_view, int>, 6> k_price_areas{
    {{"PT", 1}, {"FR", 2}, {"ES", 3}, {"DE", 8826}, {"BE", 8827}, {"NL", 8828}}};

/// Up to here five-minute rows are fetched and averaged by us; beyond, the provider's hourly means.
constexpr hours k_longest_in_five_minutes{48};
/// The most of one question: mass downloads are not wanted there.
constexpr std::chrono::days k_longest_window{60};

std::optional<int> price_area_of(const Zone& zone) {
  const auto found = std::find_if(k_price_areas.begin(), k_price_areas.end(),
                                  [&](const auto& area) { return area.first == zone.name(); });
  return found == k_price_areas.end() ? std::nullopt : std::optional{found->second};
}

/// The resolution in which rows are asked for; `as_it_is` leaves it to the provider.
enum class Resolution { as_it_is, five_minutes, hour };

class Esios final : public scheduler::IntensitySource {
 public:
  Esios(EsiosOptions options, Surroundings surroundings)
      : options_{std::move(options)}, upstream_{upstream_of("ESIOS", options_), std::move(surroundings)} {}

  [[nodiscard]] std::string name() const override { return "esios"; }

  [[nodiscard]] std::string attribution() const override {
    return "Red Eléctrica de España, ESIOS (esios.ree.es); intensity computed by valle from generation by technology "
           "with lifecycle emission factors (IPCC 2014, UNECE 2022, INCER ACV, EU-ETS and ENTSO-E 2025).";
  }

  [[nodiscard]] bool offers(const Zone& zone, Signal signal) const override {
    if (!is_wanted(zone, options_.zones)) return false;
    switch (signal) {
      case Signal::measured:
      case Signal::grid_forecast: return zone.name() == "ES";
      case Signal::price: return price_area_of(zone).has_value();
      case Signal::forecast: break;
    }
    return false;
  }

  [[nodiscard]] std::vector<Zone> known_zones() const override {
    const Zone spain = Zone::of("ES");
    return offers(spain, Signal::measured) ? std::vector{spain} : std::vector<Zone>{};
  }

  [[nodiscard]] SourceAnswer fetch(const SourceRequest& request) override {
    if (!offers(request.zone, request.signal)) return {.outcome = Outcome::not_offered};
    SourceRequest asked = request;
    asked.wanted.begin = std::max(request.wanted.begin, request.wanted.end - k_longest_window);
    const Patience patience = upstream_.patience_for(request);
    auto answer = [&] {
      switch (request.signal) {
        case Signal::measured: return fetch_measured(asked, patience);
        case Signal::price: return fetch_prices(asked, patience);
        default: return fetch_grid_forecasts(asked, patience);
      }
    }();
    const std::string warning = options_.token->warning();
    if (!warning.empty()) answer.detail += (answer.detail.empty() ? "" : "; ") + warning;
    return answer;
  }

 private:
  SourceAnswer fetch_measured(const SourceRequest& request, const Patience& patience) {
    const bool fine = request.wanted.length() <= k_longest_in_five_minutes;
    std::map<int, esios::Indicator> generation;
    for (const auto& technology : esios::k_technologies) {
      auto indicator = ask({technology.indicator, k_peninsula}, request.wanted,
                           fine ? Resolution::five_minutes : Resolution::hour, patience);
      if (indicator) {
        generation.emplace(technology.indicator, *std::move(indicator));
      } else if (indicator.error().outcome != Outcome::no_data) {
        return indicator.error();  // without one of them the others are worth nothing
      }
    }
    esios::Mix mix;
    {
      const std::scoped_lock lock{mutex_};
      mix = esios::intensity_of_mix(generation, seen_, request.zone, request.now, upstream_.door());
      seen_ = mix.seen;
    }
    const std::string remark = remark_of_cross_check(generation, mix.harvest, request, patience);
    SourceAnswer answer = answer_from(std::move(mix.harvest), request);
    if (answer.detail.empty()) answer.detail = remark;
    return answer;
  }

  /// One request an hour at most, never repeated. It only makes a remark: without it the mix is as good as before.
  std::string remark_of_cross_check(const std::map<int, esios::Indicator>& generation,
                                    const scheduler::Harvest& accepted, const SourceRequest& request,
                                    Patience patience) {
    {
      const std::scoped_lock lock{mutex_};
      const Instant hour = std::chrono::floor<hours>(request.now);
      if (accepted.intensity.empty()) return {};
      if (checked_ && checked_->hour == hour) return checked_->remark;
      checked_ = Checked{hour, {}};
    }
    patience.most_attempts = 1;
    const auto published = ask({esios::k_published_emissions, k_peninsula}, request.wanted, Resolution::hour, patience);
    if (!published) return {};
    const auto check = esios::cross_check(generation, accepted, *published);
    const std::string remark = check ? esios::remark_on(*check) : "";
    const std::scoped_lock lock{mutex_};
    checked_->remark = remark;
    return remark;
  }

  SourceAnswer fetch_prices(const SourceRequest& request, const Patience& patience) {
    const AskedIndicator asked{k_day_ahead_price, *price_area_of(request.zone), std::chrono::minutes{15}};
    const auto indicator = ask(asked, request.wanted, Resolution::as_it_is, patience);
    if (!indicator) return indicator.error();
    return answer_from(esios::prices_of(*indicator, request.zone, request.now), request);
  }

  SourceAnswer fetch_grid_forecasts(const SourceRequest& request, const Patience& patience) {
    scheduler::Harvest all;
    for (const auto& [id, quantity] : k_grid_forecasts) {
      const auto indicator = ask({id, k_peninsula}, request.wanted, Resolution::hour, patience);
      if (!indicator && indicator.error().outcome != Outcome::no_data) return indicator.error();
      if (!indicator) continue;
      auto harvest = esios::grid_forecast_of(*indicator, request.zone, quantity, request.now);
      std::move(harvest.grid_forecasts.begin(), harvest.grid_forecasts.end(), std::back_inserter(all.grid_forecasts));
      std::move(harvest.rejected.begin(), harvest.rejected.end(), std::back_inserter(all.rejected));
      all.duplicates += harvest.duplicates;
    }
    put_in_order(all);
    return answer_from(std::move(all), request);
  }

  tl::expected<esios::Indicator, SourceAnswer> ask(const AskedIndicator& asked, const Interval& wanted,
                                                   Resolution resolution, const Patience& patience) {
    const auto token = options_.token->current();
    if (!token) {
      return tl::unexpected{SourceAnswer{.outcome = Outcome::misconfigured,
                                         .detail = token.error().pointer + ": " + token.error().detail}};
    }
    // The last row that begins inside: the end of a range is included there.
    const Instant last = wanted.end - std::chrono::seconds{1};
    Upstream::Texts query{{"start_date", scheduler::format_instant(wanted.begin)},
                          {"end_date", scheduler::format_instant(last)},
                          {"time_agg", "average"},  // left out, most magnitudes would be summed
                          {"geo_ids[]", std::to_string(asked.geo)},
                          {"locale", "en"}};
    if (resolution == Resolution::five_minutes) query.emplace_back("time_trunc", "five_minutes");
    if (resolution == Resolution::hour) query.emplace_back("time_trunc", "hour");
    const auto reply = upstream_.get("/indicators/" + std::to_string(asked.id), std::move(query),
                                     {{"x-api-key", token->reveal()}, {"Accept", options_.accept}}, patience);
    if (!reply) return tl::unexpected{reply.error()};
    if (reply->status != 200) return tl::unexpected{refusal_of(*reply, upstream_.provider(), &*token)};
    if (auto json = expect_json(*reply, upstream_.provider()); !json) return tl::unexpected{json.error()};
    return esios::parse_indicator(reply->body, asked);
  }

  const EsiosOptions options_;
  Upstream upstream_;
  std::mutex mutex_;
  esios::SeenShares seen_;
  struct Checked {
    Instant hour;
    std::string remark;
  };
  std::optional<Checked> checked_;  // the last cross-check
};

}  // namespace

std::unique_ptr<scheduler::IntensitySource> make_esios(EsiosOptions options, Surroundings surroundings) {
  return std::make_unique<Esios>(std::move(options), std::move(surroundings));
}

}  // namespace valle::connectors
