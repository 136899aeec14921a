// SPDX-License-Identifier: Apache-2.0
#include "service/app/estimates.hpp"

#include <gtest/gtest.h>

#include "scheduler/account/posted.hpp"
#include "service/app/stored_ledger.hpp"
#include "service/store/migrator.hpp"
#include "tests/support/temporary_folder.hpp"

namespace valle::service::app {
namespace {

using namespace scheduler;
using namespace std::chrono_literals;

const JobSignature k_train{"train-v1", "train"};
const JobSignature k_train_next{"train-v2", "train"};

/// A store with one writing and one reading connection, as the service has it.
class EstimatesTest : public testing::Test {
 protected:
  ~EstimatesTest() override {
    reading_.close();
    writing_.close();
    (void)reading_.wait_idle(5s);
    (void)writing_.wait_idle(5s);
  }

  static scheduler::Run a_run(const std::string& id, int minutes, double kwh, int finished_hour) {
    scheduler::Run run;
    run.id = run.name = id;
    run.owner = "lab";
    run.finished = Instant{std::chrono::hours{500'000 + finished_hour}};
    run.submitted = *run.finished - 24h;
    Attempt attempt;
    attempt.ran = {*run.finished - std::chrono::minutes{minutes}, *run.finished};
    attempt.outcome = AttemptOutcome::finished;
    attempt.figures = {posted_figure(energy_from_kwh(kwh))};
    run.attempts = {attempt};
    return run;
  }

  void add(const scheduler::Run& run) {
    const std::vector<std::string> ids{run.id};
    ASSERT_TRUE(ledger_.change(ids, [&run](const auto&, const auto*) { return std::optional{run}; }));
  }

  static std::unique_ptr<store::Database> opened(Result<std::unique_ptr<store::Database>> database) {
    (*database)->release_thread();
    return *std::move(database);
  }
  std::vector<std::unique_ptr<store::Database>> readers() {
    std::vector<std::unique_ptr<store::Database>> readers;
    readers.push_back(opened(store::open_reader(file_)));
    return readers;
  }

  tests::TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "valle.db";
  runtime::WorkQueue writing_{{.name = "write", .threads = 1}};
  runtime::WorkQueue reading_{{.name = "read", .threads = 1}};
  std::unique_ptr<store::Database> writer_ = opened(store::open_store(file_));
  StoreAccess store_{writing_, std::move(writer_), reading_, readers()};
  StoredLedger ledger_{store_};
  RunEstimates estimates_{store_};
};

TEST_F(EstimatesTest, three_runs_teach_the_fourth) {
  for (int i = 1; i <= 3; ++i) {
    const std::string id = "run-" + std::to_string(i);
    estimates_.remember(id, k_train);
    EXPECT_FALSE(estimates_.learned(k_train));
    estimates_.take(a_run(id, 60 + i, i, i));
  }
  const auto learned = estimates_.learned(k_train);
  ASSERT_TRUE(learned);
  EXPECT_EQ(learned->run_time.median, 62min);
  EXPECT_EQ(planned_energy(*learned, false)->spread.median, energy_from_kwh(2));
  EXPECT_FALSE(estimates_.learned({"other", "other"}));
}

TEST_F(EstimatesTest, a_new_build_learns_from_its_family_until_it_has_runs_of_its_own) {
  for (int i = 1; i <= 3; ++i) {
    estimates_.remember("old-" + std::to_string(i), k_train);
    estimates_.take(a_run("old-" + std::to_string(i), 60, 1, i));
  }
  EXPECT_EQ(estimates_.learned(k_train_next)->run_time.median, 60min);
  for (int i = 1; i <= 3; ++i) {
    estimates_.remember("new-" + std::to_string(i), k_train_next);
    estimates_.take(a_run("new-" + std::to_string(i), 30, 1, 10 + i));
  }
  EXPECT_EQ(estimates_.learned(k_train_next)->run_time.median, 30min);
  EXPECT_EQ(estimates_.learned(k_train)->run_time.median, 60min);
}

TEST_F(EstimatesTest, figures_that_come_later_are_learned_and_a_run_counts_once) {
  for (int i = 1; i <= 3; ++i) {
    const std::string id = "run-" + std::to_string(i);
    estimates_.remember(id, k_train);
    auto unmeasured = a_run(id, 60, 1, i);
    unmeasured.attempts[0].figures.clear();
    estimates_.take(unmeasured);
  }
  EXPECT_TRUE(estimates_.learned(k_train)->energy.empty());
  for (int i = 1; i <= 3; ++i) estimates_.take(a_run("run-" + std::to_string(i), 60, 5, i));
  EXPECT_EQ(estimates_.learned(k_train)->runs, 3u);
  EXPECT_EQ(planned_energy(*estimates_.learned(k_train), false)->spread.median, energy_from_kwh(5));
}

TEST_F(EstimatesTest, what_the_store_knows_is_there_after_a_restart) {
  for (int i = 1; i <= 3; ++i) {
    const std::string id = "run-" + std::to_string(i);
    estimates_.remember(id, k_train);
    add(a_run(id, 60, i, i));
  }
  add(a_run("unsigned", 5, 1, 9));
  ASSERT_TRUE(writing_.wait_idle(5s));
  RunEstimates restarted{store_};
  EXPECT_FALSE(restarted.learned(k_train));
  ASSERT_TRUE(restarted.load());
  ASSERT_TRUE(restarted.learned(k_train));
  EXPECT_EQ(restarted.learned(k_train)->runs, 3u);

  // Measured hours after its end.
  auto measured = a_run("run-2", 60, 40, 2);
  add(measured);
  restarted.reload_later();
  ASSERT_TRUE(reading_.wait_idle(5s));
  EXPECT_EQ(planned_energy(*restarted.learned(k_train), false)->spread.high, energy_from_kwh(40));
}

TEST_F(EstimatesTest, only_the_newest_are_kept) {
  for (int i = 1; i <= 50; ++i) {
    const std::string id = "run-" + std::to_string(i);
    estimates_.remember(id, k_train);
    estimates_.take(a_run(id, i <= 30 ? 600 : 60, 1, i));
  }
  EXPECT_EQ(estimates_.learned(k_train)->runs, 20u);
  EXPECT_EQ(estimates_.learned(k_train)->run_time.high, 60min);
}

TEST_F(EstimatesTest, runs_that_nobody_signed_are_passed_over) {
  estimates_.take(a_run("unknown", 60, 1, 1));
  EXPECT_FALSE(estimates_.learned(k_train));
}

}  // namespace
}  // namespace valle::service::app
