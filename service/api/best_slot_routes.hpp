// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "service/app/intensity_book.hpp"
#include "service/app/places.hpp"
#include "service/http/router.hpp"
#include "service/runtime/clock.hpp"
#include "service/runtime/executors.hpp"

namespace valle::service::api {

/// What the elements of one `POST /v1/best-slots` may take together, in comparisons of about half a nanosecond. Ten
/// thousand ordinary questions take a hundredth of it; each interruptible one up to a hundredth a zone.
inline constexpr std::size_t k_most_work = 10'000'000'000;

/// What a question about slots needs. All must outlive the router.
struct BestSlotServices {
  const runtime::Clock& clock;
  const app::CurrentBook& book;
  const app::Places& places;
  runtime::WorkQueue& long_questions;  ///< for what takes more than a millisecond
  std::size_t most_work = k_most_work;
};

/// The most elements of `POST /v1/best-slots`.
inline constexpr std::size_t k_most_questions = 10'000;

/// `GET` and `POST /v1/best-slot`, `POST /v1/best-slots`.
void add_best_slot_routes(http::Router& router, const BestSlotServices& services);

}  // namespace valle::service::api
