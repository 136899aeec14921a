// SPDX-License-Identifier: Apache-2.0
// What attempts used, from a Prometheus of a few series. The run begins on 2027-02-10 at 08:00 UTC.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "connectors/prometheus/prometheus.hpp"
#include "tests/support/connectors/fake_prometheus.hpp"

namespace valle::connectors {
namespace {

using namespace scheduler;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using tests::FakePrometheus;
using tests::VirtualWaiter;

constexpr int k_eight = 1802246400;

Interval first_seconds(int seconds) {
  const Instant eight{std::chrono::seconds{k_eight}};
  return {eight, eight + std::chrono::seconds{seconds}};
}

PodOfRun pod(std::string uid, std::string name, int seconds, std::vector<std::string> boards = {}) {
  return {.uid = std::move(uid),
          .name_space = "lab",
          .name = std::move(name),
          .node = "n",
          .containers = {"main"},
          .gpu_uuids = std::move(boards),
          .ran = first_seconds(seconds)};
}

/// Values by seconds after eight.
FakePrometheus::Values at(std::initializer_list<std::pair<int, const char*>> rows) {
  FakePrometheus::Values values;
  for (const auto& [second, value] : rows) values.emplace_back(k_eight + second, value);
  return values;
}

FakePrometheus::Labels kepler(std::string uid, std::string zone = "package", std::string state = "running") {
  return {{"pod_id", std::move(uid)}, {"zone", std::move(zone)}, {"state", std::move(state)}};
}

class Meter : public ::testing::Test {
 protected:
  FakePrometheus prometheus;
  VirtualWaiter waiter;
  PrometheusOptions options{.base_urls = {"http://prometheus:9090"}};

  std::vector<MeterAnswer> measure(const std::vector<MeterQuestion>& questions) {
    auto meter = make_prometheus_meter(options, {.transport = prometheus, .waiter = waiter});
    EXPECT_TRUE(meter);
    std::vector<PodOfRun> tenants;
    for (const MeterQuestion& question : questions) {
      tenants.insert(tenants.end(), question.pods.begin(), question.pods.end());
    }
    return (*meter)->measure(questions, {.now = first_seconds(7200).end, .tenants = tenants, .tokens = tokens});
  }
  bool tokens = false;
  MeterAnswer measure(const PodOfRun& of) { return measure(std::vector{MeterQuestion{of.ran, {of}}}).front(); }
};

std::int64_t milliwatt_hours(double joules) { return std::llround(joules / 3.6); }

const EnergyFigure& only_figure(const MeterAnswer& answer) {
  static const EnergyFigure none;
  EXPECT_EQ(answer.figures.size(), 1U) << answer.detail;
  return answer.figures.empty() ? none : answer.figures.front();
}

TEST_F(Meter, reads_a_pod_by_its_uid_and_not_by_names_that_begin_alike) {
  prometheus.has("kepler_pod_cpu_joules_total", kepler("uid-a1"), at({{60, "500"}}))
      .has("kepler_pod_cpu_joules_total", kepler("uid-b2"), at({{60, "9000"}}));
  const auto answer = measure(pod("uid-a1", "prep-x7k2p", 60));
  EXPECT_EQ(answer.outcome, MeterOutcome::measured);
  const auto& figure = only_figure(answer);
  EXPECT_EQ(figure.energy.base(), milliwatt_hours(500));
  EXPECT_EQ(figure.boundary, EnergyBoundary::pod);
  EXPECT_EQ(figure.source, "kepler");
  EXPECT_THAT(figure.query, HasSubstr(R"(kepler_pod_cpu_joules_total{pod_id="uid-a1",zone=~"package|dram"})"));
  EXPECT_FALSE(figure.fingerprint.empty());
  EXPECT_THAT(figure.method, HasSubstr("package + dram"));
}

TEST_F(Meter, asks_only_for_the_chosen_domains_and_refuses_those_that_hold_each_other) {
  options.terms.domains = {"psys"};
  prometheus.has("kepler_pod_cpu_joules_total", kepler("uid-9", "psys"), at({{100, "3120"}}));
  EXPECT_EQ(only_figure(measure(pod("uid-9", "p", 100))).energy.base(), milliwatt_hours(3120));
  EXPECT_THAT(prometheus.queries().front(), HasSubstr(R"(zone="psys")"));

  options.terms.domains = {"psys", "package"};
  const auto refused = make_prometheus_meter(options, {.transport = prometheus, .waiter = waiter});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().detail, HasSubstr("psys contains package"));
}

TEST_F(Meter, counts_a_node_that_is_exported_twice_once) {
  for (const char* instance : {"10.0.0.3:28282", "10.0.0.3:28283"}) {
    auto labels = kepler("uid-12");
    labels.emplace_back("instance", instance);
    prometheus.has("kepler_pod_cpu_joules_total", labels, at({{60, "430"}, {120, "900"}}));
  }
  const auto figure = only_figure(measure(pod("uid-12", "p", 120)));
  EXPECT_EQ(figure.energy.base(), milliwatt_hours(900));
  EXPECT_THAT(figure.notes, Contains(HasSubstr("2 observers")));
}

TEST_F(Meter, joins_the_states_of_a_pod_within_one_scraper) {
  prometheus.has("kepler_pod_cpu_joules_total", kepler("uid-40"), at({{15, "75"}, {30, "150"}}))
      .has("kepler_pod_cpu_joules_total", kepler("uid-40", "package", "terminated"), at({{45, "188"}}));
  const auto figure = only_figure(measure(pod("uid-40", "p", 38)));
  EXPECT_GE(figure.energy.base(), milliwatt_hours(188));
  EXPECT_LE(figure.energy.base(), milliwatt_hours(190));
  EXPECT_EQ(figure.coverage, k_one);
}

TEST_F(Meter, puts_idle_energy_of_old_kepler_beside_and_names_the_rule) {
  const auto labels = [](const char* mode) {
    return FakePrometheus::Labels{
        {"pod_name", "sim-4"}, {"container_namespace", "lab"}, {"container_name", "main"}, {"mode", mode}};
  };
  prometheus.has("kepler_container_joules_total", labels("dynamic"), at({{300, "2600"}, {600, "5200"}}))
      .has("kepler_container_joules_total", labels("idle"), at({{300, "9400"}, {600, "18800"}}));
  const auto figure = only_figure(measure(pod("uid", "sim-4", 600)));
  EXPECT_EQ(figure.energy.base(), milliwatt_hours(5200));
  ASSERT_TRUE(figure.idle);
  EXPECT_EQ(figure.idle->base(), milliwatt_hours(18800));
  EXPECT_THAT(figure.notes, Contains(HasSubstr("idle as Kepler shares it")));
}

TEST_F(Meter, reads_old_kepler_in_the_pods_own_namespace_only) {
  prometheus.has("kepler_container_joules_total",
                 {{"pod_name", "sim-4"}, {"container_namespace", "other"}, {"mode", "dynamic"}}, at({{300, "2600"}}));
  const auto answer = measure(pod("uid", "sim-4", 600));
  EXPECT_EQ(answer.outcome, MeterOutcome::no_data);
  EXPECT_TRUE(answer.figures.empty());
}

TEST_F(Meter, reads_a_boards_counter_in_millijoules) {
  prometheus.has("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", {{"UUID", "GPU-5a01"}, {"Hostname", "node-a"}},
                 at({{0, "5400000"}, {600, "425400000"}, {1200, "845400000"}, {1800, "1265400000"}}));
  const auto figure = only_figure(measure(pod("uid", "fit-1", 1800, {"GPU-5a01"})));
  EXPECT_EQ(figure.energy, energy_from_kwh(0.35));
  EXPECT_EQ(figure.boundary, EnergyBoundary::board);
  EXPECT_EQ(figure.source, "dcgm");
  EXPECT_EQ(figure.coverage, k_one);
}

TEST_F(Meter, drops_a_sample_that_is_no_number) {
  prometheus.has("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", {{"UUID", "GPU-e5"}},
                 at({{0, "100000"}, {30, "NaN"}, {60, "160000"}}));
  const auto figure = only_figure(measure(pod("uid", "p", 60, {"GPU-e5"})));
  EXPECT_EQ(figure.energy.base(), milliwatt_hours(60));
  EXPECT_THAT(figure.notes, Contains(HasSubstr("1 samples dropped")));
}

TEST_F(Meter, shows_a_figure_as_incomplete_where_the_answer_may_be) {
  prometheus
      .has("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", {{"UUID", "GPU-e6"}}, at({{0, "5000"}, {30, "9000"}, {60, "12000"}}))
      .warns("one store did not answer");
  const auto figure = only_figure(measure(pod("uid", "p", 60, {"GPU-e6"})));
  EXPECT_EQ(figure.energy.base(), milliwatt_hours(7));
  EXPECT_FALSE(figure.complete);
}

TEST_F(Meter, counts_a_board_once_whose_value_each_instance_repeats) {
  for (const char* instance : {"1", "2", "5"}) {
    prometheus.has("DCGM_FI_DEV_POWER_USAGE", {{"UUID", "GPU-90"}, {"GPU_I_ID", instance}},
                   at({{0, "94.2"}, {30, "101.4"}}));
  }
  EXPECT_EQ(only_figure(measure(pod("uid", "p", 30, {"GPU-90"}))).energy.base(), milliwatt_hours(2934));
}

TEST_F(Meter, adds_nothing_for_a_second_replica_of_a_gauge) {
  for (const char* replica : {"prom-0", "prom-1"}) {
    prometheus.has("DCGM_FI_DEV_POWER_USAGE", {{"UUID", "GPU-91"}, {"replica", replica}},
                   at({{0, "200"}, {30, "260"}, {60, "240"}}));
  }
  const auto figure = only_figure(measure(pod("uid", "p", 60, {"GPU-91"})));
  EXPECT_EQ(figure.energy, energy_from_kwh(0.004));
  EXPECT_EQ(figure.quality, EnergyQuality::estimated) << "a gauge promises nothing";
}

TEST_F(Meter, shares_a_board_among_its_pods_so_that_they_sum_to_it) {
  std::vector<MeterQuestion> questions;
  for (const char* name : {"serve-a", "serve-b", "serve-c"}) {
    prometheus.has("DCGM_FI_DEV_POWER_USAGE",
                   {{"UUID", "GPU-77"}, {"exported_pod", name}, {"exported_namespace", "lab"}},
                   at({{0, "120"}, {1800, "120"}, {3600, "120"}}));
    const PodOfRun served = pod(std::string{"uid-"} + name, name, 3600);
    questions.push_back({served.ran, {served}});
  }
  for (const MeterAnswer& answer : measure(questions)) {
    EXPECT_EQ(only_figure(answer).energy, energy_from_kwh(0.04));
    EXPECT_TRUE(only_figure(answer).allocated);
    EXPECT_THAT(answer.boards_learnt, ElementsAre(::testing::Pair(::testing::_, "GPU-77")));
  }
}

TEST_F(Meter, shares_a_board_with_pods_that_only_the_exporter_knows) {
  for (const char* name : {"mine", "theirs"}) {
    prometheus.has("DCGM_FI_DEV_POWER_USAGE", {{"UUID", "GPU-78"}, {"pod", name}, {"namespace", "lab"}},
                   at({{0, "120"}, {1800, "120"}, {3600, "120"}}));
  }
  EXPECT_EQ(only_figure(measure(pod("uid", "mine", 3600))).energy, energy_from_kwh(0.06));
}

TEST_F(Meter, finds_the_workload_in_both_layouts_of_labels) {
  const auto values = at({{0, "150"}, {30, "150"}, {60, "150"}});
  prometheus.has("DCGM_FI_DEV_POWER_USAGE",
                 {{"UUID", "GPU-c3"},
                  {"pod", "dcgm-exporter-k8x"},
                  {"namespace", "gpu-system"},
                  {"exported_pod", "fit-3"},
                  {"exported_namespace", "lab"}},
                 values);
  EXPECT_EQ(only_figure(measure(pod("uid", "fit-3", 60))).energy.base(), milliwatt_hours(9000));
  FakePrometheus honoured;
  honoured.has("DCGM_FI_DEV_POWER_USAGE", {{"UUID", "GPU-c3"}, {"pod", "fit-3"}, {"namespace", "lab"}}, values);
  auto meter = make_prometheus_meter(options, {.transport = honoured, .waiter = waiter});
  const MeterQuestion question{first_seconds(60), {pod("uid", "fit-3", 60)}};
  const auto answers = (*meter)->measure(std::span{&question, 1}, {.now = first_seconds(7200).end});
  EXPECT_EQ(only_figure(answers.front()).energy.base(), milliwatt_hours(9000));
}

TEST_F(Meter, bills_nothing_to_the_exporters_own_pod) {
  prometheus.has("DCGM_FI_DEV_POWER_USAGE",
                 {{"UUID", "GPU-c3"},
                  {"pod", "dcgm-exporter-k8x"},
                  {"namespace", "lab"},
                  {"exported_pod", "fit-3"},
                  {"exported_namespace", "lab"}},
                 at({{0, "150"}, {60, "150"}}));
  EXPECT_EQ(measure(pod("uid", "dcgm-exporter-k8x", 60)).outcome, MeterOutcome::no_data);
}

TEST_F(Meter, reads_a_board_whichever_way_its_host_is_spelt) {
  for (const char* spelling : {"Hostname", "hostname"}) {
    FakePrometheus either;
    either.has("DCGM_FI_DEV_POWER_USAGE", {{"UUID", "GPU-d4"}, {spelling, "node-7"}},
               at({{0, "80"}, {30, "100"}, {60, "120"}}));
    auto meter = make_prometheus_meter(options, {.transport = either, .waiter = waiter});
    const MeterQuestion question{first_seconds(60), {pod("uid", "p", 60, {"GPU-d4"})}};
    const auto answers = (*meter)->measure(std::span{&question, 1}, {.now = first_seconds(7200).end});
    EXPECT_EQ(only_figure(answers.front()).energy.base(), milliwatt_hours(6000)) << spelling;
  }
}

TEST_F(Meter, gives_no_board_to_a_pod_by_an_empty_label) {
  const auto values = [](const char* watts) { return at({{0, watts}, {300, watts}, {600, watts}}); };
  prometheus.has("DCGM_FI_DEV_POWER_USAGE", {{"UUID", "GPU-a1"}, {"pod", ""}, {"namespace", ""}}, values("60"))
      .has("DCGM_FI_DEV_POWER_USAGE", {{"UUID", "GPU-b2"}}, values("310"));
  EXPECT_EQ(only_figure(measure(pod("uid", "fit-9", 600, {"GPU-b2"}))).energy.base(), milliwatt_hours(186000));
  const auto without_uuid = measure(pod("uid", "fit-9", 600));
  EXPECT_EQ(without_uuid.outcome, MeterOutcome::no_data);
  EXPECT_TRUE(without_uuid.figures.empty());
  EXPECT_TRUE(measure(pod("uid", "", 600)).figures.empty()) << "a pod without a name matches no empty label";
}

TEST_F(Meter, takes_values_that_were_pushed_for_no_measurement) {
  prometheus.has("codecarbon_energy_consumed", {{"job", "codecarbon"}, {"project_name", "nlp"}},
                 at({{0, "0.011"}, {300, "0.009"}, {600, "0.012"}}));
  const auto answer = measure(pod("uid", "p", 900));
  EXPECT_EQ(answer.outcome, MeterOutcome::no_data);
  EXPECT_TRUE(answer.figures.empty());
}

TEST_F(Meter, adds_the_pods_of_an_attempt_and_tells_that_one_was_not_seen) {
  prometheus.has("kepler_pod_cpu_joules_total", kepler("a"), at({{300, "3000"}, {600, "6000"}}));
  const MeterQuestion question{first_seconds(600), {pod("a", "x-0", 600), pod("b", "x-1", 600)}};
  const auto answers = measure({question});
  const auto figure = only_figure(answers.front());
  EXPECT_EQ(figure.energy.base(), milliwatt_hours(6000));
  EXPECT_FALSE(figure.complete);
  EXPECT_EQ(figure.coverage, Ratio::of_base(500'000));
  EXPECT_EQ(figure.quality, EnergyQuality::estimated);
  EXPECT_THAT(figure.notes, Contains(HasSubstr("no samples of a pod")));
}

TEST_F(Meter, gives_boards_and_pods_a_figure_each) {
  prometheus.has("kepler_pod_cpu_joules_total", kepler("a"), at({{300, "3000"}, {600, "6000"}}))
      .has("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", {{"UUID", "GPU-1"}},
           at({{0, "0"}, {300, "90000000"}, {600, "180000000"}}));
  const auto answer = measure(pod("a", "x", 600, {"GPU-1"}));
  ASSERT_EQ(answer.figures.size(), 2U);
  EXPECT_EQ(answer.figures[0].boundary, EnergyBoundary::board);
  EXPECT_EQ(answer.figures[0].energy.base(), milliwatt_hours(180'000));
  EXPECT_EQ(answer.figures[1].boundary, EnergyBoundary::pod);
  EXPECT_EQ(answer.figures[1].energy.base(), milliwatt_hours(6'000));
}

TEST_F(Meter, is_unknown_and_asked_again_where_a_proxy_answers) {
  prometheus.has("kepler_pod_cpu_joules_total", kepler("a"), at({{60, "500"}}))
      .says(502, "text/html", "<html>Bad Gateway</html>");
  const auto answer = measure(pod("a", "x", 60));
  EXPECT_EQ(answer.outcome, MeterOutcome::unavailable);
  EXPECT_TRUE(answer.figures.empty());
  EXPECT_EQ(prometheus.queries().size(), 3U);
}

TEST_F(Meter, is_unknown_where_the_answer_is_empty) {
  prometheus.has("kepler_pod_cpu_joules_total", kepler("another"), at({{60, "500"}}));
  const auto answer = measure(pod("a", "x", 60));
  EXPECT_EQ(answer.outcome, MeterOutcome::no_data);
  EXPECT_TRUE(answer.figures.empty());
}

TEST_F(Meter, says_when_there_is_no_source_at_all) {
  const auto answer = measure(pod("a", "x", 60));
  EXPECT_EQ(answer.outcome, MeterOutcome::no_data);
  EXPECT_THAT(answer.detail, HasSubstr("no source of energy"));
}

TEST_F(Meter, asks_for_a_thousand_pods_at_once) {
  std::vector<MeterQuestion> questions;
  for (int i = 0; i < 2'001; ++i) {
    const std::string uid = "uid-" + std::to_string(i);
    prometheus.has("kepler_pod_cpu_joules_total", kepler(uid), at({{60, "360"}}));
    questions.push_back({first_seconds(60), {pod(uid, "p" + std::to_string(i), 60)}});
  }
  for (const MeterAnswer& answer : measure(questions)) EXPECT_EQ(only_figure(answer).energy.base(), 100);
  EXPECT_EQ(prometheus.queries().size(), 3U);
}

TEST_F(Meter, asks_for_fewer_where_they_ran_for_long) {
  std::vector<MeterQuestion> questions;
  for (int i = 0; i < 20; ++i) {
    questions.push_back({first_seconds(7 * 86'400), {pod("uid-" + std::to_string(i), "p", 7 * 86'400)}});
  }
  prometheus.has("kepler_pod_cpu_joules_total", kepler("uid-0"), at({{60, "500"}}));
  (void)measure(questions);
  EXPECT_EQ(prometheus.queries().size(), 4U);  // 80,648 samples a pod, 500,000 a query
}

TEST_F(Meter, reads_old_millijoules_under_a_name_that_says_joules) {
  prometheus.has("kepler_container_joules_total",
                 {{"pod_name", "p"}, {"container_namespace", "lab"}, {"mode", "dynamic"}},
                 at({{300, "2600000"}, {600, "5200000"}}));
  // The ratio of total and components is asked for once; this Prometheus answers all of the metric with raw samples.
  const auto figure = only_figure(measure(pod("uid", "p", 600)));
  EXPECT_THAT(prometheus.queries(), Contains(HasSubstr("kepler_container_(package|dram|other|gpu)")));
  EXPECT_EQ(figure.boundary, EnergyBoundary::pod);
}

TEST_F(Meter, refuses_sources_and_servers_that_there_are_not) {
  options.sources = {"sorcery"};
  EXPECT_FALSE(make_prometheus_meter(options, {.transport = prometheus, .waiter = waiter}));
  options = {.base_urls = {}};
  EXPECT_FALSE(make_prometheus_meter(options, {.transport = prometheus, .waiter = waiter}));
  EXPECT_THAT(prometheus_sources(), ElementsAre("kepler", "dcgm", "scaphandre"));
}

TEST_F(Meter, settles_after_the_last_values_have_come) {
  options.terms.scrape_seconds = 15;
  auto meter = make_prometheus_meter(options, {.transport = prometheus, .waiter = waiter});
  EXPECT_EQ((*meter)->settles_after(), std::chrono::seconds{4 * 30 + 15});
  EXPECT_EQ((*meter)->name(), "prometheus");
}

TEST_F(Meter, counts_tokens_of_its_own_pod_and_only_if_they_are_wanted) {
  // 0.5 J a token: 100 W, 200 tokens a second.
  prometheus.has("kepler_pod_cpu_joules_total", kepler("uid-1"), at({{15, "1500"}, {30, "3000"}, {45, "4500"}}));
  for (const char* space : {"lab", "other"}) {
    prometheus.has("vllm:generation_tokens_total", {{"pod", "p"}, {"namespace", space}, {"model_name", space}},
                   at({{15, "3000"}, {30, "6000"}, {45, "9000"}}));
  }
  EXPECT_TRUE(measure(pod("uid-1", "p", 45)).tokens.empty());
  for (const std::string& query : prometheus.queries()) EXPECT_THAT(query, Not(HasSubstr("vllm")));
  tokens = true;
  const auto figures = measure(pod("uid-1", "p", 45)).tokens;
  ASSERT_EQ(figures.size(), 1U);
  EXPECT_EQ(figures[0].model, "lab");
  EXPECT_EQ(figures[0].boundary, EnergyBoundary::pod);
  EXPECT_DOUBLE_EQ(figures[0].tokens, 6000);
  EXPECT_DOUBLE_EQ(figures[0].joules / figures[0].tokens, 0.5);
}

}  // namespace
}  // namespace valle::connectors
