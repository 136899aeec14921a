// SPDX-License-Identifier: Apache-2.0
#include "k8s/client/path.hpp"

#include <gtest/gtest.h>

#include "k8s/client/discovery.hpp"

namespace valle::k8s {
namespace {

TEST(Path, groups_lie_under_apis_and_the_core_under_api) {
  EXPECT_EQ(path_of(ObjectPath{resources::k_jobs, "lab", "nightly"}), "/apis/batch/v1/namespaces/lab/jobs/nightly");
  EXPECT_EQ(path_of(ObjectPath{resources::k_pods, "lab", "p-1"}), "/api/v1/namespaces/lab/pods/p-1");
}

TEST(Path, a_collection_is_one_namespace_or_all) {
  EXPECT_EQ(path_of(Collection{resources::k_jobs, "lab"}), "/apis/batch/v1/namespaces/lab/jobs");
  EXPECT_EQ(path_of(Collection{resources::k_jobs}), "/apis/batch/v1/jobs");
}

TEST(Path, what_belongs_to_the_cluster_has_no_namespace_even_if_one_is_given) {
  EXPECT_EQ(path_of(ObjectPath{resources::k_cluster_queues, "lab", "cq"}),
            "/apis/kueue.x-k8s.io/v1beta2/clusterqueues/cq");
}

TEST(Path, a_subresource_follows_the_name) {
  EXPECT_EQ(path_of(ObjectPath{resources::k_workloads, "lab", "job-a", "status"}),
            "/apis/kueue.x-k8s.io/v1beta2/namespaces/lab/workloads/job-a/status");
}

TEST(Path, names_cannot_leave_their_place) {
  EXPECT_EQ(path_of(ObjectPath{resources::k_jobs, "a/b", "../x?y#z"}),
            "/apis/batch/v1/namespaces/a%2Fb/jobs/..%2Fx%3Fy%23z");
}

TEST(Path, one_object_has_a_name_and_a_namespace_unless_it_belongs_to_the_cluster) {
  EXPECT_TRUE(names_one({resources::k_jobs, "lab", "a"}));
  EXPECT_TRUE(names_one({resources::k_nodes, "", "a"}));
  for (const auto* odd : {"", ".", ".."}) {
    EXPECT_FALSE(names_one({resources::k_jobs, "lab", odd}));
    EXPECT_FALSE(names_one({resources::k_jobs, odd, "a"}));
  }
}

TEST(Path, query_values_are_encoded) {
  EXPECT_EQ(target_of("/p", {{"labelSelector", "a in (b,c)"}, {"continue", "x+/="}}),
            "/p?labelSelector=a%20in%20%28b%2Cc%29&continue=x%2B%2F%3D");
  EXPECT_EQ(target_of("/p", {}), "/p");
}

TEST(Path, bytes_beyond_ascii_are_encoded_one_by_one) { EXPECT_EQ(percent_encoded("ñ~"), "%C3%B1~"); }

TEST(Path, an_api_version_has_a_group_unless_it_is_the_core) {
  EXPECT_EQ(api_version_of(resources::k_jobs), "batch/v1");
  EXPECT_EQ(api_version_of(resources::k_pods), "v1");
}

}  // namespace
}  // namespace valle::k8s
