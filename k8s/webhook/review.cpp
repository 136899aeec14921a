// SPDX-License-Identifier: Apache-2.0
#include "k8s/webhook/review.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "k8s/api/job_set.hpp"
#include "k8s/api/names.hpp"
#include "k8s/api/quantity.hpp"
#include "k8s/api/volcano.hpp"
#include "k8s/estimate/estimate.hpp"
#include "k8s/reconcile/gates.hpp"
#include "k8s/reconcile/job_hold.hpp"

namespace valle::k8s {
namespace {

using scheduler::Errc;
using scheduler::Instant;
using scheduler::refuse;
using scheduler::Result;

constexpr std::size_t k_longest_warning = 120;
constexpr std::size_t k_most_warnings = 8;
constexpr std::size_t k_longest_uid = 128;
constexpr const char* k_version = "admission.k8s.io/v1";

std::string base64(std::string_view bytes) {
  constexpr std::string_view k_alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t j) -> unsigned {
      return j < bytes.size() ? static_cast<unsigned char>(bytes[j]) : 0U;
    };
    const unsigned three = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    for (int shift = 18, k = 0; shift >= 0; shift -= 6, ++k) {
      text += i + static_cast<std::size_t>(k) > bytes.size() ? '=' : k_alphabet[three >> shift & 63];
    }
  }
  return text;
}

Verdict refusal(const scheduler::Error& error) { return {.allowed = false, .message = "valle: " + error.detail}; }

enum class Kind { job, volcano_job, job_set, cron_job, other };
Kind kind_of(const Review& review) {
  if (review.group == "batch" && review.kind == "Job") return Kind::job;
  if (review.group == "batch" && review.kind == "CronJob") return Kind::cron_job;
  if (review.group == "batch.volcano.sh" && review.kind == "Job") return Kind::volcano_job;
  return review.group == "jobset.x-k8s.io" && review.kind == "JobSet" ? Kind::job_set : Kind::other;
}

Json add(std::string path, Json value) {
  return {{"op", "add"}, {"path", std::move(path)}, {"value", std::move(value)}};
}

Json annotate(const std::string& name, const std::string& value) {
  return add("/metadata/annotations/" + pointer_segment(name), value);
}

void hold_by_gate(const ObjectMeta& meta, Json& patch) {
  const std::string gates = meta.annotation(names::k_gated_by).value_or("");
  const std::string wanted = with_our_gate(gates);
  if (wanted != gates) patch.push_back(annotate(names::k_gated_by, wanted));
}

void hold_by_suspension(const ObjectMeta& meta, bool suspended, const char* how, Json& patch) {
  if (!suspended) patch.push_back(add("/spec/suspend", true));
  if (meta.annotation(names::k_held) != how) patch.push_back(annotate(names::k_held, how));
}

/// Out of its queue, which it enters when it is released.
void hold_outside_queue(const ObjectMeta& meta, bool suspended, Json& patch) {
  hold_by_suspension(meta, suspended, "queue", patch);
  patch.push_back(annotate(names::k_held_queue, meta.label(names::k_queue).value_or("")));
  patch.push_back({{"op", "remove"}, {"path", "/metadata/labels/" + pointer_segment(names::k_queue)}});
}

void hold_tasks(const VolcanoJob& job, const Json& object, Json& patch) {
  const Json& tasks = inner(inner(object, "spec"), "tasks");
  const Json gate{{"name", names::k_gate}};
  for (std::size_t i = 0; i < job.tasks.size(); ++i) {
    const auto& gates = job.tasks[i].pods.gates;
    if (std::find(gates.begin(), gates.end(), names::k_gate) != gates.end()) continue;
    const std::string list = "/spec/tasks/" + std::to_string(i) + "/template/spec/schedulingGates";
    const bool there = inner(inner(inner(tasks[i], "template"), "spec"), "schedulingGates").is_array();
    patch.push_back(there ? add(list + "/-", gate) : add(list, Json::array({gate})));
  }
}

/// What people are told of a job that will wait.
Verdict told(Verdict verdict, const Job& job, const CarbonRequest& request, const Admitting& admitting) {
  if (!admitting.foretell) return verdict;
  auto forecast = admitting.foretell(job, request);
  if (forecast.refusal) return {.allowed = false, .message = "valle: " + *forecast.refusal};
  verdict.warnings = std::move(forecast.warnings);
  return verdict;
}

/// A Job or a JobSet. `job` stands for either: its metadata, whether it is suspended, what it asks for.
Verdict hold_job(const Job& job, const CarbonRequest& request, const Admitting& admitting) {
  Verdict verdict;
  const bool queued = job.meta.label(names::k_queue).has_value();
  const bool held_already = hold_of(job) != Hold::none;
  if (!queued && job.suspended && !held_already) {
    verdict.warnings.push_back("valle: the job is suspended already and is left to whoever suspended it");
    return verdict;
  }
  if (!queued && !admitting.jobs && !held_already) {
    verdict.warnings.push_back("valle: the job has no label " + names::k_queue + " and starts at once");
    return verdict;
  }
  if (queued && !admitting.kueue) {
    verdict.warnings.push_back("valle: jobs in queues of Kueue are not held here; the job starts as Kueue admits it");
    return verdict;
  }
  const bool outside = queued && !admitting.gate;
  if (outside) {
    hold_outside_queue(job.meta, job.suspended, verdict.patch);
  } else if (hold_of(job) != Hold::queue) {
    // Kueue may yet give it a queue: then the gate holds it, and the suspension is Kueue's.
    if (admitting.kueue && admitting.gate) hold_by_gate(job.meta, verdict.patch);
    if (!queued) {
      hold_by_suspension(job.meta, job.suspended, "suspend", verdict.patch);
    } else if (!job.suspended && !admitting.kueue_installed) {
      // With the gate beside it, it stays held also when Kueue comes later.
      verdict.patch.push_back(add("/spec/suspend", true));
    }
  }
  return told(std::move(verdict), job, request, admitting);
}

/// All pods of the sets together as one Job, for what is foretold.
Job as_job(const ObjectMeta& meta, bool suspended, const std::vector<PodSet>& sets) {
  Job job{.meta = meta, .suspended = suspended};
  for (const auto& set : sets) {
    for (const auto& [name, amount] : set.pods.requests) {
      auto& sum = job.pods.requests[name];
      sum = added(sum, multiplied(amount, set.count));
    }
  }
  return job;
}

Verdict hold_volcano_job(const Review& review, const CarbonRequest& request, const Admitting& admitting) {
  const auto job = parse_volcano_job(review.object);
  if (!job) return refusal(job.error());
  if (!admitting.volcano) return {.warnings = {"valle: vcjobs are not held here; the job starts at once"}};
  if (const auto* policy = policy_against_waiting(*job)) {
    return {.allowed = false,
            .message = "valle: the policy on PodPending (" + cut_text(policy->action, 40) +
                       ") would end the job while it waits; remove the policy or " + names::k_carbon_aware[0]};
  }
  Verdict verdict;
  hold_tasks(*job, review.object, verdict.patch);
  return told(std::move(verdict), as_job(job->meta, false, pod_sets_of(*job)), request, admitting);
}

Verdict hold_job_set(const Review& review, const CarbonRequest& request, const Admitting& admitting) {
  const auto set = parse_job_set(review.object);
  if (!set) return refusal(set.error());
  if (!admitting.job_sets) return {.warnings = {"valle: JobSets are not held here; the job starts at once"}};
  return hold_job(as_job(set->meta, set->suspended, pod_sets_of(*set)), request, admitting);
}

Verdict refuse_kind(const std::string& what, const std::string& mark) {
  return {.allowed = false,
          .message = "valle: " + what + " can't be held; remove " + mark + " or " + names::k_carbon_aware[0]};
}

/// What only valle writes is not taken from a new object (a copy of an old one, say); what nobody reads is warned of.
void check_annotations(const ObjectMeta& meta, Verdict& verdict) {
  const auto is_in = [](const auto& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  for (const auto& [name, value] : meta.annotations) {
    if (is_in(names::k_written, name)) {
      verdict.patch.push_back({{"op", "remove"}, {"path", "/metadata/annotations/" + pointer_segment(name)}});
    } else if ((name.starts_with("valle.sh/") || name.starts_with("kueue.x-k8s.io/carbon-")) &&
               !is_in(names::k_read, name)) {
      verdict.warnings.push_back("valle: nobody reads the annotation " + name + ": is it misspelt?");
    }
  }
}

/// The Jobs of a CronJob get their annotations from its template.
Verdict validate_cron_job(const Review& review) {
  const Json& spec = inner(review.object, "spec");
  const auto request = carbon_request(meta_of(inner(spec, "jobTemplate")));
  if (!request) return refusal(request.error());
  Verdict verdict;
  if (request->aware && text_member(spec, "concurrencyPolicy") == "Forbid") {
    verdict.warnings.push_back("valle: concurrencyPolicy Forbid: a Job that waits keeps the next one from being made");
  }
  if (!request->aware && claims_carbon_aware(meta_of(review.object))) {
    verdict.warnings.push_back("valle: write the annotations into spec.jobTemplate.metadata: a CronJob never waits");
  }
  return verdict;
}

Verdict only_forward(const std::string& what) {
  return {.allowed = false, .message = "valle: " + what + " of a job can only be brought forward after its creation"};
}

/// What its owner may change about a job that exists: nothing that makes it wait longer.
Verdict validate_change(const ObjectMeta& before, const CarbonRequest& then, const ObjectMeta& meta,
                        const CarbonRequest& now) {
  if (!then.aware || !now.aware || !before.created_at) return {};
  const Instant created = *before.created_at;
  const auto later = [&](const std::optional<Limit>& changed, const std::optional<Limit>& limit) {
    return limit && (!changed || instant_of(*changed, created) > instant_of(*limit, created));
  };
  if (later(now.start_within, then.start_within)) return only_forward(names::k_carbon_deadline[0]);
  if (later(now.finish_by, then.finish_by)) return only_forward(names::k_finish_by);
  const auto fixed = remembered(before).start_by;
  const auto fixed_now = remembered(meta).start_by;
  if (fixed && (!fixed_now || *fixed_now > *fixed)) return only_forward(names::k_start_by);
  return {};
}

}  // namespace

Result<Review> parse_review(std::string_view body) {
  const auto root = Json::parse(body, nullptr, /*allow_exceptions=*/false);
  if (!root.is_object() || text_member(root, "apiVersion") != k_version ||
      text_member(root, "kind") != "AdmissionReview") {
    return refuse(Errc::invalid_request, std::string{"is no AdmissionReview of "} + k_version);
  }
  const Json& request = inner(root, "request");
  const Json& kind = inner(request, "kind");
  Review review{.uid = text_member(request, "uid"),
                .operation = text_member(request, "operation"),
                .group = text_member(kind, "group"),
                .kind = text_member(kind, "kind"),
                .space = text_member(request, "namespace"),
                .object = inner(request, "object"),
                .old_object = inner(request, "oldObject"),
                .dry_run = flag_member(request, "dryRun")};
  if (review.uid.empty() || review.uid.size() > k_longest_uid) {
    return refuse(Errc::invalid_request, "the review needs a uid of at most 128 bytes", "/request/uid");
  }
  const bool brings_object = review.operation == "CREATE" || review.operation == "UPDATE";
  if (!review.object.is_object() || (brings_object && review.object.empty())) {
    return refuse(Errc::invalid_request, "the review has no object", "/request/object");
  }
  return review;
}

std::string review_response(const std::string& uid, const Verdict& verdict) {
  Json response{{"uid", uid}, {"allowed", verdict.allowed}};
  if (!verdict.allowed) {
    response["status"] = {{"code", 400}, {"reason", "invalid-request"}, {"message", verdict.message}};
  } else if (!verdict.patch.empty()) {
    response["patchType"] = "JSONPatch";
    response["patch"] = base64(verdict.patch.dump());
  }
  for (std::size_t i = 0; i < std::min(verdict.warnings.size(), k_most_warnings); ++i) {
    response["warnings"].push_back(cut_text(verdict.warnings[i], k_longest_warning));
  }
  return Json{{"apiVersion", k_version}, {"kind", "AdmissionReview"}, {"response", response}}.dump();
}

Verdict mutate(const Review& review, const Admitting& admitting) {
  const Kind kind = kind_of(review);
  if (review.operation != "CREATE" || kind == Kind::other || kind == Kind::cron_job) return {};
  const ObjectMeta meta = meta_of(review.object);
  const auto request = carbon_request(meta);
  if (!request) return refusal(request.error());
  if (!request->aware) return {};
  switch (care_of(meta)) {
    case Care::ours: break;
    case Care::elastic: return refuse_kind("an elastic job", names::k_elastic);
    case Care::prebuilt: return refuse_kind("a job with a prebuilt Workload", names::k_prebuilt);
    case Care::not_asked:
    case Care::remote_copy:
    case Care::child: return {};
  }
  // One that is to run now is held too: only at its release it is sent where it may run.
  Verdict verdict;
  if (kind == Kind::volcano_job) {
    verdict = hold_volcano_job(review, *request, admitting);
  } else if (kind == Kind::job_set) {
    verdict = hold_job_set(review, *request, admitting);
  } else {
    const auto job = parse_job(review.object);
    verdict = job ? hold_job(*job, *request, admitting) : refusal(job.error());
  }
  if (verdict.allowed) check_annotations(meta, verdict);
  return verdict;
}

Verdict validate(const Review& review) {
  const Kind kind = kind_of(review);
  const bool update = review.operation == "UPDATE";
  if ((review.operation != "CREATE" && !update) || kind == Kind::other) return {};
  if (kind == Kind::cron_job) return validate_cron_job(review);
  const ObjectMeta meta = meta_of(review.object);
  const auto request = carbon_request(meta);
  if (!update) return request ? Verdict{} : refusal(request.error());
  const ObjectMeta before = meta_of(review.old_object);
  const auto then = carbon_request(before);
  // What was unreadable before stays so: an owner's or a controller's other changes must get through.
  if (!request) return !then && then.error() == request.error() ? Verdict{} : refusal(request.error());
  return then ? validate_change(before, *then, meta, *request) : Verdict{};
}

}  // namespace valle::k8s
