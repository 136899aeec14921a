// SPDX-License-Identifier: Apache-2.0
// What a replica that does not lead answers about jobs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/planning_world.hpp"

namespace valle::service::app {
namespace {

using ::testing::HasSubstr;
using tests::hours;
using tests::PlanningWorld;

Job seen(std::int64_t sequence, const std::string& id, JobState state) {
  Job job{.sequence = sequence, .id = id, .state = state, .request = {}};
  job.request.owner = "lab";
  job.request.duration = std::chrono::hours{1};
  job.submitted_at = job.earliest_start = tests::at("2027-12-01T08:00:00Z");
  job.start_by = tests::at("2027-12-01T10:00:00Z");
  job.finish_by = tests::at("2027-12-01T11:00:00Z");
  job.object = ClusterObject{.kind = "Job", .space = "lab", .name = id, .start_by = job.start_by};
  return job;
}

/// Two jobs of a cluster, seen by a replica whose own database has a job of an earlier time.
class Follower : public ::testing::Test {
 protected:
  Follower() {
    world_.call("POST", "/v1/jobs", R"({"id":"old","duration":"1h"})");
    api::add_job_routes(router_, {jobs_, world_.watch, world_.clock, world_.timers});
  }
  tests::Answer call(std::string_view method, std::string_view target, std::string body = "") {
    auto answer = tests::ask(router_, method, target, std::move(body), {});
    world_.settle();
    return answer;
  }

  PlanningWorld world_{"2027-12-01T08:00:00Z", hours("FR", "2027-12-01T08:00:00Z", {50, 40, 30, 40})};
  std::vector<Job> seen_{seen(1, "a", JobState::waiting), seen(2, "b", JobState::running)};
  Jobs jobs_{{world_.clock,
              world_.book,
              world_.places,
              *world_.store,
              *world_.cycle,
              world_.watch,
              world_.questions,
              runtime::PlanningConfig{},
              {},
              {.find =
                   [this](const std::string& id) {
                     const auto found =
                         std::find_if(seen_.begin(), seen_.end(), [&](const Job& job) { return job.id == id; });
                     return found == seen_.end() ? std::nullopt : std::optional{*found};
                   },
               .all = [this] { return seen_; }},
              [] { return false; }}};
  http::Router router_;
};

TEST_F(Follower, answers_reads_of_a_clusters_jobs) {
  EXPECT_EQ(call("GET", "/v1/jobs/a").json["state"], "waiting");
  EXPECT_EQ(call("GET", "/v1/jobs/b?wait=60s").json["state"], "running") << "at once: it does not see the change";
  const auto why = call("GET", "/v1/jobs/a/explanation");
  EXPECT_EQ(why.status, 200);
  EXPECT_EQ(why.json["options"][0]["start"], "2027-12-01T10:00:00Z");
}

TEST_F(Follower, lists_a_clusters_jobs_and_says_that_others_are_missing) {
  const auto all = call("GET", "/v1/jobs");
  EXPECT_EQ(all.json["jobs"].size(), 2U);
  EXPECT_EQ(all.json["complete"], false);
  EXPECT_EQ(call("GET", "/v1/jobs?state=running").json["jobs"][0]["id"], "b");
  EXPECT_EQ(call("GET", "/v1/jobs?owner=nobody").json["jobs"].size(), 0U);
  EXPECT_EQ(call("GET", "/v1/jobs?kubernetes=lab/a").json["jobs"].size(), 1U);
  const auto page = call("GET", "/v1/jobs?limit=1");
  EXPECT_EQ(page.json["nextCursor"], "1");
  EXPECT_EQ(call("GET", "/v1/jobs?limit=1&cursor=1").json["jobs"][0]["id"], "b");
  EXPECT_FALSE(world_.call("GET", "/v1/jobs").json.contains("complete")) << "the leader's are all";
}

TEST_F(Follower, leaves_what_only_the_leader_has_to_the_leader) {
  for (const auto& [method, target] :
       {std::pair{"GET", "/v1/jobs/old"}, std::pair{"GET", "/v1/plan"}, std::pair{"DELETE", "/v1/jobs/a"},
        std::pair{"GET", "/v1/jobs/old/explanation"}}) {
    const auto answer = call(method, target);
    EXPECT_EQ(answer.status, 503) << method << target;
    EXPECT_EQ(answer.json["code"], "not-leader");
  }
}

}  // namespace
}  // namespace valle::service::app
