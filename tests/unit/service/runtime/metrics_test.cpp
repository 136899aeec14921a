// SPDX-License-Identifier: Apache-2.0
#include "service/runtime/metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace valle::service::runtime {
namespace {

using testing::HasSubstr;

TEST(Metrics, a_counter_without_labels_is_there_from_the_start_and_one_with_labels_from_its_first_use) {
  Metrics metrics;
  auto& cycles = metrics.counter("valle_plan_cycles_total", "Plan cycles.");
  auto& requests = metrics.counter("valle_source_requests_total", "Requests to providers.", {"source", "outcome"});
  EXPECT_EQ(metrics.text(),
            "# HELP valle_plan_cycles_total Plan cycles.\n"
            "# TYPE valle_plan_cycles_total counter\n"
            "valle_plan_cycles_total 0\n"
            "# HELP valle_source_requests_total Requests to providers.\n"
            "# TYPE valle_source_requests_total counter\n");
  cycles.with({}).add();
  requests.with({"esios", "data"}).add(2);
  requests.with({"energy-charts", "no-data"}).add();
  requests.with({"esios", "data"}).add(0.5);
  EXPECT_EQ(metrics.text(),
            "# HELP valle_plan_cycles_total Plan cycles.\n"
            "# TYPE valle_plan_cycles_total counter\n"
            "valle_plan_cycles_total 1\n"
            "# HELP valle_source_requests_total Requests to providers.\n"
            "# TYPE valle_source_requests_total counter\n"
            "valle_source_requests_total{source=\"energy-charts\",outcome=\"no-data\"} 1\n"
            "valle_source_requests_total{source=\"esios\",outcome=\"data\"} 2.5\n");
}

TEST(Metrics, an_unknown_gauge_is_absent_and_a_zero_is_a_zero) {
  Metrics metrics;
  auto& intensity = metrics.gauge("grid_carbon_intensity_gco2_kwh", "Now.", {"zone"});
  intensity.with({"FR"}).set(0);
  intensity.with({"ES"}).set(184.557);
  intensity.with({"DE"});
  EXPECT_THAT(metrics.text(), HasSubstr("gauge\n"
                                        "grid_carbon_intensity_gco2_kwh{zone=\"ES\"} 184.557\n"
                                        "grid_carbon_intensity_gco2_kwh{zone=\"FR\"} 0\n"));
  EXPECT_THAT(metrics.text(), testing::Not(HasSubstr("DE")));
  intensity.with({"ES"}).clear();
  EXPECT_THAT(metrics.text(), testing::Not(HasSubstr("ES")));
}

TEST(Metrics, a_histograms_buckets_are_cumulative_and_hold_their_bound) {
  Metrics metrics;
  auto& seconds = metrics.histogram("valle_plan_duration_seconds", "How long.", {}, {0.5, 1});
  for (const double value : {0.25, 0.5, 0.75, 8.0}) seconds.with({}).observe(value);
  EXPECT_EQ(metrics.text(),
            "# HELP valle_plan_duration_seconds How long.\n"
            "# TYPE valle_plan_duration_seconds histogram\n"
            "valle_plan_duration_seconds_bucket{le=\"0.5\"} 2\n"
            "valle_plan_duration_seconds_bucket{le=\"1\"} 3\n"
            "valle_plan_duration_seconds_bucket{le=\"+Inf\"} 4\n"
            "valle_plan_duration_seconds_sum 9.5\n"
            "valle_plan_duration_seconds_count 4\n");
}

TEST(Metrics, backslash_quote_and_newline_are_escaped) {
  Metrics metrics;
  metrics.gauge("g", "first\nsecond \\ \"quoted\"", {"owner"}).with({"a\"b\\c\nd"}).set(INFINITY);
  EXPECT_EQ(metrics.text(),
            "# HELP g first\\nsecond \\\\ \"quoted\"\n"
            "# TYPE g gauge\n"
            "g{owner=\"a\\\"b\\\\c\\nd\"} +Inf\n");
}

TEST(Metrics, ages_are_updated_just_before_the_text) {
  Metrics metrics;
  auto& age = metrics.gauge("valle_intensity_age_seconds", "Age.");
  int calls = 0;
  metrics.before_text([&] { age.with({}).set(++calls); });
  EXPECT_THAT(metrics.text(), HasSubstr("valle_intensity_age_seconds 1\n"));
  EXPECT_THAT(metrics.text(), HasSubstr("valle_intensity_age_seconds 2\n"));
}

TEST(Metrics, a_label_that_is_not_closed_after_all_cannot_eat_the_memory) {
  Metrics metrics;
  auto& saved = metrics.counter("valle_saved_carbon_grams_total", "Saved.", {"owner"});
  for (int i = 0; i < 1500; ++i) saved.with({"team-" + std::to_string(i)}).add();
  EXPECT_EQ(saved.series().size(), Family<Counter>::k_most_series + 1);
  EXPECT_THAT(metrics.text(), HasSubstr("{owner=\"other\"} 500\n"));
  EXPECT_THAT(metrics.text(), HasSubstr("{owner=\"team-999\"} 1\n"));
}

TEST(MetricsDeathTest, wrong_names_and_falling_counters_stop_the_program) {
  Metrics metrics;
  EXPECT_DEATH(metrics.counter("2fast", ""), "rules");
  EXPECT_DEATH(metrics.counter("a", "", {"b:c"}), "rules");
  EXPECT_DEATH(metrics.counter("a", "").with({"surplus"}), "one value a label");
  EXPECT_DEATH(metrics.counter("a", "").with({}).add(-1), "only rises");
  metrics.gauge("twice", "");
  EXPECT_DEATH(metrics.counter("twice", ""), "declared once");
}

}  // namespace
}  // namespace valle::service::runtime
