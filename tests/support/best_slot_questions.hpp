// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "service/api/best_slot_codec.hpp"
#include "service/http/problem.hpp"
#include "tests/support/readings.hpp"

namespace valle::tests {

/// Step after step from `start`; a value below zero leaves its step out.
inline std::vector<scheduler::IntensityReading> steps(std::string_view zone, std::string_view start,
                                                      scheduler::Duration step, const std::vector<double>& grams) {
  std::vector<scheduler::IntensityReading> readings;
  scheduler::Instant begin = at(start);
  for (const double value : grams) {
    if (value >= 0) readings.push_back(ReadingBuilder{zone, begin, value}.lasting(step));
    begin += step;
  }
  return readings;
}

struct Row {
  std::string_view begin;
  std::string_view end;
  double grams;
};
inline std::vector<scheduler::IntensityReading> rows(std::string_view zone, const std::vector<Row>& list) {
  std::vector<scheduler::IntensityReading> readings;
  for (const auto& row : list) {
    readings.push_back(ReadingBuilder{zone, at(row.begin), row.grams}.lasting(at(row.end) - at(row.begin)));
  }
  return readings;
}

inline std::vector<scheduler::IntensityReading> operator+(std::vector<scheduler::IntensityReading> a,
                                                          const std::vector<scheduler::IntensityReading>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// The readings as a forecast issued at `issued`.
inline std::vector<scheduler::IntensityReading> as_forecast(std::vector<scheduler::IntensityReading> readings,
                                                            std::string_view issued) {
  for (auto& reading : readings) {
    reading.kind = scheduler::ReadingKind::forecast;
    reading.updated_at = at(issued);
  }
  return readings;
}

/// A book that one source has written.
inline std::shared_ptr<const service::app::IntensityBook> a_book(std::vector<scheduler::IntensityReading> readings) {
  const auto empty = std::make_shared<const service::app::IntensityBook>();
  return empty->with("files", "made up", a_harvest(std::move(readings))).value();
}

/// A question in the contract's JSON and its answer, an error as its problem document.
inline service::api::Json ask(const service::app::IntensityBook& book, std::string_view now, std::string_view request,
                              const service::app::Places& places = service::app::Places{service::runtime::Config{}}) {
  using namespace service;
  const auto answer =
      api::parse_json(request, api::k_request_limits)
          .and_then([](const api::Json& body) { return api::read_best_slot(body); })
          .and_then([&](const app::BestSlotRequest& asked) { return app::best_slot(asked, book, places, at(now)); })
          .map(api::best_slot_json);
  return api::Json::parse(answer ? *answer : http::problem_document(answer.error()).dump());
}

/// Everything that `expected` says is so in `actual`, which may say more; numbers to 0.0006, instants and texts
/// exactly.
inline void expect_like(const service::api::Json& actual, const service::api::Json& expected,
                        const std::string& at = "") {
  if (expected.is_object()) {
    ASSERT_TRUE(actual.is_object()) << at << ": " << actual;
    for (const auto& [name, value] : expected.items()) {
      ASSERT_TRUE(actual.contains(name)) << at << "/" << name << " is missing in " << actual;
      expect_like(actual.at(name), value, at + "/" + name);
    }
  } else if (expected.is_array()) {
    ASSERT_TRUE(actual.is_array() && actual.size() == expected.size()) << at << ": " << actual;
    for (std::size_t i = 0; i < expected.size(); ++i) expect_like(actual[i], expected[i], at + "/" + std::to_string(i));
  } else if (expected.is_number()) {
    ASSERT_TRUE(actual.is_number()) << at << ": " << actual;
    EXPECT_NEAR(actual.get<double>(), expected.get<double>(), 0.0006) << at;
  } else {
    EXPECT_EQ(actual, expected) << at;
  }
}

}  // namespace valle::tests
