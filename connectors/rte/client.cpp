// SPDX-License-Identifier: Apache-2.0
#include "connectors/door/cut.hpp"
#include "connectors/retry/upstream.hpp"
#include "connectors/rte/parse.hpp"
#include "connectors/rte/rte.hpp"

namespace valle::connectors {
namespace {

using scheduler::Outcome;
using scheduler::Signal;
using scheduler::SourceAnswer;
using scheduler::SourceRequest;
using scheduler::Zone;

/// The most that the platform gives at once, and the most pages that one question of ours may cost.
constexpr std::size_t k_page_rows = 100;
constexpr std::size_t k_most_pages = 8;

class Rte final : public scheduler::IntensitySource {
 public:
  Rte(RteOptions options, Surroundings surroundings)
      : upstream_{{.provider = "RTE",
                   .base_url = std::move(options.base_url),
                   .timeout = options.timeout,
                   .budget_per_hour = options.budget_per_hour},
                  std::move(surroundings)} {}

  [[nodiscard]] std::string name() const override { return "rte"; }

  [[nodiscard]] std::string attribution() const override {
    return "RTE, éCO2mix, by way of ODRÉ (opendata.reseaux-energies.fr), Licence Ouverte 2.0.";
  }

  [[nodiscard]] bool offers(const Zone& zone, Signal signal) const override {
    return signal == Signal::measured && zone.name() == "FR";
  }

  [[nodiscard]] std::vector<Zone> known_zones() const override { return {Zone::of("FR")}; }

  [[nodiscard]] SourceAnswer fetch(const SourceRequest& request) override {
    if (!offers(request.zone, request.signal)) return {.outcome = Outcome::not_offered};
    const Patience patience = upstream_.patience_for(request);
    scheduler::Harvest harvest;
    for (std::size_t page = 0; page < k_most_pages; ++page) {
      const auto reply = ask(request, page * k_page_rows, patience);
      if (!reply) return partial(std::move(harvest), reply.error(), request);
      auto answer = rte::parse_intensity(reply->body, request.zone, request.now, upstream_.door());
      if (answer.outcome == Outcome::bad_answer) return partial(std::move(harvest), answer, request);
      std::move(answer.harvest.intensity.begin(), answer.harvest.intensity.end(),
                std::back_inserter(harvest.intensity));
      std::move(answer.harvest.rejected.begin(), answer.harvest.rejected.end(), std::back_inserter(harvest.rejected));
      const auto size = rte::page_of(reply->body);
      if (!size || size->rows < k_page_rows || (page + 1) * k_page_rows >= size->total) break;
    }
    put_in_order(harvest);
    return answer_from(std::move(harvest), request);
  }

 private:
  /// The newest rows come first, so what was read before a failure is good and whole.
  static SourceAnswer partial(scheduler::Harvest harvest, const SourceAnswer& failure, const SourceRequest& request) {
    if (harvest.intensity.empty()) return failure;
    put_in_order(harvest);
    auto answer = answer_from(std::move(harvest), request);
    if (answer.detail.empty()) answer.detail = failure.detail;
    return answer;
  }

  Upstream::Reply ask(const SourceRequest& request, std::size_t offset, const Patience& patience) {
    const std::string where = "date_heure>=\"" + scheduler::format_instant(request.wanted.begin) +
                              "\" and date_heure<\"" + scheduler::format_instant(request.wanted.end) +
                              "\" and taux_co2 is not null";
    auto reply = upstream_.get("/api/explore/v2.1/catalog/datasets/eco2mix-national-tr/records",
                               {{"where", where},
                                {"order_by", "date_heure desc"},
                                {"limit", std::to_string(k_page_rows)},
                                {"offset", std::to_string(offset)}},
                               {}, patience);
    if (!reply) return reply;
    if (reply->status != 200) return tl::unexpected{refusal_of(*reply, upstream_.provider())};
    if (auto json = expect_json(*reply, upstream_.provider()); !json) return tl::unexpected{json.error()};
    return reply;
  }

  Upstream upstream_;
};

}  // namespace

std::unique_ptr<scheduler::IntensitySource> make_rte(RteOptions options, Surroundings surroundings) {
  return std::make_unique<Rte>(std::move(options), std::move(surroundings));
}

}  // namespace valle::connectors
