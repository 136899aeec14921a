// SPDX-License-Identifier: Apache-2.0
#include "k8s/webhook/review.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "k8s/reconcile/job_hold.hpp"
#include "tests/support/k8s/held_objects.hpp"

namespace valle::k8s {
namespace {

using tests::a_job;
using tests::a_job_set;
using tests::a_volcano_job;

constexpr const char* k_gates = "kueue.x-k8s.io/admission-gated-by";
const Json::json_pointer k_gates_at{"/metadata/annotations/kueue.x-k8s.io~1admission-gated-by"};
const Admitting k_all{.kueue = true, .jobs = true, .volcano = true, .job_sets = true};

Json kind_of(const Json& object) {
  const std::string version = object.at("apiVersion");
  return {{"group", version.substr(0, version.find('/'))},
          {"version", version.substr(version.find('/') + 1)},
          {"kind", object.at("kind")}};
}

Json review_json(const Json& object, const char* operation = "CREATE", const Json& old = nullptr) {
  return {{"apiVersion", "admission.k8s.io/v1"},
          {"kind", "AdmissionReview"},
          {"request",
           {{"uid", "7d0c-11"},
            {"operation", operation},
            {"namespace", "lab"},
            {"kind", kind_of(object)},
            {"object", object},
            {"oldObject", old}}}};
}
Review review(const Json& object, const char* operation = "CREATE", const Json& old = nullptr) {
  return parse_review(review_json(object, operation, old).dump()).value();
}

tests::ObjectBuilder new_job() { return a_job().with("/spec/suspend", false); }
tests::ObjectBuilder queued() { return new_job().labelled("kueue.x-k8s.io/queue-name", "batch"); }

Json held(const Json& object, const Admitting& admitting = k_all) {
  const auto verdict = mutate(review(object), admitting);
  EXPECT_TRUE(verdict.allowed) << verdict.message;
  return object.patch(verdict.patch);
}

TEST(Review, round_trip_keeps_uid_version_and_kind) {
  Verdict verdict{.patch = Json::array({{{"op", "add"}, {"path", "/spec/suspend"}, {"value", true}}})};
  const auto answer = Json::parse(review_response("7d0c-11", verdict));
  EXPECT_EQ(answer.at("apiVersion"), "admission.k8s.io/v1");
  EXPECT_EQ(answer.at("kind"), "AdmissionReview");
  EXPECT_EQ(answer.at("response").at("uid"), "7d0c-11");
  EXPECT_EQ(answer.at("response").at("patchType"), "JSONPatch");
  // echo '[{"op":"add","path":"/spec/suspend","value":true}]' | base64, without the line's end
  EXPECT_EQ(answer.at("response").at("patch"), "W3sib3AiOiJhZGQiLCJwYXRoIjoiL3NwZWMvc3VzcGVuZCIsInZhbHVlIjp0cnVlfV0=");
}

TEST(Review, patch_and_its_type_come_both_or_not_at_all) {
  const auto answer = Json::parse(review_response("u", {}));
  EXPECT_FALSE(answer.at("response").contains("patch"));
  EXPECT_FALSE(answer.at("response").contains("patchType"));
  EXPECT_TRUE(answer.at("response").at("allowed"));
}

TEST(Review, refuses_what_is_no_review) {
  for (const char* body :
       {"", "{", "[]", "null", R"({"apiVersion": "admission.k8s.io/v1beta1", "kind": "AdmissionReview"})",
        R"({"apiVersion": "admission.k8s.io/v1", "kind": "Job", "request": {"uid": "1"}})",
        R"({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"})",
        R"({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": 5}})"}) {
    EXPECT_FALSE(parse_review(body)) << body;
  }
  auto without_object = review_json(queued().json());
  without_object["request"]["object"] = nullptr;
  EXPECT_FALSE(parse_review(without_object.dump()));
  auto long_uid = review_json(queued().json());
  long_uid["request"]["uid"] = std::string(128, 'u');
  EXPECT_TRUE(parse_review(long_uid.dump()));
  long_uid["request"]["uid"] = std::string(129, 'u');
  EXPECT_FALSE(parse_review(long_uid.dump()));
}

TEST(Review, warnings_are_few_and_short) {
  Verdict verdict;
  for (int i = 0; i < 20; ++i) verdict.warnings.push_back(std::string(119, 'a') + "\xC3\xA9");
  const auto warnings = Json::parse(review_response("u", verdict)).at("response").at("warnings");
  EXPECT_EQ(warnings.size(), 8U);
  EXPECT_EQ(warnings.at(0).get<std::string>().size(), 119U);
}

TEST(Mutate, a_job_of_a_queue_is_held_by_the_gate_alone) {
  const auto job = held(queued().json());
  EXPECT_EQ(job.at(k_gates_at), "valle.sh/carbon");
  EXPECT_FALSE(job.at("spec").at("suspend"));
  EXPECT_FALSE(job.at("metadata").at("annotations").contains("valle.sh/start-by"));
}

TEST(Mutate, where_kueue_is_not_installed_a_job_of_a_queue_is_suspended_too) {
  Admitting without = k_all;
  without.kueue_installed = false;
  const auto object = queued().json();
  const auto job = object.patch(mutate(review(object), without).patch);
  EXPECT_EQ(job.at(k_gates_at), "valle.sh/carbon");
  EXPECT_TRUE(job.at("spec").at("suspend"));
  EXPECT_EQ(mutate(review(job), without).patch, Json::array()) << "asked again";
}

TEST(Mutate, one_that_is_to_run_now_is_held_too_until_it_is_sent_where_it_may_run) {
  EXPECT_EQ(held(queued().annotated("valle.sh/run-now", "true").json()).at(k_gates_at), "valle.sh/carbon");
}

TEST(Mutate, somebody_elses_gate_stays) {
  EXPECT_EQ(held(queued().annotated(k_gates, "ops.example.org/freeze").json()).at(k_gates_at),
            "ops.example.org/freeze,valle.sh/carbon");
}

TEST(Mutate, asked_again_changes_nothing_more) {
  for (const Json& object : {queued().json(), new_job().json(), a_volcano_job().json(),
                             a_job_set().labelled("kueue.x-k8s.io/queue-name", "q").json(), a_job_set().json()}) {
    const Json once = held(object);
    EXPECT_NE(once, object);
    EXPECT_EQ(held(once), once);
  }
}

TEST(Mutate, what_only_valle_writes_is_not_taken_from_a_copied_object) {
  const Json copy = queued()
                        .annotated("valle.sh/released-at", "2027-05-20T09:00:00Z")
                        .annotated("valle.sh/start-by", "2027-05-20T09:00:00Z")
                        .json();
  const Json annotations = held(copy).at("metadata").at("annotations");
  EXPECT_FALSE(annotations.contains("valle.sh/released-at"));
  EXPECT_FALSE(annotations.contains("valle.sh/start-by"));
  EXPECT_TRUE(annotations.contains("kueue.x-k8s.io/admission-gated-by"));
}

TEST(Mutate, an_annotation_that_nobody_reads_is_warned_of) {
  for (const char* name : {"valle.sh/finishby", "kueue.x-k8s.io/carbon-dealine"}) {
    const Json object = queued().annotated(name, "1h").json();
    const auto verdict = mutate(review(object), k_all);
    EXPECT_TRUE(verdict.allowed);
    EXPECT_THAT(verdict.warnings, testing::Contains(testing::HasSubstr(name)));
  }
}

TEST(Mutate, without_a_queue_it_is_both_gated_and_suspended) {
  const auto job = held(new_job().json());
  EXPECT_EQ(job.at(k_gates_at), "valle.sh/carbon");
  EXPECT_TRUE(job.at("spec").at("suspend"));
  EXPECT_EQ(job.at("metadata").at("annotations").at("valle.sh/held"), "suspend");
}

TEST(Mutate, without_kueue_it_is_suspended) {
  const auto job = held(new_job().json(), {.kueue = false, .jobs = true});
  EXPECT_TRUE(job.at("spec").at("suspend"));
  EXPECT_FALSE(job.at("metadata").at("annotations").contains(k_gates));
}

TEST(Mutate, without_a_gate_that_works_it_waits_outside_its_queue) {
  const auto job = held(queued().json(), {.kueue = true, .gate = false});
  EXPECT_TRUE(job.at("spec").at("suspend"));
  EXPECT_EQ(job.at("metadata").at("annotations").at("valle.sh/held"), "queue");
  EXPECT_EQ(job.at("metadata").at("annotations").at("valle.sh/queue"), "batch");
  EXPECT_FALSE(job.at("metadata").at("labels").contains("kueue.x-k8s.io/queue-name"));
  EXPECT_EQ(hold_of(tests::job_of(job)), Hold::queue);
}

TEST(Mutate, a_job_suspended_by_its_owner_is_left_to_him) {
  const auto verdict = mutate(review(new_job().with("/spec/suspend", true).json()), k_all);
  EXPECT_TRUE(verdict.patch.empty());
  EXPECT_EQ(verdict.warnings.size(), 1U);
}

TEST(Mutate, a_job_that_cannot_be_held_starts_with_a_warning) {
  const auto no_queue = mutate(review(new_job().json()), {.kueue = true, .jobs = false});
  EXPECT_TRUE(no_queue.patch.empty());
  EXPECT_EQ(no_queue.warnings.size(), 1U);
  const auto no_kueue = mutate(review(queued().json()), {.kueue = false, .jobs = true});
  EXPECT_TRUE(no_kueue.patch.empty());
  EXPECT_EQ(no_kueue.warnings.size(), 1U);
  for (const Json& object : {a_volcano_job().json(), a_job_set().json()}) {
    const auto verdict = mutate(review(object), {.kueue = true, .jobs = true});
    EXPECT_TRUE(verdict.patch.empty());
    EXPECT_EQ(verdict.warnings.size(), 1U);
  }
}

TEST(Mutate, each_task_of_a_vcjob_gets_the_gate_once) {
  const auto job = held(a_volcano_job().json());
  const auto gates = [&job](std::size_t task) {
    return job.at("spec").at("tasks").at(task).at("template").at("spec").at("schedulingGates").dump();
  };
  EXPECT_EQ(gates(0), R"([{"name":"valle.sh/carbon"}])");
  EXPECT_EQ(gates(1), R"([{"name":"other.org/gate"},{"name":"valle.sh/carbon"}])");
}

TEST(Mutate, a_vcjob_that_would_end_while_it_waits_is_refused) {
  const auto verdict =
      mutate(review(a_volcano_job()
                        .with("/spec/policies", Json::parse(R"([{"event": "PodPending", "action": "AbortJob",
                                               "timeout": "10m"}])"))
                        .json()),
             k_all);
  EXPECT_FALSE(verdict.allowed);
  EXPECT_NE(verdict.message.find("PodPending"), std::string::npos);
}

TEST(Mutate, leaves_alone_what_is_held_elsewhere) {
  const auto child =
      Json::parse(R"([{"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "name": "s", "uid": "2",
                                      "controller": true}])");
  for (const Json& object : {queued().labelled("kueue.x-k8s.io/multikueue-origin", "multikueue").json(),
                             queued().with("/metadata/ownerReferences", child).json(),
                             queued().annotated("kueue.x-k8s.io/carbon-aware", "false").json()}) {
    const auto verdict = mutate(review(object), k_all);
    EXPECT_TRUE(verdict.allowed);
    EXPECT_TRUE(verdict.patch.empty()) << object.dump();
  }
}

TEST(Mutate, jobs_of_a_cron_job_and_of_a_workflow_are_held) {
  for (const auto& [version, kind] :
       {std::pair{"batch/v1", "CronJob"}, std::pair{"argoproj.io/v1alpha1", "Workflow"}}) {
    const Json owner =
        Json::array({{{"apiVersion", version}, {"kind", kind}, {"name", "o"}, {"uid", "2"}, {"controller", true}}});
    EXPECT_FALSE(mutate(review(queued().with("/metadata/ownerReferences", owner).json()), k_all).patch.empty()) << kind;
  }
}

TEST(Mutate, refuses_elastic_and_prebuilt_jobs) {
  for (const Json& object : {queued().annotated("kueue.x-k8s.io/elastic-job", "true").json(),
                             queued().labelled("kueue.x-k8s.io/prebuilt-workload-name", "w").json()}) {
    const auto verdict = mutate(review(object), k_all);
    EXPECT_FALSE(verdict.allowed);
    EXPECT_NE(verdict.message.find("kueue.x-k8s.io/"), std::string::npos);
  }
}

TEST(Mutate, never_acts_on_an_update_or_on_other_kinds) {
  EXPECT_TRUE(mutate(review(queued().json(), "UPDATE", queued().json()), k_all).patch.empty());
  auto pod = queued().json();
  pod["apiVersion"] = "apps/v1";
  pod["kind"] = "Deployment";
  EXPECT_TRUE(mutate(review(pod), k_all).patch.empty());
}

TEST(Mutate, malformed_deadlines_are_refused_with_code_and_forms) {
  for (const char* value : {"1 day", "-2h", "P1M", "8 hours", "", "soon"}) {
    const auto object = queued().annotated("kueue.x-k8s.io/carbon-deadline", value).json();
    for (const Verdict& verdict : {mutate(review(object), k_all), validate(review(object))}) {
      const auto response = Json::parse(review_response("u", verdict)).at("response");
      EXPECT_FALSE(response.at("allowed"));
      EXPECT_EQ(response.at("status").at("code"), 400);
      EXPECT_EQ(response.at("status").at("reason"), "invalid-request");
      const std::string message = response.at("status").at("message");
      EXPECT_NE(message.find("kueue.x-k8s.io/carbon-deadline"), std::string::npos);
      EXPECT_NE(message.find("PT8H"), std::string::npos);
      EXPECT_FALSE(response.contains("patch"));
    }
  }
  for (const char* value : {"P1D", "36h", "1h30m", "PT45M"}) {
    EXPECT_TRUE(mutate(review(queued().annotated("kueue.x-k8s.io/carbon-deadline", value).json()), k_all).allowed)
        << value;
  }
}

TEST(Mutate, tells_what_is_foretold_or_refuses_what_cannot_be_in_time) {
  Admitting admitting = k_all;
  admitting.foretell = [](const Job& job, const CarbonRequest&) {
    return Admitting::Forecast{.warnings = {"cpu " + std::to_string(job.pods.requests.at("cpu").base())}};
  };
  EXPECT_EQ(mutate(review(queued().json()), admitting).warnings.front(), "cpu 2000");
  EXPECT_EQ(mutate(review(a_volcano_job().json()), admitting).warnings.front(), "cpu 1500");
  admitting.foretell = [](const Job&, const CarbonRequest&) { return Admitting::Forecast{.refusal = "too late"}; };
  EXPECT_FALSE(mutate(review(queued().json()), admitting).allowed);
}

constexpr const char* k_deadline = "kueue.x-k8s.io/carbon-deadline";

TEST(Validate, a_wait_can_only_be_shortened) {
  const auto with = [](const char* name, const char* value) { return a_job().gated().annotated(name, value).json(); };
  const auto allowed = [](const Json& before, const Json& now) {
    return validate(review(now, "UPDATE", before)).allowed;
  };
  EXPECT_FALSE(allowed(with(k_deadline, "8h"), with(k_deadline, "9h")));
  EXPECT_TRUE(allowed(with(k_deadline, "8h"), with(k_deadline, "7h")));
  EXPECT_TRUE(allowed(with(k_deadline, "8h"), with(k_deadline, "2027-06-02T13:00:00Z")));
  EXPECT_FALSE(allowed(with(k_deadline, "8h"), with(k_deadline, "2027-06-02T14:00:01Z")));
  EXPECT_FALSE(allowed(with(k_deadline, "8h"), a_job().gated().json()));
  EXPECT_TRUE(allowed(a_job().gated().json(), with(k_deadline, "8h")));
  EXPECT_FALSE(allowed(with("valle.sh/finish-by", "8h"), with("valle.sh/finish-by", "9h")));
  EXPECT_FALSE(allowed(with("valle.sh/start-by", "2027-06-02T14:00:00Z"), a_job().gated().json()));
  EXPECT_TRUE(
      allowed(with("valle.sh/start-by", "2027-06-02T14:00:00Z"), with("valle.sh/start-by", "2027-06-02T13:00:00Z")));
  EXPECT_TRUE(allowed(with(k_deadline, "8h"), with("kueue.x-k8s.io/carbon-aware", "false")));
}

TEST(Validate, what_was_unreadable_before_does_not_stand_in_the_way_of_other_changes) {
  const auto broken = a_job().annotated(k_deadline, "soon");
  EXPECT_TRUE(
      validate(review(tests::ObjectBuilder{broken}.labelled("a", "b").json(), "UPDATE", broken.json())).allowed);
  EXPECT_FALSE(
      validate(review(tests::ObjectBuilder{broken}.annotated(k_deadline, "later").json(), "UPDATE", broken.json()))
          .allowed);
}

TEST(Validate, reads_the_annotations_of_a_cron_jobs_jobs) {
  Json cron = Json::parse(R"({"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "nightly"},
    "spec": {"concurrencyPolicy": "Forbid", "jobTemplate": {"metadata": {"annotations":
      {"kueue.x-k8s.io/carbon-aware": "true", "kueue.x-k8s.io/carbon-deadline": "5h"}}}}})");
  const auto warned = validate(review(cron));
  EXPECT_TRUE(warned.allowed);
  EXPECT_TRUE(warned.patch.empty());
  ASSERT_EQ(warned.warnings.size(), 1U);
  EXPECT_LE(warned.warnings.front().size(), 120U);
  EXPECT_TRUE(mutate(review(cron), k_all).patch.empty());
  cron["spec"]["jobTemplate"]["metadata"]["annotations"][k_deadline] = "soon";
  EXPECT_FALSE(validate(review(cron)).allowed);
  cron["spec"]["jobTemplate"].erase("metadata");
  cron["metadata"]["annotations"]["kueue.x-k8s.io/carbon-aware"] = "true";
  EXPECT_EQ(validate(review(cron)).warnings.size(), 1U);
}

}  // namespace
}  // namespace valle::k8s
