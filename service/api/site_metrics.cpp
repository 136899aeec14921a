// SPDX-License-Identifier: Apache-2.0
#include "service/api/site_metrics.hpp"

namespace valle::service::api {

void add_site_metrics(runtime::Metrics& metrics, const runtime::Config& config) {
  auto& info = metrics.gauge("valle_site_info", "The configured sites: 1 each", {"site", "zone", "region"});
  auto& pue = metrics.gauge("valle_site_pue_ratio", "Power usage effectiveness of the site", {"site", "zone"});
  for (const runtime::SiteConfig& site : config.sites) {
    info.with({site.name, site.zone.name(), site.region}).set(1);
    pue.with({site.name, site.zone.name()}).set(scheduler::number(site.pue));
  }
}

}  // namespace valle::service::api
