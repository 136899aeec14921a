// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "service/app/intensity_book.hpp"
#include "service/app/places.hpp"
#include "service/app/store_access.hpp"
#include "service/http/router.hpp"
#include "service/report/reports.hpp"
#include "service/runtime/clock.hpp"

namespace valle::service::api {

/// What the calls about runs and reports need. All must outlive the router.
struct ReportServices {
  report::Reports& reports;
  const runtime::Clock& clock;
  const app::CurrentBook& book;
  const app::Places& places;
  app::StoreAccess& store;
  runtime::WorkQueue& long_questions;
  std::function<bool()> may_write = {};  ///< of several replicas only the leader; empty: always
};

/// `POST /v1/runs`, `GET /v1/reports/weekly/{week}`.
void add_report_routes(http::Router& router, const ReportServices& services);

/// For the check against openapi.json.
[[nodiscard]] std::span<const std::string_view> report_parameters();

}  // namespace valle::service::api
