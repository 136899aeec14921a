// SPDX-License-Identifier: Apache-2.0
// Finished attempts get their energy from a meter that answers by script.
#include "service/app/measure_cycle.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "service/runtime/log.hpp"
#include "service/store/migrator.hpp"
#include "service/store/run_repository.hpp"
#include "tests/support/runs.hpp"
#include "tests/support/temporary_folder.hpp"

namespace valle::service::app {
namespace {

using namespace scheduler;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using tests::at;
using tests::RunBuilder;

EnergyFigure board_figure(double kwh) {
  EnergyFigure figure;
  figure.boundary = EnergyBoundary::board;
  figure.quality = EnergyQuality::measured;
  figure.energy = energy_from_kwh(kwh);
  figure.coverage = k_one;
  figure.source = "dcgm";
  return figure;
}

Calibration on_a_wattmeter() {
  Calibration calibration;
  calibration.node_type = "gpu-*";
  calibration.source = "dcgm";
  calibration.boundary = EnergyBoundary::board;
  calibration.factor = ratio_from_number(1.1);
  calibration.meter = "WT310E";
  return calibration;
}

/// Answers all questions alike, and remembers them.
class ScriptedMeter final : public EnergyMeter {
 public:
  std::string name() const override { return "scripted"; }
  Duration settles_after() const override { return std::chrono::minutes{2}; }
  std::vector<MeterAnswer> measure(std::span<const MeterQuestion> questions,
                                   const MeterSurroundings& surroundings) override {
    asked.emplace_back(questions.begin(), questions.end());
    tenants.assign(surroundings.tenants.begin(), surroundings.tenants.end());
    return std::vector<MeterAnswer>(questions.size(), answer);
  }

  MeterAnswer answer{.outcome = MeterOutcome::measured, .figures = {board_figure(1.5)}};
  std::vector<std::vector<MeterQuestion>> asked;
  std::vector<PodOfRun> tenants;
};

/// A run with one pod, from ten past nine to ten.
RunBuilder a_run(const std::string& id) {
  RunBuilder run{id};
  run.ran("2027-02-10T09:10:00Z", "2027-02-10T10:00:00Z");
  run.attempt().pods = {{.uid = "uid-" + id,
                         .name_space = "lab",
                         .name = id,
                         .node = {},
                         .containers = {},
                         .gpu_uuids = {},
                         .ran = run.attempt().ran}};
  return run;
}

class Measuring : public ::testing::Test {
 protected:
  void SetUp() override {
    runtime::log::set_level(runtime::log::Level::off);
    auto writer = store::open_store(folder / "valle.db").value();
    std::vector<std::unique_ptr<store::Database>> readers;
    readers.push_back(store::open_reader(folder / "valle.db").value());
    store = std::make_unique<StoreAccess>(writing, std::move(writer), reading, std::move(readers));
    auto made = std::make_unique<ScriptedMeter>();
    meter = made.get();
    cycle = std::make_unique<MeasureCycle>(MeasureCycle::Services{.clock = clock,
                                                                  .store = *store,
                                                                  .connectors = asking,
                                                                  .timers = timers,
                                                                  .metrics = metrics,
                                                                  .meter = std::move(made),
                                                                  .config = {.calibration = {on_a_wattmeter()}},
                                                                  .may_act = [this] { return leading; }});
  }
  void TearDown() override {
    for (auto* queue : {&asking, &reading, &writing}) queue->close();
    for (auto* queue : {&asking, &reading, &writing}) (void)queue->wait_idle(std::chrono::seconds{30});
    runtime::log::set_level(runtime::log::Level::info);
  }

  void keep(const scheduler::Run& run) {
    const std::string ids[] = {run.id};
    const auto kept = store->write_now([&](store::Database& database) {
      return store::RunRepository{database}.change(ids, [&](const std::string&, const scheduler::Run*) { return run; });
    });
    ASSERT_TRUE(kept) << kept.error().detail;
  }
  scheduler::Run stored(const std::string& id) {
    auto run = store->read_now([&](store::Database& database) { return store::RunRepository{database}.find(id); });
    EXPECT_TRUE(run && *run);
    return run.value().value_or(scheduler::Run{});
  }
  void settle() {
    for (int round = 0; round < 2; ++round) {
      for (auto* queue : {&asking, &reading, &writing}) EXPECT_TRUE(queue->wait_idle(std::chrono::seconds{30}));
    }
  }
  void round_at(const std::string& instant) {
    ASSERT_TRUE(clock.advance_to(at(instant), [this] { settle(); }));
    cycle->tick();
    settle();
  }

  tests::TemporaryFolder folder;
  runtime::TestClock clock{at("2027-02-10T10:00:00Z")};
  runtime::Metrics metrics;
  bool leading = true;
  std::unique_ptr<StoreAccess> store;
  ScriptedMeter* meter = nullptr;
  std::unique_ptr<MeasureCycle> cycle;
  runtime::WorkQueue writing{{.name = "writing"}};
  runtime::WorkQueue reading{{.name = "reading"}};
  runtime::WorkQueue asking{{.name = "asking"}};
  runtime::Io io;
  runtime::Timers timers{clock, io};
};

TEST_F(Measuring, gives_a_finished_attempt_its_figure_once_its_last_samples_have_come) {
  keep(a_run("a"));
  round_at("2027-02-10T10:01:59Z");
  EXPECT_TRUE(meter->asked.empty());
  round_at("2027-02-10T10:02:00Z");
  ASSERT_THAT(meter->asked, SizeIs(1));
  EXPECT_EQ(meter->asked[0][0].pods[0].uid, "uid-a");
  EXPECT_THAT(stored("a").attempts[0].figures, ElementsAre(board_figure(1.5)));
  EXPECT_THAT(metrics.text(), HasSubstr("valle_measured_energy_kwh_total{boundary=\"board\"} 1.5"));
  EXPECT_THAT(metrics.text(), HasSubstr("valle_energy_measurements_total{outcome=\"measured\"} 1"));
}

TEST_F(Measuring, measures_an_attempt_once) {
  keep(a_run("a"));
  round_at("2027-02-10T10:05:00Z");
  round_at("2027-02-10T10:10:00Z");
  EXPECT_THAT(meter->asked, SizeIs(1));
}

TEST_F(Measuring, keeps_what_the_caller_has_told_beside_what_was_read) {
  auto run = a_run("a");
  run.kwh(2);
  keep(run);
  round_at("2027-02-10T10:05:00Z");
  const auto figures = stored("a").attempts[0].figures;
  ASSERT_THAT(figures, SizeIs(2));
  EXPECT_EQ(figures[0].boundary, EnergyBoundary::job);
  EXPECT_EQ(figures[1].boundary, EnergyBoundary::board);
}

TEST_F(Measuring, keeps_the_boards_that_the_meter_learnt) {
  meter->answer.boards_learnt = {{"uid-a", "GPU-1"}, {"uid-a", "GPU-2"}, {"another", "GPU-3"}};
  keep(a_run("a"));
  round_at("2027-02-10T10:05:00Z");
  EXPECT_THAT(stored("a").attempts[0].pods[0].gpu_uuids, ElementsAre("GPU-1", "GPU-2"));
}

TEST_F(Measuring, measures_the_failed_attempt_of_a_job_that_is_tried_again) {
  auto run = a_run("a");
  run.then("2027-02-10T10:01:00Z", "2027-02-10T10:30:00Z");
  run.attempt().outcome = AttemptOutcome::running;
  run.attempt().pods = {{.uid = "uid-second",
                         .name_space = "lab",
                         .name = "a-2",
                         .node = {},
                         .containers = {},
                         .gpu_uuids = {},
                         .ran = run.attempt().ran}};
  run.run().finished.reset();
  keep(run);
  round_at("2027-02-10T10:20:00Z");
  EXPECT_THAT(stored("a").attempts[0].figures, SizeIs(1));
  EXPECT_TRUE(stored("a").attempts[1].figures.empty()) << "it still runs";
}

TEST_F(Measuring, tells_the_meter_who_else_ran_near) {
  keep(a_run("a"));
  auto neighbour = a_run("b");
  neighbour.ran("2027-02-10T08:00:00Z", "2027-02-10T09:05:00Z");
  neighbour.attempt().pods[0].ran = neighbour.attempt().ran;
  keep(neighbour);
  round_at("2027-02-10T10:05:00Z");
  EXPECT_THAT(meter->tenants, SizeIs(2));
}

TEST_F(Measuring, asks_again_while_the_source_is_away_and_takes_no_half_of_an_answer) {
  meter->answer = {.outcome = MeterOutcome::unavailable, .figures = {board_figure(1)}, .detail = "answered 502"};
  keep(a_run("a"));
  round_at("2027-02-10T10:05:00Z");
  EXPECT_TRUE(stored("a").attempts[0].figures.empty());
  meter->answer = {.outcome = MeterOutcome::measured, .figures = {board_figure(3)}};
  round_at("2027-02-10T10:10:00Z");
  EXPECT_THAT(stored("a").attempts[0].figures, ElementsAre(board_figure(3)));
}

TEST_F(Measuring, calls_an_attempt_unknown_that_nobody_has_seen) {
  meter->answer = {.outcome = MeterOutcome::no_data};
  keep(a_run("a"));
  round_at("2027-02-10T10:05:00Z");
  EXPECT_TRUE(stored("a").attempts[0].figures.empty()) << "late data may still come";
  round_at("2027-02-10T11:00:00Z");
  const auto figures = stored("a").attempts[0].figures;
  ASSERT_THAT(figures, SizeIs(1));
  EXPECT_EQ(figures[0].quality, EnergyQuality::unknown);
  round_at("2027-02-10T11:05:00Z");
  EXPECT_THAT(meter->asked, SizeIs(2));
}

TEST_F(Measuring, shows_what_a_wattmeter_would_have_shown_on_calibrated_machines) {
  RunBuilder calibrated = a_run("a"), other = a_run("b");
  calibrated.attempt().pods[0].node = "gpu-7";
  other.attempt().pods[0].node = "cpu-7";
  keep(calibrated);
  keep(other);
  round_at("2027-02-10T10:02:00Z");
  const auto figure = stored("a").attempts[0].figures.at(0);
  EXPECT_EQ(figure.energy, energy_from_kwh(1.65));
  EXPECT_THAT(figure.notes, ElementsAre(HasSubstr("WT310E")));
  EXPECT_EQ(stored("b").attempts[0].figures.at(0).energy, energy_from_kwh(1.5));
}

TEST_F(Measuring, gives_up_on_a_source_that_stays_away_for_a_day) {
  meter->answer = {.outcome = MeterOutcome::unavailable, .detail = "answered 502"};
  keep(a_run("a"));
  round_at("2027-02-11T09:59:00Z");
  EXPECT_TRUE(stored("a").attempts[0].figures.empty());
  round_at("2027-02-11T10:59:00Z");
  const auto figures = stored("a").attempts[0].figures;
  ASSERT_THAT(figures, SizeIs(1));
  EXPECT_EQ(figures[0].quality, EnergyQuality::unknown);
  EXPECT_THAT(figures[0].notes, ElementsAre("answered 502"));
}

TEST_F(Measuring, leaves_it_to_the_leader) {
  leading = false;
  keep(a_run("a"));
  round_at("2027-02-10T10:05:00Z");
  EXPECT_TRUE(meter->asked.empty());
}

TEST_F(Measuring, asks_for_a_thousand_at_a_time) {
  std::vector<std::string> ids;
  for (int i = 0; i < 1'001; ++i) ids.push_back("job-" + std::to_string(i));
  const auto kept = store->write_now([&](store::Database& database) {
    return store::RunRepository{database}.change(
        ids,
        [](const std::string& id, const scheduler::Run*) -> std::optional<scheduler::Run> { return a_run(id).run(); });
  });
  ASSERT_TRUE(kept);
  round_at("2027-02-10T10:05:00Z");
  ASSERT_THAT(meter->asked, SizeIs(2));
  EXPECT_THAT(meter->asked[0], SizeIs(1'000));
  EXPECT_THAT(meter->asked[1], SizeIs(1));
}

TEST(DueAttempts, are_those_that_have_ended_with_pods_and_without_a_reading) {
  auto without_pods = a_run("no-pods");
  without_pods.attempt().pods.clear();
  auto measured = a_run("measured");
  measured.attempt().figures = {board_figure(1)};
  auto running = a_run("running");
  running.attempt().outcome = AttemptOutcome::running;
  auto earlier = a_run("earlier");
  earlier.ran("2027-02-10T08:00:00Z", "2027-02-10T09:00:00Z");
  const scheduler::Run runs[] = {a_run("a"), without_pods, measured, running, earlier};
  const auto due = due_attempts(runs, at("2027-02-10T10:05:00Z"), std::chrono::minutes{2});
  ASSERT_THAT(due, SizeIs(2));
  EXPECT_EQ(due[0].key, (AttemptKey{"earlier", 1}));
  EXPECT_EQ(due[1].key, (AttemptKey{"a", 1}));
}

TEST(DueAttempts, an_answer_for_an_attempt_that_is_gone_changes_nothing) {
  const scheduler::Run run = a_run("a");
  EXPECT_EQ(with_answer(run, 7, {.figures = {board_figure(1)}}), run);
}

}  // namespace
}  // namespace valle::service::app
