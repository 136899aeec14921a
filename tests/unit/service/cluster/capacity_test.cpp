// SPDX-License-Identifier: Apache-2.0
#include "service/cluster/capacity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace valle::service::cluster {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using scheduler::Amount;
using scheduler::Instant;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

Instant at(const char* text) { return scheduler::parse_instant(text).value(); }
Amount units(std::int64_t count) { return Amount::of_base(count * 1'000); }

/// A quota of CPUs: `{"fr": "8"}`, or with limits `{"fr": {"nominalQuota": "8", "borrowingLimit": "2"}}`.
json groups(const json& by_flavor) {
  json flavors = json::array();
  for (const auto& [flavor, quota] : by_flavor.items()) {
    json resource = quota.is_object() ? quota : json{{"nominalQuota", quota}};
    resource["name"] = "cpu";
    flavors.push_back({{"name", flavor}, {"resources", json::array({resource})}});
  }
  return json::array({{{"coveredResources", {"cpu"}}, {"flavors", flavors}}});
}

/// Sites FR and ES at 12:00, with one flavor each.
class Capacity : public ::testing::Test {
 protected:
  Capacity() {
    snapshot_.now = at("2027-06-02T12:00:00Z");
    snapshot_.planning.slot = 1h;
    snapshot_.sites = {{.name = "fr", .zone = scheduler::Zone::of("FR"), .region = "eu-west-3"},
                       {.name = "es", .zone = scheduler::Zone::of("ES"), .region = "eu-south-2"}};
    flavor("fr", "eu-west-3");
    flavor("es", "EU-South-2");
  }

  void flavor(const std::string& name, const std::string& region) {
    json spec = json::object();
    if (!region.empty()) spec["nodeLabels"] = {{"topology.kubernetes.io/region", region}};
    kueue_.flavors.push_back(parsed<k8s::ResourceFlavor>(k8s::parse_resource_flavor, name, spec));
  }
  void cluster_queue(const std::string& name, const json& by_flavor, const std::string& cohort = "") {
    json spec{{"resourceGroups", groups(by_flavor)}};
    if (!cohort.empty()) spec["cohortName"] = cohort;
    kueue_.cluster_queues.push_back(parsed<k8s::ClusterQueue>(k8s::parse_cluster_queue, name, spec));
  }
  void local_queue(const std::string& name, const std::string& cluster_queue) {
    kueue_.local_queues.push_back(
        parsed<k8s::LocalQueue>(k8s::parse_local_queue, name, {{"clusterQueue", cluster_queue}}));
  }
  void cohort(const std::string& name, const std::string& parent, const json& by_flavor = json::object()) {
    kueue_.cohorts.push_back(
        parsed<k8s::Cohort>(k8s::parse_cohort, name, {{"parentName", parent}, {"resourceGroups", groups(by_flavor)}}));
  }
  void running(const std::string& job_uid, const std::string& cluster_queue, const std::string& flavor,
               std::int64_t cpus, const char* admitted_at, std::optional<scheduler::Duration> longest = {}) {
    k8s::Workload workload{.meta = {.name = "w-" + job_uid, .space = "lab"}, .job_uid = job_uid};
    workload.quota_reserved = workload.admitted = true;
    workload.cluster_queue = cluster_queue;
    workload.usage[flavor]["cpu"] = units(cpus);
    workload.admitted_at = at(admitted_at);
    workload.longest_run = longest;
    kueue_.workloads.push_back(std::make_shared<const k8s::Workload>(std::move(workload)));
  }
  /// A job of ours in that LocalQueue.
  void job(const std::string& id, const std::string& queue, std::int64_t cpus) {
    app::Job job{.id = id, .request = {}};
    job.request.demand = std::vector<scheduler::ResourceDemand>{{"cpu", units(cpus)}};
    job.object = app::ClusterObject{.kind = "Job", .space = "lab", .name = id};
    snapshot_.jobs.push_back(std::move(job));
    queue_of_[id] = queue;
  }
  std::size_t observe() { return observe_kueue(snapshot_, kueue_, queue_of_, 2h); }

  [[nodiscard]] std::map<std::string, Amount> capacity(std::size_t site) const {
    return snapshot_.sites[site].capacity;
  }
  [[nodiscard]] std::vector<std::string> draws(const std::string& id) const {
    std::vector<std::string> names;
    for (const auto& each : snapshot_.demands.at(id)) names.push_back(each.resource);
    return names;
  }

  app::PlanningSnapshot snapshot_;
  KueueObjects kueue_;
  std::map<std::string, std::string> queue_of_;

 private:
  template <class T>
  std::shared_ptr<const T> parsed(scheduler::Result<T> (*parse)(const json&), const std::string& name, json spec) {
    return std::make_shared<const T>(
        parse({{"metadata", {{"name", name}, {"namespace", "lab"}}}, {"spec", std::move(spec)}}).value());
  }
};

TEST_F(Capacity, a_queue_without_cohort_has_its_own_quota_and_no_more) {
  cluster_queue("team-a", {{"fr", "8"}, {"es", "4"}});
  cluster_queue("team-b", {{"fr", "1000"}});
  local_queue("a", "team-a");
  job("ours", "a", 2);
  EXPECT_EQ(observe(), 0U);
  EXPECT_THAT(capacity(0), ElementsAre(Pair("cpu@team-a", units(8))));
  EXPECT_THAT(capacity(1), ElementsAre(Pair("cpu@team-a", units(4))));
  EXPECT_THAT(draws("ours"), ElementsAre("cpu", "cpu@team-a"));
}

TEST_F(Capacity, a_region_without_a_flavor_of_the_queue_has_nothing) {
  cluster_queue("team-a", {{"fr", "8"}});
  local_queue("a", "team-a");
  job("ours", "a", 2);
  observe();
  EXPECT_THAT(capacity(1), ElementsAre(Pair("cpu@team-a", units(0))));
}

TEST_F(Capacity, a_flavor_without_region_counts_everywhere) {
  flavor("any", "");
  cluster_queue("team-a", {{"any", "8"}});
  local_queue("a", "team-a");
  job("ours", "a", 2);
  observe();
  EXPECT_THAT(capacity(0), ElementsAre(Pair("cpu@team-a", units(8))));
  EXPECT_THAT(capacity(1), ElementsAre(Pair("cpu@team-a", units(8))));
}

TEST_F(Capacity, a_cohort_shares_all_that_its_queues_have) {
  cluster_queue("team-a", {{"fr", "8"}}, "all");
  cluster_queue("team-b", {{"fr", "6"}}, "all");
  local_queue("a", "team-a");
  job("ours", "a", 2);
  observe();
  EXPECT_THAT(capacity(0), ElementsAre(Pair("cpu@cohort/all", units(14))));
  EXPECT_THAT(draws("ours"), ElementsAre("cpu", "cpu@cohort/all"));
}

TEST_F(Capacity, a_tree_of_cohorts_counts_from_its_root_with_the_quotas_of_cohorts) {
  cohort("unit", "all");
  cohort("all", "", {{"fr", "3"}});
  cluster_queue("team-a", {{"fr", "8"}}, "unit");
  cluster_queue("team-b", {{"fr", "6"}}, "all");
  local_queue("a", "team-a");
  job("ours", "a", 2);
  observe();
  EXPECT_THAT(capacity(0), ElementsAre(Pair("cpu@cohort/all", units(17))));
}

TEST_F(Capacity, limits_of_borrowing_and_lending_bind_beside_the_cohort) {
  cluster_queue("team-a", {{"fr", {{"nominalQuota", "8"}, {"borrowingLimit", "3"}}}}, "all");
  cluster_queue("team-b", {{"fr", "10"}}, "all");
  cluster_queue("team-c", {{"fr", {{"nominalQuota", "10"}, {"lendingLimit", "1"}}}}, "all");
  local_queue("a", "team-a");
  local_queue("b", "team-b");
  job("in-a", "a", 2);
  job("in-b", "b", 2);
  observe();
  EXPECT_THAT(capacity(0), UnorderedElementsAre(Pair("cpu@cohort/all", units(28)), Pair("cpu@team-a", units(11)),
                                                // its own 10, all 8 of team-a, 1 of team-c
                                                Pair("cpu@team-b", units(19))));
  EXPECT_THAT(draws("in-a"), ElementsAre("cpu", "cpu@cohort/all", "cpu@team-a"));
  EXPECT_THAT(draws("in-b"), ElementsAre("cpu", "cpu@cohort/all", "cpu@team-b"));
}

TEST_F(Capacity, a_site_with_a_queue_of_its_own_has_that_queues_quota) {
  snapshot_.sites[1].queue = "carbon-es";
  cluster_queue("team-a", {{"fr", "8"}});
  cluster_queue("spain", {{"es", "5"}});
  local_queue("a", "team-a");
  local_queue("carbon-es", "spain");
  job("ours", "a", 2);
  observe();
  EXPECT_THAT(capacity(0), ElementsAre(Pair("cpu@team-a", units(8))));
  EXPECT_THAT(capacity(1), ElementsAre(Pair("cpu@spain", units(5))));
  EXPECT_THAT(draws("ours"), ElementsAre("cpu", "cpu@spain", "cpu@team-a"));
}

TEST_F(Capacity, what_others_run_is_reserved_until_its_expected_end) {
  cluster_queue("team-a", {{"fr", "8"}, {"es", "8"}});
  cluster_queue("team-b", {{"fr", "8"}});
  local_queue("a", "team-a");
  job("ours", "a", 2);
  running("ours", "team-a", "fr", 2, "2027-06-02T11:30:00Z");
  running("limited", "team-a", "fr", 3, "2027-06-02T11:30:00Z", 5h);
  running("usual", "team-a", "es", 4, "2027-06-02T11:30:00Z");
  running("overdue", "team-a", "es", 1, "2027-06-02T03:00:00Z", 1h);
  running("elsewhere", "team-b", "fr", 5, "2027-06-02T11:30:00Z");
  observe();
  EXPECT_THAT(snapshot_.reservations,
              UnorderedElementsAre(app::Reservation{"fr", "cpu@team-a", units(3), at("2027-06-02T16:30:00Z")},
                                   app::Reservation{"es", "cpu@team-a", units(4), at("2027-06-02T13:30:00Z")},
                                   app::Reservation{"es", "cpu@team-a", units(1), at("2027-06-02T13:00:00Z")}));
}

TEST_F(Capacity, others_of_a_cohort_hold_of_the_cohort_and_their_own_limit_alone) {
  cluster_queue("team-a", {{"fr", {{"nominalQuota", "8"}, {"borrowingLimit", "3"}}}}, "all");
  cluster_queue("team-b", {{"fr", "10"}}, "all");
  local_queue("a", "team-a");
  job("ours", "a", 2);
  running("theirs", "team-b", "fr", 5, "2027-06-02T11:30:00Z");
  observe();
  EXPECT_THAT(snapshot_.reservations,
              ElementsAre(app::Reservation{"fr", "cpu@cohort/all", units(5), at("2027-06-02T13:30:00Z")}));
}

TEST_F(Capacity, jobs_outside_kueue_or_in_queues_that_are_not_there_are_left_as_they_are) {
  cluster_queue("team-a", {{"fr", "8"}});
  job("lost", "nowhere", 2);
  job("plain", "unused", 2);
  queue_of_.erase("plain");
  observe();
  EXPECT_THAT(capacity(0), IsEmpty());
  EXPECT_THAT(draws("lost"), ElementsAre("cpu"));
  EXPECT_FALSE(snapshot_.demands.contains("plain"));
}

TEST_F(Capacity, of_more_pools_than_a_problem_has_resources_those_with_most_jobs_count) {
  snapshot_.sites[0].capacity["gpu"] = units(4);  // configured, and counted too
  for (int i = 0; i < 20; ++i) {
    const std::string name = "team-" + std::to_string(10 + i);
    cluster_queue(name, {{"fr", "8"}});
    local_queue("q" + name, name);
    job("j" + name, "q" + name, 1);
  }
  job("second", "qteam-29", 1);
  EXPECT_EQ(observe(), 6U);  // 16 less the configured one and the planner's own
  EXPECT_EQ(capacity(0).size(), 15U);
  EXPECT_TRUE(capacity(0).contains("cpu@team-29"));
  EXPECT_FALSE(capacity(0).contains("cpu@team-28"));
}

TEST_F(Capacity, a_demand_above_every_regions_quota_is_told) {
  cluster_queue("team-a", {{"fr", "8"}, {"es", "4"}});
  cluster_queue("team-b", {{"fr", "8"}}, "all");
  const std::vector<scheduler::ResourceDemand> nine{{"cpu", units(9)}, {"memory", units(900)}};
  EXPECT_EQ(larger_than_quota(*kueue_.cluster_queues[0], kueue_.flavors, nine),
            "it asks for more cpu than ClusterQueue team-a has in any region");
  EXPECT_EQ(larger_than_quota(*kueue_.cluster_queues[1], kueue_.flavors, nine), "") << "it may borrow";
  const std::vector<scheduler::ResourceDemand> eight{{"cpu", units(8)}};
  EXPECT_EQ(larger_than_quota(*kueue_.cluster_queues[0], kueue_.flavors, eight), "");
}

}  // namespace
}  // namespace valle::service::cluster
