// SPDX-License-Identifier: Apache-2.0
#include "service/store/run_repository.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/account/posted.hpp"
#include "service/store/migrator.hpp"
#include "tests/support/readings.hpp"
#include "tests/support/temporary_folder.hpp"

namespace valle::service::store {
namespace {

using namespace scheduler;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using tests::at;

Run a_run(const std::string& id, const std::string& end = "2027-06-14T15:00:00Z") {
  Run run;
  run.id = run.name = id;
  run.owner = "lab";
  run.submitted = at("2027-06-14T08:00:00Z");
  run.home_site = "es";
  run.finished = at(end);
  Attempt attempt;
  attempt.site = "fr";
  attempt.ran = {at("2027-06-14T13:00:00Z"), at(end)};
  attempt.outcome = AttemptOutcome::finished;
  attempt.figures = {posted_figure(energy_from_kwh(2.4))};
  run.attempts = {attempt};
  return run;
}

PodOfRun a_pod(const std::string& uid, Interval ran) {
  return {.uid = uid,
          .name_space = "lab",
          .name = "fit-" + uid,
          .node = "n1",
          .containers = {"main"},
          .gpu_uuids = {"GPU-1", "GPU-2"},
          .ran = ran};
}

/// A run of a cluster with everything that a run can hold.
Run a_measured_run(const std::string& id) {
  Run run = a_run(id);
  run.name = "lab/fit";
  run.home_pue = ratio_from_number(1.3);
  run.cap = PowerCap{power_from_watts(500), std::chrono::hours{3}, power_from_watts(700), std::chrono::hours{2}};
  run.planned_saved = Emissions::of_base(-120);
  run.start_by = at("2027-06-14T14:00:00Z");
  run.gpus = Amount::of_base(8000);
  run.label = "llama-70b";
  Attempt& first = run.attempts.front();
  first.outcome = AttemptOutcome::failed;
  first.ran.end = at("2027-06-14T13:30:00Z");
  first.pods = {a_pod("u1", first.ran)};
  first.pue = ratio_from_number(1.2);
  EnergyFigure figure;
  figure.boundary = EnergyBoundary::board;
  figure.quality = EnergyQuality::estimated;
  figure.energy = energy_from_kwh(0.3);
  figure.uncertainty = energy_from_kwh(0.01);
  figure.idle = energy_from_kwh(0.05);
  figure.coverage = ratio_from_number(0.9);
  figure.complete = false;
  figure.allocated = true;
  figure.profile = {{{first.ran.begin, first.ran.end}, energy_from_kwh(0.3)}};
  figure.uncovered = {{{first.ran.begin, first.ran.end}, "no samples"}};
  figure.source = "dcgm";
  figure.method = "inner rate";
  figure.sampling = std::chrono::seconds{15};
  figure.query = "x{y=\"z\"}";
  figure.fingerprint = "00ff";
  figure.notes = {"1 sample dropped", "restart bridged"};
  first.figures = {figure};
  Attempt second = first;
  second.number = 2;
  second.ran = {at("2027-06-14T13:40:00Z"), *run.finished};
  second.outcome = AttemptOutcome::finished;
  second.pods = {a_pod("u2", second.ran)};
  run.attempts.push_back(second);
  return run;
}

class RunRepositoryTest : public ::testing::Test {
 protected:
  Result<PostedRuns> post(std::vector<scheduler::Run> runs) { return ledger_.post(runs); }
  void put(const scheduler::Run& run) {
    ASSERT_TRUE(
        ledger_.change({{run.id}}, [&](const std::string&, const scheduler::Run*) { return std::optional{run}; }));
  }
  std::vector<std::string> week_at(std::int64_t state) {
    std::vector<std::string> seen;
    const Interval week{at("2027-06-13T22:00:00Z"), at("2027-06-20T22:00:00Z")};
    EXPECT_TRUE(ledger_.each_finished(week, state, [&](RunRow& row) {
      seen.push_back(row.run.id + ":" + row.run.label);
      return true;
    }));
    return seen;
  }

  tests::TemporaryFolder folder_;
  std::unique_ptr<Database> database_ = open_store(folder_ / "valle.db").value();
  RunRepository ledger_{*database_};
};

TEST_F(RunRepositoryTest, a_posted_run_comes_back_as_it_was) {
  ASSERT_EQ(post({a_run("r1")}), (PostedRuns{1, 0}));
  EXPECT_EQ(ledger_.find("r1").value(), a_run("r1"));
  EXPECT_EQ(ledger_.find("r2").value(), std::nullopt);
}

TEST_F(RunRepositoryTest, a_run_without_energy_has_no_figure_rather_than_zero) {
  scheduler::Run run = a_run("r1");
  run.attempts.front().figures.clear();
  run.attempts.front().outcome = AttemptOutcome::failed;
  ASSERT_TRUE(post({run}));
  EXPECT_EQ(ledger_.find("r1").value(), run);
}

TEST_F(RunRepositoryTest, attempts_pods_and_figures_come_back_with_every_member) {
  put(a_measured_run("u-1"));
  EXPECT_EQ(ledger_.find("u-1").value(), a_measured_run("u-1"));
}

TEST_F(RunRepositoryTest, the_same_run_twice_counts_once_and_another_content_is_a_conflict_that_stores_nothing) {
  ASSERT_TRUE(post({a_run("r1")}));
  EXPECT_EQ(post({a_run("r1"), a_run("r2"), a_run("r2")}), (PostedRuns{1, 2}));
  scheduler::Run other = a_run("r1");
  other.owner = "another";
  const auto refused = post({a_run("r3"), other});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::conflict);
  EXPECT_EQ(refused.error().pointer, "/1/id");
  EXPECT_EQ(ledger_.find("r3").value(), std::nullopt);
}

TEST_F(RunRepositoryTest, a_pue_that_was_frozen_is_not_part_of_the_content) {
  scheduler::Run first = a_run("r1");
  first.home_pue = ratio_from_number(1.2);
  first.attempts.front().pue = ratio_from_number(1.2);
  ASSERT_TRUE(post({first}));
  EXPECT_EQ(post({a_run("r1")}), (PostedRuns{0, 1}));
  EXPECT_EQ(ledger_.find("r1").value()->home_pue, ratio_from_number(1.2));
}

TEST_F(RunRepositoryTest, a_finished_run_that_changes_stays_as_it_was_for_an_earlier_state) {
  ASSERT_TRUE(post({a_run("r1"), a_run("r2")}));
  const auto before = ledger_.state().value();
  scheduler::Run changed = a_run("r1");
  changed.label = "restated";
  put(changed);
  put(changed);  // no change, no further state
  EXPECT_THAT(week_at(before), ElementsAre("r1:", "r2:"));
  EXPECT_EQ(ledger_.state().value(), before + 1);
  EXPECT_THAT(week_at(before + 1), ElementsAre("r2:", "r1:restated"));
  EXPECT_EQ(ledger_.find("r1").value()->label, "restated");
}

TEST_F(RunRepositoryTest, a_run_that_finishes_later_is_not_in_what_was_seen_before) {
  scheduler::Run open = a_run("r1");
  open.finished.reset();
  open.attempts.front().outcome = AttemptOutcome::running;
  put(open);
  open.label = "seen again";
  put(open);
  ASSERT_TRUE(post({a_run("r2")}));
  const auto before = ledger_.state().value();
  ASSERT_EQ(ledger_.running(10).value(), std::vector{open});
  put(a_run("r1"));
  EXPECT_THAT(ledger_.running(10).value(), IsEmpty());
  EXPECT_THAT(week_at(before), ElementsAre("r2:"));
  EXPECT_THAT(week_at(ledger_.state().value()), ElementsAre("r2:", "r1:"));
}

TEST_F(RunRepositoryTest, a_week_holds_what_ended_in_it_half_open) {
  ASSERT_TRUE(post({a_run("at-begin", "2027-06-14T22:00:00Z"), a_run("at-end", "2027-06-20T22:00:00Z"),
                    a_run("before-end", "2027-06-20T21:59:59Z")}));
  EXPECT_THAT(week_at(ledger_.state().value()), ElementsAre("at-begin:", "before-end:"));
  const auto last = ledger_.finished({at("2027-06-14T00:00:00Z"), at("2027-06-21T00:00:00Z")}, 2).value();
  ASSERT_EQ(last.size(), 2u);
  EXPECT_EQ(last[0].id, "at-end");
  EXPECT_EQ(last[1].id, "before-end");
}

TEST_F(RunRepositoryTest, pods_that_touch_a_window_are_found_whether_their_run_is_over_or_not) {
  put(a_measured_run("u-1"));
  scheduler::Run open = a_measured_run("u-2");
  open.finished.reset();
  open.attempts.resize(1);
  open.attempts.front().outcome = AttemptOutcome::running;
  open.attempts.front().pods = {a_pod("u9", {at("2027-06-14T09:00:00Z"), at("2027-06-14T09:01:00Z")})};
  put(open);
  const auto uids = [&](const std::string& from, const std::string& to) {
    std::vector<std::string> found;
    const auto pods = ledger_.pods({at(from), at(to)});
    for (const auto& pod : *pods) found.push_back(pod.uid);
    return found;
  };
  EXPECT_THAT(uids("2027-06-14T13:10:00Z", "2027-06-14T13:11:00Z"), ElementsAre("u1", "u9"));
  EXPECT_THAT(uids("2027-06-14T08:00:00Z", "2027-06-14T08:30:00Z"), IsEmpty());
}

TEST_F(RunRepositoryTest, a_document_that_was_tampered_with_is_the_worlds_failure) {
  put(a_measured_run("u-1"));
  ASSERT_TRUE(database_->write([](SQLite::Database& connection) -> Result<void> {
    connection.exec("UPDATE run SET document = '{\"attempts\":[{\"number\":1}]}'");
    return {};
  }));
  const auto found = ledger_.find("u-1");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Errc::storage_failed);
  EXPECT_THAT(found.error().detail, HasSubstr("damaged"));
}

}  // namespace
}  // namespace valle::service::store
