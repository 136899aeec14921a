// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <mutex>

#include "connectors/door/cut.hpp"
#include "connectors/energy_charts/energy_charts.hpp"
#include "connectors/energy_charts/parse.hpp"
#include "connectors/retry/upstream.hpp"

namespace valle::connectors {
namespace {

using scheduler::Instant;
using scheduler::Interval;
using scheduler::Outcome;
using scheduler::Signal;
using scheduler::SourceAnswer;
using scheduler::SourceRequest;
using scheduler::Zone;
using std::chrono::days;

/// Our zone, their country, and their bidding zone where a country is one.
struct Place {
  std::string_view zone;
  std::string_view country;
  std::string_view bidding_zone;
};

constexpr std::array<Place, 26> k_places{{
    {"AT", "at", "AT"},    {"BE", "be", "BE"}, {"BG", "bg", "BG"}, {"CH", "ch", "CH"}, {"CZ", "cz", "CZ"},
    {"DE", "de", "DE-LU"}, {"DK", "dk", ""},   {"EE", "ee", "EE"}, {"ES", "es", "ES"}, {"FI", "fi", "FI"},
    {"FR", "fr", "FR"},    {"GR", "gr", "GR"}, {"HR", "hr", "HR"}, {"HU", "hu", "HU"}, {"IT", "it", ""},
    {"LT", "lt", "LT"},    {"LV", "lv", "LV"}, {"NL", "nl", "NL"}, {"NO", "no", ""},   {"PL", "pl", "PL"},
    {"PT", "pt", "PT"},    {"RO", "ro", "RO"}, {"RS", "rs", "RS"}, {"SE", "se", ""},   {"SI", "si", "SI"},
    {"SK", "sk", "SK"},
}};

/// One call gives measured and forecast rows: asked for together, so that both questions cost one request. A forecast
/// never reaches beyond the end of the day after tomorrow.
constexpr days k_back{1};
constexpr days k_ahead{3};

const Place* place_of(const Zone& zone) {
  const auto found =
      std::find_if(k_places.begin(), k_places.end(), [&](const Place& place) { return place.zone == zone.name(); });
  return found == k_places.end() ? nullptr : &*found;
}

/// `2027-03-10`
std::string date_of(std::chrono::sys_days day) { return scheduler::format_instant(day).substr(0, 10); }

class EnergyCharts final : public scheduler::IntensitySource {
 public:
  EnergyCharts(EnergyChartsOptions options, Surroundings surroundings)
      : options_{std::move(options)}, upstream_{upstream_of("Energy-Charts", options_), std::move(surroundings)} {}

  [[nodiscard]] std::string name() const override { return "energy-charts"; }

  [[nodiscard]] std::string attribution() const override {
    return "Energy-Charts, Fraunhofer ISE (energy-charts.info), CC BY 4.0.";
  }

  [[nodiscard]] bool offers(const Zone& zone, Signal signal) const override {
    const Place* place = place_of(zone);
    if (place == nullptr || signal == Signal::grid_forecast) return false;
    if (signal == Signal::price && place->bidding_zone.empty()) return false;
    return is_wanted(zone, options_.zones);
  }

  [[nodiscard]] std::vector<Zone> known_zones() const override { return options_.zones; }

  [[nodiscard]] SourceAnswer fetch(const SourceRequest& request) override {
    if (!offers(request.zone, request.signal)) return {.outcome = Outcome::not_offered};
    const Patience patience = upstream_.patience_for(request);
    const bool price = request.signal == Signal::price;
    // One request at a time: what a waiting question needs is often just being fetched.
    const std::scoped_lock lock{mutex_};
    const std::string call = (price ? "price " : "co2eq ") + request.zone.name();
    const Interval wanted = whole_days(price ? request.wanted : with_both_kinds(request));
    if (const auto kept = kept_.find(call); kept != kept_.end() && is_recent(kept->second, request.now)) {
      const Kept& last = kept->second;
      if (last.asked.begin <= wanted.begin && wanted.end <= last.asked.end) return cut(last.answer, request);
      return {.outcome = Outcome::budget_spent,
              .detail = "Energy-Charts: asked about " + request.zone.name() + " less than " +
                        std::to_string(options_.between_requests.count()) + " minutes ago",
              .retry_after = last.fetched_at + options_.between_requests - request.now};
    }
    SourceAnswer answer = price ? ask_prices(request, wanted, patience) : ask_intensity(request, wanted, patience);
    if (answer.outcome == Outcome::data || answer.outcome == Outcome::no_data) {
      kept_.insert_or_assign(call, Kept{request.now, wanted, answer});
    }
    return cut(std::move(answer), request);
  }

 private:
  struct Kept {
    Instant fetched_at;
    Interval asked;
    SourceAnswer answer;
  };

  [[nodiscard]] bool is_recent(const Kept& kept, Instant now) const {
    return kept.fetched_at <= now && now < kept.fetched_at + options_.between_requests;
  }

  static Interval whole_days(const Interval& interval) {
    return {std::chrono::floor<days>(interval.begin), std::chrono::ceil<days>(interval.end)};
  }

  /// What serves the question for measured and that for forecast rows alike; an old stretch alone is asked for as it
  /// is.
  static Interval with_both_kinds(const SourceRequest& request) {
    if (request.wanted.end <= request.now - k_back) return request.wanted;
    return {std::min(request.wanted.begin, request.now - k_back), request.now + k_ahead};
  }

  static SourceAnswer cut(SourceAnswer answer, const SourceRequest& request) {
    return answer.outcome == Outcome::data ? answer_from(std::move(answer.harvest), request) : answer;
  }

  SourceAnswer ask_intensity(const SourceRequest& request, const Interval& wanted, const Patience& patience) {
    const auto reply = ask("/co2eq", "country", place_of(request.zone)->country, wanted, patience);
    if (!reply) return reply.error();
    return energy_charts::parse_intensity(reply->body, request.zone, request.now, upstream_.door());
  }

  SourceAnswer ask_prices(const SourceRequest& request, const Interval& wanted, const Patience& patience) {
    const auto reply = ask("/price", "bzn", place_of(request.zone)->bidding_zone, wanted, patience);
    if (!reply) return reply.error();
    return energy_charts::parse_prices(reply->body, request.zone, request.now);
  }

  /// Whole local days, the last included: dates are the form in which every version of the interface agrees.
  Upstream::Reply ask(const std::string& path, const std::string& place_name, std::string_view place,
                      const Interval& wanted, const Patience& patience) {
    auto reply = upstream_.get(path,
                               {{place_name, std::string{place}},
                                {"start", date_of(std::chrono::floor<days>(wanted.begin))},
                                {"end", date_of(std::chrono::floor<days>(wanted.end))}},
                               {}, patience);
    if (!reply) return reply;
    if (reply->status != 200) return tl::unexpected{refusal_of(*reply, upstream_.provider())};
    if (auto json = expect_json(*reply, upstream_.provider()); !json) return tl::unexpected{json.error()};
    return reply;
  }

  const EnergyChartsOptions options_;
  Upstream upstream_;
  std::mutex mutex_;
  std::map<std::string, Kept> kept_;  // by call and zone; bounded by the places above
};

}  // namespace

std::unique_ptr<scheduler::IntensitySource> make_energy_charts(EnergyChartsOptions options, Surroundings surroundings) {
  return std::make_unique<EnergyCharts>(std::move(options), std::move(surroundings));
}

}  // namespace valle::connectors
