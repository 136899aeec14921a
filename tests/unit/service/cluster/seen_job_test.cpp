// SPDX-License-Identifier: Apache-2.0
#include "service/cluster/seen_job.hpp"

#include <gtest/gtest.h>

#include "tests/support/k8s/held_objects.hpp"

namespace valle::service::cluster {
namespace {

using app::JobState;
using tests::a_job;
using tests::at;

const std::vector<runtime::SiteConfig> k_sites{
    {.name = "fr", .zone = scheduler::Zone::of("FR"), .region = "eu-west-3"},
    {.name = "es", .zone = scheduler::Zone::of("ES"), .region = "eu-south-2"},
};

tests::ObjectBuilder told() {
  return a_job()
      .gated()
      .annotated("kueue.x-k8s.io/carbon-deadline", "8h")
      .annotated("valle.sh/expected-duration", "2h")
      .annotated("valle.sh/start-by", "2027-06-02T14:00:00Z")
      .annotated("valle.sh/planned-start", "2027-06-02T11:00:00Z")
      .annotated("valle.sh/planned-region", "EU-South-2")
      .annotated("valle.sh/planned-carbon-grams", "250.125")
      .annotated("valle.sh/reason", "planned in es from 2027-06-02T11:00:00Z");
}

std::optional<app::Job> seen(const k8s::Json& object, const char* now = "2027-06-02T09:00:00Z") {
  return seen_job(held_object(k8s::parse_job(object).value()), k_sites, {}, at(now));
}

TEST(SeenJob, a_waiting_job_has_the_plan_that_its_annotations_tell) {
  const auto job = seen(told().json());
  ASSERT_TRUE(job);
  EXPECT_EQ(job->id, "uid-1");
  EXPECT_EQ(job->state, JobState::waiting);
  EXPECT_EQ(job->object->start_by, at("2027-06-02T14:00:00Z"));
  EXPECT_EQ(job->reason, "planned in es from 2027-06-02T11:00:00Z");
  ASSERT_TRUE(job->slot);
  EXPECT_EQ(job->slot->site, "es");
  EXPECT_EQ(job->slot->zone, scheduler::Zone::of("ES"));
  EXPECT_EQ(job->slot->start(), at("2027-06-02T11:00:00Z"));
  EXPECT_EQ(job->slot->end(), at("2027-06-02T13:00:00Z"));
  EXPECT_EQ(job->slot->emissions, scheduler::Emissions::of_base(250'125));
}

TEST(SeenJob, one_without_a_plan_yet_has_no_slot) {
  const auto job = seen(a_job().gated().json());
  ASSERT_TRUE(job);
  EXPECT_EQ(job->state, JobState::waiting);
  EXPECT_FALSE(job->slot);
}

TEST(SeenJob, one_that_runs_and_one_that_is_over) {
  auto object = told().annotated("valle.sh/released-at", "2027-06-02T11:00:01Z").json();
  object["metadata"]["annotations"].erase("kueue.x-k8s.io/admission-gated-by");
  EXPECT_EQ(seen(object, "2027-06-02T11:00:05Z")->state, JobState::released);
  object["spec"]["suspend"] = false;
  object["status"] = {{"startTime", "2027-06-02T11:00:03Z"}, {"active", 1}, {"ready", 1}};
  const auto running = seen(object, "2027-06-02T11:30:00Z");
  EXPECT_EQ(running->state, JobState::running);
  EXPECT_EQ(running->released_at, at("2027-06-02T11:00:01Z"));
  EXPECT_EQ(running->started_at, at("2027-06-02T11:00:03Z"));
  EXPECT_EQ(running->slot->site, "es");
  object["status"] = {{"startTime", "2027-06-02T11:00:03Z"},
                      {"completionTime", "2027-06-02T12:40:00Z"},
                      {"conditions", k8s::Json::array({{{"type", "Complete"}, {"status", "True"}}})}};
  const auto over = seen(object, "2027-06-02T13:00:00Z");
  EXPECT_EQ(over->state, JobState::finished);
  EXPECT_EQ(over->finished_at, at("2027-06-02T12:40:00Z"));
}

TEST(SeenJob, what_nobody_has_held_or_nobody_can_read_is_none) {
  EXPECT_FALSE(seen(a_job().json()));
  EXPECT_FALSE(seen(told().annotated("valle.sh/expected-duration", "long").json()));
}

TEST(SeenJob, orders_by_creation_and_then_by_identity) {
  auto later = told().json();
  later["metadata"]["creationTimestamp"] = "2027-06-02T06:00:01Z";
  EXPECT_LT(seen(told().json())->sequence, seen(later)->sequence);
  auto other = told().json();
  other["metadata"]["uid"] = "uid-2";
  EXPECT_NE(seen(told().json())->sequence, seen(other)->sequence);
  EXPECT_EQ(seen(other)->sequence >> 20, seen(told().json())->sequence >> 20);
}

}  // namespace
}  // namespace valle::service::cluster
