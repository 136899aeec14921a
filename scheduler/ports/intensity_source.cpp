// SPDX-License-Identifier: Apache-2.0
#include "scheduler/ports/intensity_source.hpp"

namespace valle::scheduler {

std::string_view to_text(Signal signal) {
  switch (signal) {
    case Signal::measured: return "measured";
    case Signal::forecast: return "forecast";
    case Signal::price: return "price";
    case Signal::grid_forecast: return "grid-forecast";
  }
  return "";
}

std::string_view to_text(Outcome outcome) {
  switch (outcome) {
    case Outcome::data: return "data";
    case Outcome::no_data: return "no-data";
    case Outcome::bad_answer: return "bad-answer";
    case Outcome::authentication: return "authentication";
    case Outcome::not_covered: return "plan-does-not-cover";
    case Outcome::blocked: return "blocked";
    case Outcome::rate_limited: return "rate-limited";
    case Outcome::unavailable: return "unavailable";
    case Outcome::not_offered: return "not-offered";
    case Outcome::budget_spent: return "budget-spent";
    case Outcome::misconfigured: return "misconfigured";
  }
  return "";
}

}  // namespace valle::scheduler
