// SPDX-License-Identifier: Apache-2.0
#include "service/store/job_table.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "service/store/migrator.hpp"
#include "tests/support/readings.hpp"
#include "tests/support/temporary_folder.hpp"

namespace valle::service::store {
namespace {

using app::Job;
using app::JobState;
using scheduler::Result;
using ::testing::ElementsAre;
using tests::at;

class JobTable : public ::testing::Test {
 protected:
  /// Runs `work(connection)` in one transaction; its value.
  template <class Work>
  auto in_one(Work work) {
    return database_->write([&](SQLite::Database& connection) { return work(connection); }).value();
  }
  Job insert(Job job) {
    return in_one([&](SQLite::Database& connection) { return insert_job(connection, job); });
  }
  std::vector<std::string> ids(const JobFilter& filter) {
    std::vector<std::string> ids;
    for (const Job& job : in_one([&](SQLite::Database& connection) { return list_jobs(connection, filter); })) {
      ids.push_back(job.id);
    }
    return ids;
  }
  static Job a_job(const std::string& id, const std::string& owner = "team", JobState state = JobState::waiting) {
    Job job;
    job.id = id;
    job.state = state;
    job.request.owner = owner;
    job.request.duration = std::chrono::hours{2};
    job.submitted_at = at("2027-10-11T00:00:00Z");
    job.earliest_start = job.submitted_at;
    job.start_by = at("2027-10-11T04:00:00Z");
    job.finish_by = at("2027-10-11T06:00:00Z");
    job.reason = "it waits";
    return job;
  }

  tests::TemporaryFolder folder_;
  std::unique_ptr<Database> database_ = open_store(folder_ / "valle.db").value();
};

TEST_F(JobTable, a_row_gives_back_every_member) {
  Job job = a_job("full", "team", JobState::finished);
  job.request.max_wait = std::chrono::hours{3};
  job.request.interruption = scheduler::Interruption{.min_run = std::chrono::minutes{30}, .max_pauses = 2};
  job.request.modes = std::vector<scheduler::Mode>{{"slow", scheduler::power_from_watts(400), std::chrono::hours{4}}};
  job.request.demand = std::vector<scheduler::ResourceDemand>{{"gpu", scheduler::Amount::of_base(500)}};
  job.request.sites = std::vector<std::string>{"fr", "es"};
  job.request.fixed = app::JobRequest::FixedAt{"es", at("2027-10-11T01:00:00Z")};
  job.slot = app::JobSlot{.site = "es",
                          .zone = scheduler::Zone::of("ES"),
                          .segments = {{at("2027-10-11T01:00:00Z"), at("2027-10-11T02:00:00Z")},
                                       {at("2027-10-11T03:00:00Z"), at("2027-10-11T04:00:00Z")}},
                          .mode = "slow",
                          .by_plan = false,
                          .energy = scheduler::energy_from_kwh(1.6),
                          .emissions = scheduler::Emissions::of_base(123'456)};
  job.warning = "late";
  job.released_at = at("2027-10-11T01:00:00Z");
  job.started_at = at("2027-10-11T01:00:05Z");
  job.finished_at = at("2027-10-11T04:00:00Z");
  job.energy = scheduler::energy_from_kwh(1.5);
  const Job stored = insert(job);
  EXPECT_EQ(stored.sequence, 1);
  EXPECT_EQ(stored.version, 1);
  const auto found = in_one([](SQLite::Database& connection) { return find_job(connection, "full"); });
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, stored);
  job.sequence = job.version = 1;
  EXPECT_EQ(*found, job);
  EXPECT_FALSE(in_one([](SQLite::Database& connection) { return find_job(connection, "other"); }));
}

TEST_F(JobTable, what_is_missing_stays_missing) {
  const Job bare = insert(a_job("bare"));
  const Job found = *in_one([](SQLite::Database& connection) { return find_job(connection, "bare"); });
  EXPECT_EQ(found, bare);
  EXPECT_FALSE(found.slot || found.warning || found.released_at || found.energy || found.request.power);
}

TEST_F(JobTable, an_id_is_taken_once_and_one_of_ours_gives_way_to_a_callers) {
  insert(a_job("job-2"));
  const auto again =
      database_->write([](SQLite::Database& connection) { return insert_job(connection, a_job("job-2")); });
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, scheduler::Errc::conflict);
  EXPECT_EQ(again.error().pointer, "/id");
  EXPECT_EQ(insert(a_job("")).id, "job-2-2");
  EXPECT_EQ(insert(a_job("")).id, "job-3");
}

TEST_F(JobTable, a_change_replaces_what_can_change) {
  Job job = insert(a_job("a"));
  job.state = JobState::released;
  job.released_at = at("2027-10-11T02:00:00Z");
  job.request.owner = "others";
  job.version = 2;
  in_one([&](SQLite::Database& connection) -> Result<bool> {
    update_job(connection, job);
    return true;
  });
  EXPECT_EQ(*in_one([](SQLite::Database& connection) { return find_job(connection, "a"); }), job);
  EXPECT_THAT(ids({.owner = "others"}), ElementsAre("a"));
}

TEST_F(JobTable, lists_by_state_owner_and_page_in_the_order_of_submission) {
  insert(a_job("a", "x"));
  insert(a_job("b", "y", JobState::running));
  insert(a_job("c", "x", JobState::finished));
  insert(a_job("d", "x", JobState::running));
  EXPECT_THAT(ids({}), ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(ids({.states = {JobState::running, JobState::waiting}}), ElementsAre("a", "b", "d"));
  EXPECT_THAT(ids({.states = {JobState::running}, .owner = "x"}), ElementsAre("d"));
  EXPECT_THAT(ids({.owner = "nobody' OR 1"}), ElementsAre());
  EXPECT_THAT(ids({.limit = 2}), ElementsAre("a", "b"));
  EXPECT_THAT(ids({.after = 2, .limit = 2}), ElementsAre("c", "d"));
}

TEST_F(JobTable, a_row_in_the_version_that_is_known_is_not_parsed_again) {
  insert(a_job("a"));
  Job b = insert(a_job("b"));
  JobCache cache;
  const auto listed = [&] {
    return in_one([&](SQLite::Database& connection) { return list_jobs(connection, {}, cache); });
  };
  const auto first = listed();
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(*first[1], b);
  b.reason = "changed";
  b.version = 2;
  in_one([&](SQLite::Database& connection) -> Result<int> {
    update_job(connection, b);
    return 0;
  });
  const auto second = listed();
  EXPECT_EQ(second[0], first[0]) << "the same object";
  EXPECT_EQ(*second[1], b);
  EXPECT_EQ(first[1]->reason, "it waits") << "whoever holds the old one keeps it";
  cache.keep({second[1]});
  EXPECT_EQ(cache.find(1, 1), nullptr);
  EXPECT_EQ(cache.find(2, 1), nullptr);
  EXPECT_EQ(cache.find(2, 2), second[1]);
}

TEST_F(JobTable, a_row_that_nobody_can_read_is_an_error_not_a_guess) {
  insert(a_job("a"));
  in_one([](SQLite::Database& connection) -> Result<int> {
    return connection.exec("UPDATE job SET slot = '{\"site\":'");
  });
  const auto found = database_->read([](SQLite::Database& connection) { return find_job(connection, "a"); });
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, scheduler::Errc::storage_failed);
}

}  // namespace
}  // namespace valle::service::store
