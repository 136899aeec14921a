// SPDX-License-Identifier: Apache-2.0
#include "k8s/annotations/carbon_request.hpp"

#include <gtest/gtest.h>

#include "tests/support/k8s/held_objects.hpp"

namespace valle::k8s {
namespace {

using scheduler::Duration;
using tests::a_job;
using tests::at;
using namespace std::chrono_literals;

constexpr const char* k_deadline = "kueue.x-k8s.io/carbon-deadline";
constexpr Duration k_week = std::chrono::days{7};

scheduler::Result<CarbonRequest> request(std::vector<std::pair<std::string, std::string>> annotations) {
  auto job = a_job();
  for (const auto& [name, value] : annotations) job.annotated(name, value);
  return carbon_request(meta_of(job.json()));
}

/// With a run of `run` and no margin.
scheduler::Instant start_by(const CarbonRequest& request, std::string_view created, Duration run = 0s) {
  return latest_start(request, at(created), run, 0s, k_week);
}

TEST(CarbonRequest, deadline_is_elapsed_time_over_the_autumn_clock_change) {
  const auto asked = request({{k_deadline, "8h"}});
  ASSERT_TRUE(asked);
  EXPECT_EQ(start_by(*asked, "2027-10-30T22:30:00Z", 3h), at("2027-10-31T06:30:00Z"));
  EXPECT_FALSE(asked->finish_by);
}

TEST(CarbonRequest, clock_starts_with_the_job) {
  EXPECT_EQ(start_by(*request({{k_deadline, "PT6H"}}), "2027-05-20T09:00:00Z"), at("2027-05-20T15:00:00Z"));
}

TEST(CarbonRequest, of_finish_by_and_deadline_the_earlier_start_holds) {
  const auto by_end =
      request({{"valle.sh/finish-by", "2027-02-11T09:00:00+01:00"}, {"valle.sh/expected-duration", "PT2H30M"}});
  ASSERT_TRUE(by_end);
  EXPECT_EQ(by_end->expected_duration, 150min);
  EXPECT_EQ(start_by(*by_end, "2027-02-10T20:00:00Z", *by_end->expected_duration), at("2027-02-11T05:30:00Z"));
  const auto both = request({{"valle.sh/finish-by", "2027-02-11T09:00:00+01:00"}, {k_deadline, "8h"}});
  EXPECT_EQ(start_by(*both, "2027-02-10T20:00:00Z", 150min), at("2027-02-11T04:00:00Z"));
  EXPECT_EQ(instant_of(*both->finish_by, at("2027-02-10T20:00:00Z")), at("2027-02-11T08:00:00Z"));
}

TEST(CarbonRequest, margin_and_longest_wait_bound_the_start) {
  const auto by_end = request({{"valle.sh/finish-by", "10h"}});
  EXPECT_EQ(latest_start(*by_end, at("2027-02-10T00:00:00Z"), 2h, 30min, k_week), at("2027-02-10T07:30:00Z"));
  EXPECT_EQ(start_by(*request({}), "2027-02-10T00:00:00Z"), at("2027-02-17T00:00:00Z"));
}

struct Form {
  const char* text;
  std::optional<std::int64_t> seconds;
};
class CarbonDeadline : public testing::TestWithParam<Form> {};

TEST_P(CarbonDeadline, is_read_exactly_or_refused_with_the_accepted_forms) {
  const auto asked = request({{k_deadline, GetParam().text}});
  ASSERT_EQ(asked.has_value(), GetParam().seconds.has_value());
  if (asked) {
    EXPECT_EQ(std::get<Duration>(*asked->start_within), Duration{*GetParam().seconds});
    return;
  }
  EXPECT_EQ(asked.error().code, scheduler::Errc::invalid_request);
  EXPECT_EQ(asked.error().pointer, k_deadline);
  EXPECT_NE(asked.error().detail.find(k_deadline), std::string::npos);
  EXPECT_NE(asked.error().detail.find("PT8H"), std::string::npos);
}
INSTANTIATE_TEST_SUITE_P(Forms, CarbonDeadline,
                         testing::Values(Form{"1 day", {}}, Form{"P1D", 86'400}, Form{"36h", 129'600},
                                         Form{"1h30m", 5'400}, Form{"PT45M", 2'700}, Form{"-2h", {}}, Form{"P1M", {}},
                                         Form{"8 hours", {}}, Form{"", {}}, Form{"soon", {}}, Form{"0s", {}},
                                         Form{"PT0S", {}}, Form{" 8h", {}}, Form{"3600", 3'600}, Form{"7d", 604'800}));

TEST(CarbonRequest, deadline_may_be_an_instant_with_an_offset) {
  EXPECT_EQ(start_by(*request({{k_deadline, "2027-02-11T09:00:00+01:00"}}), "2027-02-10T20:00:00Z"),
            at("2027-02-11T08:00:00Z"));
  EXPECT_FALSE(request({{k_deadline, "2027-02-11T09:00:00"}}));
}

TEST(CarbonRequest, deadline_has_a_longest_value) {
  EXPECT_TRUE(request({{k_deadline, "366d"}}));
  const auto refused = request({{k_deadline, "367d"}});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().detail.find("366 days"), std::string::npos);
}

TEST(CarbonRequest, both_names_are_read_and_must_agree) {
  EXPECT_TRUE(request({{"valle.sh/carbon-deadline", "8h"}})->start_within);
  EXPECT_TRUE(request({{"valle.sh/carbon-deadline", "8h"}, {k_deadline, "8h"}}));
  const auto refused = request({{"valle.sh/carbon-deadline", "9h"}, {k_deadline, "8h"}});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().detail.find("valle.sh/carbon-deadline"), std::string::npos);
  EXPECT_NE(refused.error().detail.find(k_deadline), std::string::npos);
}

TEST(CarbonRequest, each_malformed_value_is_refused_with_its_annotation) {
  const std::vector<std::pair<std::string, std::string>> malformed{{"kueue.x-k8s.io/carbon-aware", "yes"},
                                                                   {"kueue.x-k8s.io/carbon-aware", "True"},
                                                                   {"valle.sh/carbon-aware", "1"},
                                                                   {"valle.sh/finish-by", "tomorrow"},
                                                                   {"valle.sh/expected-duration", "0s"},
                                                                   {"valle.sh/energy-kwh", "much"},
                                                                   {"valle.sh/energy-kwh", "0"},
                                                                   {"valle.sh/power-watts", "1e10"},
                                                                   {"valle.sh/power-watts", "400W"},
                                                                   {"valle.sh/power-watts", "nan"},
                                                                   {"valle.sh/regions", "FR,,ES"},
                                                                   {"valle.sh/regions", "FR,fr"},
                                                                   {"valle.sh/regions", ""},
                                                                   {"valle.sh/home-region", ""},
                                                                   {"valle.sh/run-now", "now"}};
  for (const auto& [name, value] : malformed) {
    const auto refused = request({{name, value}});
    ASSERT_FALSE(refused) << name << "=" << value;
    EXPECT_EQ(refused.error().pointer, name);
    EXPECT_NE(refused.error().detail.find(name), std::string::npos) << refused.error().detail;
  }
}

TEST(CarbonRequest, reads_everything_that_a_job_may_say) {
  const auto asked = request({{"valle.sh/energy-kwh", "12.5"},
                              {"valle.sh/regions", "FR, es ,DE"},
                              {"valle.sh/home-region", "ES"},
                              {"valle.sh/run-now", "true"}});
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->energy, scheduler::energy_from_kwh(12.5));
  EXPECT_EQ(asked->regions, (std::vector<std::string>{"FR", "es", "DE"}));
  EXPECT_EQ(asked->home_region, "ES");
  EXPECT_TRUE(asked->run_now);
}

TEST(CarbonRequest, energy_and_power_exclude_each_other) {
  EXPECT_FALSE(request({{"valle.sh/energy-kwh", "1"}, {"valle.sh/power-watts", "400"}}));
}

TEST(CarbonRequest, of_a_job_that_is_not_aware_nothing_else_is_looked_at) {
  const auto asked = request({{"kueue.x-k8s.io/carbon-aware", "false"}, {k_deadline, "soon"}});
  ASSERT_TRUE(asked);
  EXPECT_FALSE(asked->aware);
}

TEST(CarbonRequest, long_values_are_quoted_without_parting_a_character) {
  std::string value;
  for (int i = 0; i < 60; ++i) value += "\xC3\xA9";
  value.insert(0, "x");
  const auto refused = request({{k_deadline, value}});
  ASSERT_FALSE(refused);
  EXPECT_NO_THROW((void)Json(refused.error().detail).dump());
}

}  // namespace
}  // namespace valle::k8s
