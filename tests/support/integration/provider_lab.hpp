// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "connectors/chain/chain.hpp"
#include "connectors/electricity_maps/electricity_maps.hpp"
#include "connectors/energy_charts/energy_charts.hpp"
#include "connectors/esios/esios.hpp"
#include "connectors/transport/cpprest_transport.hpp"
#include "tests/support/connectors/provider_bodies.hpp"
#include "tests/support/connectors/rows.hpp"
#include "tests/support/connectors/scripted_transport.hpp"
#include "tests/support/integration/scripted_server.hpp"

namespace valle::tests {

/// Two providers on loopback behind a chain, over the real HTTP client; time passes only by `ask`'s parameter.
class ProviderLab {
 public:
  ScriptedServer electricity_maps;
  ScriptedServer energy_charts;

  ProviderLab() {
    std::vector<std::unique_ptr<scheduler::IntensitySource>> sources;
    sources.push_back(connectors::make_electricity_maps({.base_url = electricity_maps.base_url(),
                                                         .token = connectors::fixed_token(connectors::Secret{"t0k3n"}),
                                                         .budget_per_hour = 1000},
                                                        {.transport = *transport_, .waiter = waiter_}));
    sources.push_back(connectors::make_energy_charts({.base_url = energy_charts.base_url(), .budget_per_hour = 1000},
                                                     {.transport = *transport_, .waiter = waiter_}));
    chain_ = std::make_unique<connectors::Chain>(std::move(sources));
  }

  /// The 24 hours up to `now`, or the 24 after it.
  connectors::ChainAnswer ask(std::string_view zone, scheduler::Instant now,
                              scheduler::Signal signal = scheduler::Signal::measured) {
    using std::chrono::hours;
    const bool ahead = signal == scheduler::Signal::forecast;
    const scheduler::Interval wanted{ahead ? now : now - hours{23}, ahead ? now + hours{24} : now};
    return chain_->ask(
        {.zone = scheduler::Zone::of(zone), .signal = signal, .wanted = wanted, .now = now, .time_left = hours{1}});
  }

  /// `electricity-maps bad-answer, energy-charts data*`; a star where the source was really asked.
  static std::string said(const connectors::ChainAnswer& answer) {
    std::string text;
    for (const auto& report : answer.said) {
      text += (text.empty() ? "" : ", ") + report.source + " " + std::string{to_text(report.outcome)} +
              (report.asked ? "*" : "");
    }
    return text;
  }

  static std::string rows(const connectors::ChainAnswer& answer) {
    return answer.harvest ? table_of(answer.harvest->intensity) : "";
  }

  [[nodiscard]] connectors::Chain& chain() { return *chain_; }
  [[nodiscard]] VirtualWaiter& waiter() { return waiter_; }

 private:
  VirtualWaiter waiter_;
  std::unique_ptr<connectors::HttpTransport> transport_ =
      connectors::make_cpprest_transport({.user_agent = "valle/test"});
  std::unique_ptr<connectors::Chain> chain_;
};

/// Four quarters of Energy-Charts from an instant: two measured, two forecast.
inline std::string four_quarters(std::string_view from) {
  return ec_body(counted(at(from).time_since_epoch().count(), 900, 4), "[31.2,30.8,null,null]",
                 "[null,null,29.5,28.1]");
}

}  // namespace valle::tests
