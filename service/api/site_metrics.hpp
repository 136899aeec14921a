// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "service/runtime/config.hpp"
#include "service/runtime/metrics.hpp"

namespace valle::service::api {

/// `valle_site_info{site,zone,region}` = 1 and `valle_site_pue_ratio{site,zone}`: what recording rules need to give a node
/// its grid zone (deploy/options/energy). Of configured sites only: without a region no node belongs to a site.
void add_site_metrics(runtime::Metrics& metrics, const runtime::Config& config);

}  // namespace valle::service::api
