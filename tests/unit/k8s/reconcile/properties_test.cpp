// SPDX-License-Identifier: Apache-2.0
// What must hold for every held Job, whatever its object looks like.
#include <gtest/gtest.h>

#include <random>

#include "k8s/reconcile/job_hold.hpp"
#include "tests/support/k8s/held_objects.hpp"

namespace valle::k8s {
namespace {

using scheduler::Instant;
using tests::a_job;
using tests::after;
using tests::at;
using tests::job_of;

constexpr int k_rounds = 2'000;

class Random final {
 public:
  explicit Random(unsigned seed) : engine_{seed} {}
  int below(int most) { return std::uniform_int_distribution{0, most - 1}(engine_); }
  bool sometimes() { return below(2) == 0; }

 private:
  std::mt19937 engine_;
};

Json random_held_job(Random& random) {
  auto job = a_job();
  switch (random.below(4)) {
    case 0: job.gated(); break;
    case 1: job.gated("ops.example.org/freeze, valle.sh/carbon,a.org/x"); break;
    case 2: job.suspended_by_us(); break;
    default: job.with("/spec/suspend", true).annotated("valle.sh/held", "queue").annotated("valle.sh/queue", "batch");
  }
  if (random.sometimes()) job.with("/spec/template/spec/nodeSelector", {{"disk", "fast"}});
  if (random.sometimes()) {
    job.with("/spec/template/spec/tolerations", Json::array({{{"key", "gpu"}, {"operator", "Exists"}}}));
  }
  if (random.sometimes()) job.annotated("example.org/note", "kept").labelled("team", "vision");
  if (random.sometimes()) job.annotated("valle.sh/start-by", "2027-06-02T13:30:00Z");
  return job.json();
}

Decision random_decision(Random& random, Instant now) {
  const Instant start_by = at("2027-06-02T14:00:00Z");
  Decision decision{.start_by = start_by, .reason = "reason " + std::to_string(random.below(3))};
  if (random.sometimes()) {
    decision.planned_start = at("2027-06-02T08:00:00Z") + std::chrono::minutes{random.below(360)};
    decision.region = random.sometimes() ? "eu-south-2" : "";
    decision.site = "es";
    decision.queue = random.below(3) == 0 ? "carbon-es" : "";
    decision.planned = scheduler::Emissions::of_base(random.below(1'000'000));
  }
  decision.released = now >= decision.planned_start.value_or(start_by);
  if (decision.released) decision.released_at = now;
  return decision;
}

Workload following(const Json& job) {
  return {.meta = {.name = "job-fit-1", .space = "lab"},
          .job_uid = "uid-1",
          .queue = job.at("metadata").value("labels", Json::object()).value("kueue.x-k8s.io/queue-name", "")};
}

bool is_held(const Json& object) { return hold_of(job_of(object)) != Hold::none; }

/// Reconciles until nothing is left to do, Kueue's Workload following at once.
Json settled(Json object, const Decision& decision, int& releases) {
  for (int i = 0; i < 4; ++i) {
    const Workload workload = following(object);
    const auto actions = reconcile(job_of(object), &workload, decision);
    if (actions.empty()) return object;
    for (const auto& action : actions) {
      object = after(object, action);
      releases += action.releases ? 1 : 0;
    }
  }
  ADD_FAILURE() << "does not settle: " << object.dump();
  return object;
}

TEST(HoldProperties, done_once_there_is_nothing_left_to_do) {
  Random random{1};
  for (int i = 0; i < k_rounds; ++i) {
    const Instant now = at("2027-06-02T07:00:00Z") + std::chrono::minutes{random.below(480)};
    int releases = 0;
    const auto decision = random_decision(random, now);
    const Json object = settled(random_held_job(random), decision, releases);
    EXPECT_EQ(releases, decision.released ? 1 : 0);
    const Workload workload = following(object);
    EXPECT_TRUE(reconcile(job_of(object), &workload, decision).empty());
  }
}

TEST(HoldProperties, never_free_before_the_decision_and_always_free_after_it) {
  Random random{2};
  for (int i = 0; i < k_rounds; ++i) {
    Json object = random_held_job(random);
    int releases = 0;
    // Plans come and go through the day; the last look is at the latest start.
    for (Instant now = at("2027-06-02T07:00:00Z"); now <= at("2027-06-02T14:00:00Z");
         now += std::chrono::minutes{105}) {
      const auto decision = random_decision(random, now);
      object = settled(object, decision, releases);
      if (decision.released) break;
      EXPECT_TRUE(is_held(object)) << object.dump();
    }
    EXPECT_FALSE(is_held(object));
    EXPECT_EQ(releases, 1);
    EXPECT_LE(*remembered(job_of(object).meta).released_at, at("2027-06-02T14:00:00Z"));
  }
}

TEST(HoldProperties, what_is_not_ours_stays) {
  Random random{3};
  for (int i = 0; i < k_rounds; ++i) {
    const Json before = random_held_job(random);
    int releases = 0;
    const Json object = settled(before, random_decision(random, at("2027-06-02T13:00:00Z")), releases);
    const auto same = [&](const char* pointer) {
      const Json::json_pointer place{pointer};
      if (!before.contains(place)) return;
      EXPECT_EQ(object.at(place), before.at(place)) << pointer;
    };
    for (const char* pointer :
         {"/metadata/annotations/example.org~1note", "/metadata/labels/team", "/spec/parallelism",
          "/spec/template/spec/nodeSelector/disk", "/spec/template/spec/tolerations/0",
          "/spec/template/spec/containers", "/metadata/annotations/kueue.x-k8s.io~1carbon-aware"}) {
      same(pointer);
    }
    const auto gates = job_of(before).meta.annotation("kueue.x-k8s.io/admission-gated-by").value_or("");
    const auto gates_now = job_of(object).meta.annotation("kueue.x-k8s.io/admission-gated-by").value_or("");
    EXPECT_EQ(without_our_gate(gates_now), without_our_gate(gates));
  }
}

TEST(HoldProperties, start_by_only_ever_comes_nearer) {
  Random random{4};
  for (int i = 0; i < k_rounds; ++i) {
    Json object = random_held_job(random);
    std::optional<Instant> before = remembered(job_of(object).meta).start_by;
    for (int step = 0; step < 4; ++step) {
      auto decision = random_decision(random, at("2027-06-02T07:00:00Z"));
      decision.released = false;
      decision.start_by = at("2027-06-02T12:00:00Z") + std::chrono::minutes{random.below(240)};
      int releases = 0;
      object = settled(object, decision, releases);
      const auto now = remembered(job_of(object).meta).start_by;
      ASSERT_TRUE(now);
      EXPECT_LE(*now, before.value_or(*now));
      EXPECT_LE(*now, decision.start_by);
      before = now;
    }
  }
}

}  // namespace
}  // namespace valle::k8s
