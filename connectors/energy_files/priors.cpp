// SPDX-License-Identifier: Apache-2.0
#include "connectors/energy_files/priors.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "connectors/csv/csv.hpp"
#include "connectors/energy_files/number_text.hpp"
#include "connectors/json/json.hpp"

namespace valle::connectors::energy {
namespace {

using scheduler::Errc;
using scheduler::refuse;
using scheduler::Result;

constexpr double k_largest_wh = 1e12;

Result<QueryPrior> prior_of(double watt_hours, std::int64_t queries, std::string source) {
  if (!(watt_hours > 0 && watt_hours <= k_largest_wh)) {
    return refuse(Errc::invalid_request, "the energy is not above 0: unknown, not nothing");
  }
  if (queries <= 0) return refuse(Errc::invalid_request, "the number of queries is not above 0");
  return QueryPrior{.each = scheduler::query_energy_from_watt_hours(watt_hours / static_cast<double>(queries)),
                    .source = std::move(source)};
}

std::string_view without_line_end(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  return csv::trimmed(text);
}

}  // namespace

Result<QueryPrior> read_ai_energy_score(std::string_view text, std::int64_t queries) {
  if (const auto number = number_of(without_line_end(text))) return prior_of(*number, queries, "ai-energy-score");
  const auto document = json::parse(text);
  if (!document) return tl::unexpected{document.error()};
  const auto units = json::text(*document, "units");
  if (!units || *units != "Wh") return refuse(Errc::invalid_request, "units is not Wh", "/units");
  const auto total = json::number(*document, "total");
  if (total.state != RawNumber::State::number) return refuse(Errc::invalid_request, "there is no total", "/total");
  return prior_of(total.value, queries, "ai-energy-score");
}

Result<QueryPrior> read_ml_energy(std::string_view text) {
  constexpr std::array k_names{"Energy per request (J)", "Energy per image (J)", "Energy per video (J)"};
  const auto document = json::parse(text);
  if (!document) return tl::unexpected{document.error()};
  for (const auto* name : k_names) {
    const auto joules = json::number(*document, name);
    if (joules.state != RawNumber::State::number) continue;
    return prior_of(joules.value / 3600, 1, "ml-energy").map([&](QueryPrior prior) {
      prior.model = json::text(*document, "Model").value_or("");
      prior.board = json::text(*document, "GPU model").value_or("");
      return prior;
    });
  }
  return refuse(Errc::invalid_request, "there is no energy of a request, an image or a video");
}

}  // namespace valle::connectors::energy
