// SPDX-License-Identifier: Apache-2.0
#include "k8s/estimate/estimate.hpp"

#include <gtest/gtest.h>

#include "tests/support/k8s/held_objects.hpp"

namespace valle::k8s {
namespace {

using scheduler::Amount;
using scheduler::Power;
using scheduler::ResourceDemand;
using tests::a_job;
using tests::job_of;
using namespace std::chrono_literals;

Amount units(std::int64_t count) { return Amount::of_base(count * 1'000); }

TEST(Demand, of_a_job_is_what_its_pods_hold_at_one_time) {
  const auto job = job_of(a_job().with("/spec/parallelism", 5).with("/spec/completions", 3).json());
  EXPECT_EQ(demand_of(pod_sets_of(job)), (std::vector<ResourceDemand>{{"cpu", units(6)}, {"memory", units(12)}}));
}

TEST(Demand, of_a_job_set_and_a_vcjob_counts_all_their_pods) {
  const auto set = parse_job_set(tests::a_job_set().json()).value();
  EXPECT_EQ(demand_of(pod_sets_of(set)), (std::vector<ResourceDemand>{{"cpu", units(1)}, {"gpu", units(6)}}));
  const auto gang = parse_volcano_job(tests::a_volcano_job().json()).value();
  EXPECT_EQ(demand_of(pod_sets_of(gang)), (std::vector<ResourceDemand>{{"cpu", Amount::of_base(1'500)}}));
}

TEST(Demand, names_resources_as_the_planner_does) {
  EXPECT_EQ(planned_resource("memory", units(1))->amount, Amount::of_base(1));  // a byte is more than no GiB
  EXPECT_EQ(planned_resource("memory", units(std::int64_t{3} << 30))->amount, units(3));
  EXPECT_EQ(planned_resource("amd.com/gpu", units(2))->resource, "gpu");
  EXPECT_EQ(planned_resource("example.org/fpga", units(2))->resource, "example.org/fpga");
  for (const char* name : {"ephemeral-storage", "pods", "hugepages-2Mi"}) {
    EXPECT_FALSE(planned_resource(name, units(1))) << name;
  }
}

TEST(Demand, beyond_all_measure_is_capped) {
  const auto job = job_of(a_job()
                              .with("/spec/parallelism", 2'000'000'000)
                              .with("/spec/completions", 2'000'000'000)
                              .with("/spec/template/spec/containers/0/resources/requests/cpu", "1000000000000000")
                              .json());
  EXPECT_EQ(demand_of(pod_sets_of(job)).front().amount, units(1'000'000'000'000));
}

TEST(Duration, comes_from_the_first_who_knows_and_says_so) {
  const auto job = [](auto... more) {
    auto builder = a_job();
    (more(builder), ...);
    return meta_of(builder.json());
  };
  const auto labelled = [](const char* seconds) {
    return
        [seconds](tests::ObjectBuilder& builder) { builder.labelled("kueue.x-k8s.io/max-exec-time-seconds", seconds); };
  };
  const CarbonRequest annotated{.expected_duration = 90min};
  EXPECT_EQ(expected_duration(annotated, job(labelled("60")), {}, 5min, 1h).duration, 90min);
  EXPECT_EQ(expected_duration({}, job(labelled("60")), {}, 5min, 1h).duration, 60s);
  EXPECT_EQ(expected_duration({}, job(labelled("60")), {}, 5min, 1h).from, "kueue.x-k8s.io/max-exec-time-seconds");
  EXPECT_EQ(expected_duration({}, job(labelled("60s")), {}, 5min, 1h).duration, 5min);
  EXPECT_EQ(expected_duration({}, job(labelled("-1")), {}, {}, 1h).duration, 1h);
  EXPECT_EQ(expected_duration({}, job(), {}, {}, 1h).from, "the default");
}

TEST(PowerGuess, comes_from_annotations_or_from_requests) {
  const std::vector<ResourceDemand> demand{{"cpu", units(8)}, {"gpu", units(2)}, {"memory", units(64)}};
  EXPECT_EQ(expected_power({.energy = scheduler::energy_from_kwh(2)}, {}, demand).energy,
            scheduler::energy_from_kwh(2));
  EXPECT_EQ(expected_power({.power = scheduler::power_from_watts(70)}, {}, demand).from, "valle.sh/power-watts");
  EXPECT_EQ(expected_power({}, {}, demand).power, scheduler::power_from_watts(2 * 400 + 8 * 10));
  EXPECT_EQ(expected_power({}, {}, demand, {},
                           {.per_gpu = scheduler::power_from_watts(1), .per_core = scheduler::power_from_watts(2)})
                .power,
            scheduler::power_from_watts(18));
  EXPECT_EQ(expected_power({}, {}, {}).power, scheduler::power_from_watts(10));
  EXPECT_EQ(expected_power({}, {}, std::vector<ResourceDemand>{{"gpu", units(1'000'000'000'000)}}).power,
            Power::of_base(1'000'000'000'000));
}

scheduler::LearnedEstimate three_runs(scheduler::EnergyBoundary boundary) {
  std::vector<scheduler::PastRun> runs;
  for (int i = 1; i <= 3; ++i) {
    runs.push_back({scheduler::Instant{std::chrono::hours{i}}, i * 10min, {{boundary, scheduler::energy_from_kwh(i)}}});
  }
  return *scheduler::learn(runs);
}

TEST(Duration, earlier_runs_come_after_the_annotation_and_before_limits) {
  const auto learned = three_runs(scheduler::EnergyBoundary::node);
  const auto meta = meta_of(a_job().labelled("kueue.x-k8s.io/max-exec-time-seconds", "60").json());
  EXPECT_EQ(expected_duration({}, meta, learned, 5min, 1h).duration, 30min) << "the 80th percentile";
  EXPECT_EQ(expected_duration({}, meta, learned, 5min, 1h).from, "3 earlier runs");
  EXPECT_EQ(expected_duration({.expected_duration = 90min}, meta, learned, 5min, 1h).duration, 90min);
  auto drifted = learned;
  drifted.drifted = true;
  EXPECT_EQ(expected_duration({}, meta, drifted, 5min, 1h).from,
            "the newest 3 earlier runs, which differ from those before");
}

TEST(PowerGuess, earlier_runs_come_after_annotations_and_before_requests) {
  const std::vector<ResourceDemand> demand{{"cpu", units(8)}, {"gpu", units(2)}};
  const auto learned = three_runs(scheduler::EnergyBoundary::board);
  EXPECT_EQ(expected_power({}, learned, demand).energy, scheduler::energy_from_kwh(2)) << "the median";
  EXPECT_EQ(expected_power({}, learned, demand).from, "3 earlier runs");
  EXPECT_EQ(expected_power({.power = scheduler::power_from_watts(70)}, learned, demand).from, "valle.sh/power-watts");
  EXPECT_EQ(expected_power({}, three_runs(scheduler::EnergyBoundary::pod), demand).from, "its requests")
      << "processors alone are not the energy of a job with boards";
}

TEST(PowerGuess, boards_of_a_known_model_count_as_rated) {
  const std::vector<ResourceDemand> demand{{"gpu", units(2)}};
  EXPECT_EQ(expected_power({}, {}, demand, "NVIDIA-H100-80GB-HBM3").power, scheduler::power_from_watts(1'400));
  EXPECT_EQ(expected_power({}, {}, demand, "NVIDIA-H100-80GB-HBM3").from, "its requests, boards as rated");
  EXPECT_EQ(expected_power({}, {}, demand, "Tesla-T4").power, scheduler::power_from_watts(800));
}

TEST(Signature, of_an_object_tells_image_command_requests_and_model) {
  const auto signature = [](tests::ObjectBuilder builder) { return signature_of(pod_sets_of(job_of(builder.json()))); };
  const auto known = signature(a_job());
  EXPECT_EQ(signature(a_job().labelled("team", "red").annotated("valle.sh/finish-by", "8h")), known);
  EXPECT_NE(signature(a_job().with("/spec/template/spec/containers/0/image", "registry/other:v1")), known);
  EXPECT_NE(signature(a_job().with("/spec/template/spec/containers/0/args", Json::array({"--epochs", "9"}))), known);
  EXPECT_NE(signature(a_job().with("/spec/template/spec/containers/0/resources/requests/cpu", "7")), known);
  EXPECT_NE(signature(a_job().with("/spec/parallelism", 7).with("/spec/completions", 7)), known);
  const auto on_boards =
      signature(a_job().with("/spec/template/spec/nodeSelector", Json{{"nvidia.com/gpu.product", "NVIDIA-L40S"}}));
  EXPECT_NE(on_boards, known);
  EXPECT_EQ(signature(a_job().with("/spec/template/spec/containers/0/image", "registry/team:v1")).family,
            signature(a_job().with("/spec/template/spec/containers/0/image", "registry/team:v2")).family);
}

}  // namespace
}  // namespace valle::k8s
