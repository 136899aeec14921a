// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "service/app/forecast_scores.hpp"
#include "service/app/intensity_book.hpp"
#include "service/app/places.hpp"
#include "service/app/store_access.hpp"
#include "service/http/router.hpp"
#include "service/runtime/clock.hpp"
#include "service/runtime/executors.hpp"

namespace valle::service::api {

/// What questions about known numbers need. All must outlive the router.
struct IntensityServices {
  const runtime::Clock& clock;
  const app::CurrentBook& book;
  const app::Places& places;
  app::StoreAccess& store;
  runtime::WorkQueue& long_questions;
  std::function<std::shared_ptr<const app::ForecastScores>()> scores = {};  ///< how good forecasts have been
};

/// `GET /v1/zones`, `/v1/intensity`, `/v1/prices`, `/v1/forecast`.
void add_intensity_routes(http::Router& router, const IntensityServices& services);

}  // namespace valle::service::api
