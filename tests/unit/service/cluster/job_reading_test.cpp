// SPDX-License-Identifier: Apache-2.0
#include "service/cluster/job_reading.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "k8s/api/names.hpp"
#include "service/cluster/decision_of.hpp"

namespace valle::service::cluster {
namespace {

using namespace std::chrono_literals;
using app::JobState;
using nlohmann::json;
using scheduler::Amount;
using scheduler::Instant;
using scheduler::parse_instant;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

Instant at(const char* text) { return parse_instant(text).value(); }

const std::vector<runtime::SiteConfig> k_sites{
    {.name = "fr", .zone = scheduler::Zone::of("FR"), .region = "eu-west-3"},
    {.name = "es", .zone = scheduler::Zone::of("ES"), .region = "eu-south-2"},
};

json object_of(json annotations, json spec = json::object(), json status = json::object()) {
  annotations["kueue.x-k8s.io/carbon-aware"] = "true";
  annotations["kueue.x-k8s.io/admission-gated-by"] = "valle.sh/carbon";
  spec["suspend"] = spec.value("suspend", true);
  return {{"metadata",
           {{"name", "fit"},
            {"namespace", "lab"},
            {"uid", "u-1"},
            {"resourceVersion", "7"},
            {"creationTimestamp", "2027-05-20T09:00:00Z"},
            {"labels", {{"kueue.x-k8s.io/queue-name", "batch"}}},
            {"annotations", annotations}}},
          {"spec", spec},
          {"status", status}};
}

HeldObject parsed(const json& object) { return held_object(k8s::parse_job(object).value()); }

app::Job waiting(const json& annotations, const ReadingRules& rules = {}) {
  return read_job(parsed(object_of(annotations)), k_sites, rules).value();
}

TEST(ReadJob, the_deadline_is_elapsed_time_from_creation) {
  const auto job = waiting({{"kueue.x-k8s.io/carbon-deadline", "8h"}});
  EXPECT_EQ(job.id, "u-1");
  EXPECT_EQ(job.request.owner, "lab");
  EXPECT_EQ(job.submitted_at, at("2027-05-20T09:00:00Z"));
  EXPECT_EQ(job.object->start_by, at("2027-05-20T17:00:00Z"));
  EXPECT_EQ(job.start_by, job.object->start_by);
}

TEST(ReadJob, a_job_is_on_the_account_that_the_report_asks_for) {
  k8s::ObjectMeta meta;
  meta.space = "lab";
  EXPECT_EQ(owner_of(meta, "namespace"), "lab");
  EXPECT_EQ(owner_of(meta, "queue"), "") << "nobody's, and not its namespace's";
  EXPECT_EQ(owner_of(meta, "label:team"), "");
  meta.labels = {{"kueue.x-k8s.io/queue-name", "nightly"}, {"team", "vision"}};
  EXPECT_EQ(owner_of(meta, "queue"), "nightly");
  EXPECT_EQ(owner_of(meta, "label:team"), "vision");
  meta.labels.clear();
  meta.annotations = {{"valle.sh/queue", "kept-out-of"}};
  EXPECT_EQ(owner_of(meta, "queue"), "kept-out-of") << "the queue that it will enter";
}

TEST(ReadJob, the_plan_keeps_to_an_earlier_start_so_that_pods_are_in_time_too) {
  const auto job = waiting({{"kueue.x-k8s.io/carbon-deadline", "8h"}}, {.admission_allowance = 40s});
  EXPECT_EQ(job.object->start_by, at("2027-05-20T17:00:00Z"));
  EXPECT_EQ(job.start_by, at("2027-05-20T16:59:20Z"));
  const auto short_one = waiting({{"kueue.x-k8s.io/carbon-deadline", "20s"}}, {.admission_allowance = 40s});
  EXPECT_EQ(short_one.start_by, at("2027-05-20T09:00:15Z")) << "never more than a quarter of the wait";
}

scheduler::LearnedEstimate learned_from_three_runs() {
  std::vector<scheduler::PastRun> runs;
  for (int i = 1; i <= 3; ++i) {
    runs.push_back({at("2027-05-01T00:00:00Z") + std::chrono::hours{24 * i},
                    i * 1h,
                    {{scheduler::EnergyBoundary::pod, scheduler::energy_from_kwh(i)}}});
  }
  return scheduler::learn(runs).value();
}

TEST(ReadJob, time_and_energy_come_from_earlier_runs_and_the_reason_says_so) {
  const ReadingRules rules{.learned = [](const auto&) { return std::optional{learned_from_three_runs()}; }};
  const auto job = waiting({{"valle.sh/finish-by", "2027-05-20T21:00:00Z"}}, rules);
  EXPECT_EQ(job.request.duration, 3h) << "the 80th percentile";
  EXPECT_EQ(job.request.energy, scheduler::energy_from_kwh(2));
  EXPECT_EQ(job.request.power, std::nullopt);
  EXPECT_EQ(job.object->start_by, at("2027-05-20T18:00:00Z"));
  EXPECT_THAT(job.reason, HasSubstr("PT3H by 3 earlier runs, its energy by 3 earlier runs"));
}

TEST(ReadJob, what_its_owner_says_comes_before_earlier_runs) {
  const ReadingRules rules{.learned = [](const auto&) { return std::optional{learned_from_three_runs()}; }};
  const auto job = waiting({{"valle.sh/expected-duration", "30m"}, {"valle.sh/power-watts", "70"}}, rules);
  EXPECT_EQ(job.request.duration, 30min);
  EXPECT_EQ(job.request.power, scheduler::power_from_watts(70));
  EXPECT_EQ(job.request.energy, std::nullopt);
  EXPECT_THAT(job.reason, HasSubstr("by valle.sh/expected-duration, its energy by valle.sh/power-watts"));
}

TEST(ReadJob, is_asked_for_by_its_own_signature) {
  std::vector<scheduler::JobSignature> asked;
  const ReadingRules rules{.learned = [&asked](const auto& signature) -> std::optional<scheduler::LearnedEstimate> {
    asked.push_back(signature);
    return {};
  }};
  (void)waiting({{"valle.sh/finish-by", "8h"}}, rules);
  (void)waiting({{"valle.sh/finish-by", "9h"}}, rules);
  ASSERT_EQ(asked.size(), 2u);
  EXPECT_EQ(asked[0], asked[1]);
}

TEST(ReadJob, finish_by_takes_the_run_and_the_margin_off) {
  const json limits{{"valle.sh/finish-by", "2027-05-20T21:00:00+02:00"}, {"valle.sh/expected-duration", "PT2H30M"}};
  EXPECT_EQ(waiting(limits).object->start_by, at("2027-05-20T16:30:00Z"));
  EXPECT_EQ(waiting(limits, {.finish_margin = 30min}).object->start_by, at("2027-05-20T16:00:00Z"));
}

TEST(ReadJob, a_deadline_that_was_fixed_counts_unless_it_is_shortened) {
  EXPECT_EQ(waiting({{"kueue.x-k8s.io/carbon-deadline", "8h"}, {"valle.sh/start-by", "2027-05-20T12:00:00Z"}})
                .object->start_by,
            at("2027-05-20T12:00:00Z"));
  EXPECT_EQ(waiting({{"kueue.x-k8s.io/carbon-deadline", "1h"}, {"valle.sh/start-by", "2027-05-20T12:00:00Z"}})
                .object->start_by,
            at("2027-05-20T10:00:00Z"));
}

TEST(ReadJob, demand_is_what_all_pods_that_run_at_one_time_ask_for) {
  auto object = object_of(json::object(), {{"parallelism", 4}, {"completions", 12}});
  object["spec"]["template"]["spec"]["containers"] = json::parse(
      R"([{"resources": {"requests": {"cpu": "500m", "memory": "1536Mi"}, "limits": {"nvidia.com/gpu": "2"}}},
          {"resources": {"requests": {"cpu": "250m", "ephemeral-storage": "5Gi"}}}])");
  const auto job = read_job(parsed(object), k_sites, {}).value();
  const auto one = [](const char* name, std::int64_t thousandths) {
    return scheduler::ResourceDemand{name, Amount::of_base(thousandths)};
  };
  EXPECT_THAT(*job.request.demand, UnorderedElementsAre(one("cpu", 3'000), one("memory", 6'000), one("gpu", 8'000)));
  EXPECT_EQ(job.request.power, scheduler::power_from_watts(8 * 400 + 3 * 10));
}

TEST(ReadJob, run_time_comes_from_the_best_source_that_there_is) {
  EXPECT_EQ(waiting(json::object()).request.duration, 1h);
  const auto with_limit = read_job(parsed(object_of(json::object(), {{"activeDeadlineSeconds", 7200}})), k_sites, {});
  EXPECT_EQ(with_limit->request.duration, 2h);
  auto labelled = object_of(json::object(), {{"activeDeadlineSeconds", 7200}});
  labelled["metadata"]["labels"]["kueue.x-k8s.io/max-exec-time-seconds"] = "600";
  EXPECT_EQ(read_job(parsed(labelled), k_sites, {})->request.duration, 10min);
  labelled["metadata"]["annotations"]["valle.sh/expected-duration"] = "5m";
  EXPECT_EQ(read_job(parsed(labelled), k_sites, {})->request.duration, 5min);
}

TEST(ReadJob, regions_are_sites_by_region_zone_or_name) {
  EXPECT_EQ(*waiting({{"valle.sh/regions", "ES"}}).request.sites, std::vector<std::string>{"es"});
  EXPECT_EQ(*waiting({{"valle.sh/regions", "eu-west-3"}}).request.sites, std::vector<std::string>{"fr"});
  EXPECT_EQ(waiting({{"valle.sh/home-region", "es"}}).request.home_site, "es");
  const auto unknown = read_job(parsed(object_of({{"valle.sh/regions", "PT"}})), k_sites, {});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, scheduler::Errc::unknown_site);
  EXPECT_THAT(unknown.error().detail, HasSubstr("eu-west-3"));
}

TEST(ReadJob, what_no_plan_could_hold_is_refused_at_the_door) {
  const auto refused = [](const json& object) { return !read_job(parsed(object), k_sites, {}).has_value(); };
  EXPECT_TRUE(refused(object_of({{"valle.sh/power-watts", "0.0001"}}))) << "rounds to nothing";
  EXPECT_TRUE(refused(object_of({{"valle.sh/energy-kwh", "1e-9"}})));
  EXPECT_FALSE(refused(object_of({{"valle.sh/power-watts", "0.001"}})));
  auto greedy = object_of(json::object(), {{"parallelism", 1'000'000'000}, {"completions", 1'000'000'000}});
  greedy["spec"]["template"]["spec"]["containers"] =
      json::parse(R"([{"resources": {"requests": {"nvidia.com/gpu": "1000000"}}}])");
  const auto capped = read_job(parsed(greedy), k_sites, {});
  ASSERT_TRUE(capped);
  EXPECT_LE(*capped->request.power, scheduler::ProblemLimits::k_power);
  EXPECT_LE(capped->request.demand->front().amount, scheduler::ProblemLimits::k_amount);
}

TEST(ReadJob, a_pin_that_the_regions_do_not_allow_is_refused) {
  auto object = object_of({{"valle.sh/regions", "FR"}});
  object["spec"]["template"]["spec"]["nodeSelector"]["topology.kubernetes.io/region"] = "eu-south-2";
  EXPECT_FALSE(read_job(parsed(object), k_sites, {}));
  object["metadata"]["annotations"]["valle.sh/regions"] = "FR,ES";
  EXPECT_EQ(*read_job(parsed(object), k_sites, {})->request.sites, std::vector<std::string>{"es"});
}

TEST(ReadJob, a_job_that_its_owner_pinned_stays_there) {
  auto object = object_of(json::object());
  object["spec"]["template"]["spec"]["nodeSelector"]["topology.kubernetes.io/region"] = "eu-south-2";
  EXPECT_EQ(*read_job(parsed(object), k_sites, {})->request.sites, std::vector<std::string>{"es"});
}

app::Job planned() {
  auto job = waiting({{"kueue.x-k8s.io/carbon-deadline", "8h"}});
  job.slot = app::JobSlot{.site = "es",
                          .zone = scheduler::Zone::of("ES"),
                          .segments = {{at("2027-05-20T14:00:00Z"), at("2027-05-20T15:00:00Z")}}};
  return job;
}

TEST(AdvancedJob, follows_its_object_from_release_to_its_end) {
  const json deadline{{"kueue.x-k8s.io/carbon-deadline", "8h"}};
  auto released =
      object_of({{"kueue.x-k8s.io/carbon-deadline", "8h"}, {"valle.sh/released-at", "2027-05-20T14:00:01Z"}});
  released["metadata"]["annotations"].erase("kueue.x-k8s.io/admission-gated-by");
  auto job = advanced(planned(), parsed(released), k_sites, {}, at("2027-05-20T14:00:02Z"));
  EXPECT_EQ(job.state, JobState::released);
  EXPECT_EQ(job.released_at, at("2027-05-20T14:00:01Z"));
  EXPECT_EQ(job.slot->site, "es");

  auto running = released;
  running["spec"]["suspend"] = false;
  running["status"] = {{"startTime", "2027-05-20T14:00:03Z"}, {"active", 1}};
  job = advanced(job, parsed(running), k_sites, {}, at("2027-05-20T14:00:04Z"));
  EXPECT_EQ(job.state, JobState::released) << "admitted, but no pod runs yet";
  running["status"]["ready"] = 1;
  job = advanced(job, parsed(running), k_sites, {}, at("2027-05-20T14:00:05Z"));
  EXPECT_EQ(job.state, JobState::running);
  EXPECT_EQ(job.started_at, at("2027-05-20T14:00:03Z"));

  auto between_tries = running;
  between_tries["status"] = {{"startTime", "2027-05-20T14:00:03Z"}, {"active", 0}, {"failed", 1}, {"ready", 0}};
  EXPECT_EQ(advanced(job, parsed(between_tries), k_sites, {}, at("2027-05-20T14:30:00Z")).state, JobState::running);
  auto done = running;
  done["status"]["conditions"] =
      json::parse(R"([{"type": "Complete", "status": "True", "lastTransitionTime": "2027-05-20T15:10:00Z"}])");
  job = advanced(job, parsed(done), k_sites, {}, at("2027-05-20T15:10:01Z"));
  EXPECT_EQ(job.state, JobState::finished);
  EXPECT_EQ(job.finished_at, at("2027-05-20T15:10:00Z"));
}

TEST(AdvancedJob, run_now_releases_without_a_plan) {
  auto object = object_of({{"kueue.x-k8s.io/carbon-deadline", "8h"}, {"valle.sh/run-now", "true"}});
  const auto job = advanced(planned(), parsed(object), k_sites, {}, at("2027-05-20T10:00:00Z"));
  EXPECT_EQ(job.state, JobState::released);
  EXPECT_EQ(job.reason, k_asked_to_run_now);
  const auto decision = decision_of(job, k_sites);
  EXPECT_TRUE(decision.released);
  EXPECT_FALSE(decision.planned_start);
  EXPECT_FALSE(decision.planned) << "missing is never zero";
}

TEST(AdvancedJob, without_its_annotation_it_waits_no_longer) {
  auto object = object_of({{"kueue.x-k8s.io/carbon-deadline", "8h"}});
  object["metadata"]["annotations"].erase("kueue.x-k8s.io/carbon-aware");
  EXPECT_EQ(advanced(planned(), parsed(object), k_sites, {}, at("2027-05-20T10:00:00Z")).state, JobState::released);
}

TEST(AdvancedJob, other_regions_mean_another_plan_and_unknown_ones_nothing) {
  const auto now = at("2027-05-20T10:00:00Z");
  const json limit{{"kueue.x-k8s.io/carbon-deadline", "8h"}};
  auto fr = limit;
  fr["valle.sh/regions"] = "FR";
  const auto moved = advanced(planned(), parsed(object_of(fr)), k_sites, {}, now);
  EXPECT_EQ(*moved.request.sites, std::vector<std::string>{"fr"});
  EXPECT_FALSE(moved.slot) << "it was planned in es";
  auto unknown = limit;
  unknown["valle.sh/regions"] = "FR,XX";
  EXPECT_EQ(advanced(planned(), parsed(object_of(unknown)), k_sites, {}, now), planned());
}

TEST(AdvancedJob, a_shorter_deadline_is_taken_and_a_longer_one_is_not) {
  const auto now = at("2027-05-20T10:00:00Z");
  const auto shorter =
      advanced(planned(), parsed(object_of({{"kueue.x-k8s.io/carbon-deadline", "2h"}})), k_sites, {}, now);
  EXPECT_EQ(shorter.object->start_by, at("2027-05-20T11:00:00Z"));
  EXPECT_FALSE(shorter.slot) << "its slot begins too late";
  const auto longer =
      advanced(planned(), parsed(object_of({{"kueue.x-k8s.io/carbon-deadline", "20h"}})), k_sites, {}, now);
  EXPECT_EQ(longer, planned());
}

TEST(AdvancedJob, what_somebody_else_started_counts_as_released) {
  auto object = object_of({{"kueue.x-k8s.io/carbon-deadline", "8h"}}, {{"suspend", false}});
  object["metadata"]["annotations"].erase("kueue.x-k8s.io/admission-gated-by");
  const auto job = advanced(planned(), parsed(object), k_sites, {}, at("2027-05-20T10:00:00Z"));
  EXPECT_EQ(job.state, JobState::released);
  EXPECT_EQ(job.reason, k_started_elsewhere);
}

TEST(AdvancedJob, an_object_that_is_gone_cancels_what_has_not_ended) {
  EXPECT_EQ(vanished(planned(), at("2027-05-20T10:00:00Z")).state, JobState::cancelled);
  auto ended = planned();
  ended.state = JobState::finished;
  EXPECT_EQ(vanished(ended, at("2027-05-20T10:00:00Z")).state, JobState::finished);
}

TEST(DecisionOf, pins_the_region_of_a_planned_site_and_names_its_queue) {
  auto sites = k_sites;
  sites[1].queue = "carbon-es";
  const auto decision = decision_of(planned(), sites);
  EXPECT_FALSE(decision.released);
  EXPECT_EQ(decision.region, "eu-south-2");
  EXPECT_EQ(decision.queue, "carbon-es");
  EXPECT_EQ(decision.planned_start, at("2027-05-20T14:00:00Z"));
}

TEST(DecisionOf, a_forced_release_is_pinned_only_where_there_is_no_choice) {
  auto job = planned();
  job.slot->by_plan = false;
  EXPECT_EQ(decision_of(job, k_sites).region, "");
  job.request.sites = std::vector<std::string>{"es"};
  EXPECT_EQ(decision_of(job, k_sites).region, "eu-south-2");
}

}  // namespace
}  // namespace valle::service::cluster
