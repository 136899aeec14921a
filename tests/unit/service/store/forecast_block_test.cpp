// SPDX-License-Identifier: Apache-2.0
#include "service/store/forecast_block.hpp"

#include <gtest/gtest.h>

#include "tests/support/readings.hpp"

namespace valle::service::store {
namespace {

using scheduler::Duration;
using scheduler::Instant;
using tests::at;

std::vector<ForecastStep> day_of_hours() {
  std::vector<ForecastStep> steps;
  Instant hour = at("2027-09-14T06:00:00Z");
  for (int i = 0; i < 72; ++i, hour += std::chrono::hours{1}) {
    steps.push_back({{hour, hour + std::chrono::hours{1}}, 40'000 + 1'500 * (i % 7) - 800 * (i % 5), i % 3 == 0});
  }
  return steps;
}

TEST(ForecastBlock, gives_back_what_was_packed) {
  std::vector<ForecastStep> steps = day_of_hours();
  steps[10].interval.end += Duration{900};
  steps.erase(steps.begin() + 11);       // a long step, then a hole
  steps[20].value = -3'000'000'000'000;  // mW may be large
  steps[30].value = 900'000'000'000'000;
  steps.insert(steps.begin(), {{Instant{Duration{0}}, Instant{Duration{1}}}, 0, false});
  EXPECT_EQ(unpack_forecast(pack_forecast(steps)), steps);
  EXPECT_EQ(unpack_forecast(""), std::vector<ForecastStep>{});
}

TEST(ForecastBlock, takes_about_three_bytes_a_step_on_a_regular_grid) {
  EXPECT_LE(pack_forecast(day_of_hours()).size(), 72u * 3 + 12);
}

TEST(ForecastBlock, damaged_bytes_are_noticed_or_give_other_steps_but_never_crash) {
  const std::string bytes = pack_forecast(day_of_hours());
  for (std::size_t length = 1; length < 6; ++length) {
    EXPECT_FALSE(unpack_forecast(std::string_view{bytes}.substr(0, length)));  // inside the first step
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const int bit : {1, 2, 0x40, 0x80}) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ bit);
      (void)unpack_forecast(damaged);
    }
  }
  EXPECT_FALSE(unpack_forecast(std::string(12, '\xFF')));
  EXPECT_FALSE(unpack_forecast(std::string(1, '\0')));  // a step of no length
}

}  // namespace
}  // namespace valle::service::store
