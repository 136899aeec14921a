// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "connectors/retry/surroundings.hpp"
#include "connectors/secret/secret.hpp"
#include "scheduler/ports/intensity_source.hpp"

namespace valle::connectors {

/// Settings of source kind `esios`.
struct EsiosOptions {
  std::string base_url = "https://api.esios.ree.es";
  std::string accept = "application/json; application/vnd.esios-api-v1+json";  ///< some keys want v2 or plain JSON
  std::shared_ptr<TokenSource> token;
  std::chrono::milliseconds timeout{30'000};  ///< for one request
  unsigned budget_per_hour = 60;            ///< an hour of measured intensity costs eleven requests and one to check it
  std::vector<scheduler::Zone> zones = {};  ///< empty: all that it has
};

/// Red Eléctrica's ESIOS. ES: measured intensity from the generation of each technology (lifecycle, production), with
/// a remark in `SourceAnswer::detail` where what burns in it disagrees with the published emissions; and forecasts of
/// demand, wind and sun for tomorrow. Day-ahead prices of ES, PT, FR, DE, BE and NL.
[[nodiscard]] std::unique_ptr<scheduler::IntensitySource> make_esios(EsiosOptions options, Surroundings surroundings);

}  // namespace valle::connectors
