// SPDX-License-Identifier: Apache-2.0
#include "k8s/webhook/review.hpp"

#include <algorithm>
#include <utility>

#include "k8s/api/names.hpp"
#include "k8s/reconcile/job_hold.hpp"

namespace valle::k8s {
namespace {

using scheduler::Errc;
using scheduler::Instant;
using scheduler::refuse;
using scheduler::Result;

constexpr std::size_t k_longest_warning = 120;
constexpr const char* k_version = "admission.k8s.io/v1";

/// A name as a segment of a JSON pointer.
std::string segment(std::string name) {
  std::string out;
  for (const char c : name) out += c == '~' ? "~0" : c == '/' ? "~1" : std::string{c};
  return out;
}

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

bool is_job(const Review& review) { return review.group == "batch" && review.kind == "Job"; }
bool is_volcano_job(const Review& review) { return review.group == "batch.volcano.sh" && review.kind == "Job"; }

Json add(std::string path, Json value) {
  return {{"op", "add"}, {"path", std::move(path)}, {"value", std::move(value)}};
}

Json annotate(const std::string& name, const std::string& value) {
  return add("/metadata/annotations/" + segment(name), value);
}

void hold_by_gate(const Job& job, Json& patch) {
  const std::string gates = job.meta.annotation(names::k_gated_by).value_or("");
  const std::string wanted = with_our_gate(gates);
  if (wanted != gates) patch.push_back(annotate(names::k_gated_by, wanted));
}

void hold_by_suspension(const Job& job, Json& patch) {
  if (!job.suspended) patch.push_back(add("/spec/suspend", true));
  if (job.meta.annotation(names::k_held) != "suspend") patch.push_back(annotate(names::k_held, "suspend"));
}

void hold_tasks(const Json& object, Json& patch) {
  const Json& tasks = inner(inner(object, "spec"), "tasks");
  const Json gate{{"name", names::k_gate}};
  for (std::size_t i = 0; tasks.is_array() && i < tasks.size(); ++i) {
    const std::string spec = "/spec/tasks/" + std::to_string(i) + "/template/spec";
    const Json& gates = inner(inner(inner(tasks[i], "template"), "spec"), "schedulingGates");
    if (!gates.is_array()) {
      patch.push_back(add(spec + "/schedulingGates", Json::array({gate})));
    } else if (std::find(gates.begin(), gates.end(), gate) == gates.end()) {
      patch.push_back(add(spec + "/schedulingGates/-", gate));
    }
  }
}

Verdict hold_job(const Review& review, const CarbonRequest& request, const Admitting& admitting) {
  const auto job = parse_job(review.object);
  if (!job) return refusal(job.error());
  Verdict verdict;
  const bool queued = job->meta.label(names::k_queue).has_value();
  const bool held_already = hold_of(*job) != Hold::none;
  if (!queued && job->suspended && !held_already) {
    verdict.warnings.push_back("valle: the job is suspended already and is left to whoever suspended it");
    return verdict;
  }
  if (admitting.kueue) hold_by_gate(*job, verdict.patch);
  // Kueue may yet give it a queue: then the gate holds it, and the suspension is Kueue's.
  if (!queued && admitting.jobs) hold_by_suspension(*job, verdict.patch);
  if (!queued && !admitting.jobs) {
    return {.warnings = {"valle: the job has no label " + names::k_queue + " and starts at once"}};
  }
  if (admitting.foretell) {
    auto forecast = admitting.foretell(*job, request);
    if (forecast.refusal) return {.allowed = false, .message = "valle: " + *forecast.refusal};
    verdict.warnings = std::move(forecast.warnings);
  }
  return verdict;
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
  if (review.uid.empty()) return refuse(Errc::invalid_request, "the review has no uid", "/request/uid");
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
  if (!verdict.warnings.empty()) {
    for (const auto& warning : verdict.warnings) response["warnings"].push_back(warning.substr(0, k_longest_warning));
  }
  return Json{{"apiVersion", k_version}, {"kind", "AdmissionReview"}, {"response", response}}.dump();
}

Verdict mutate(const Review& review, const Admitting& admitting) {
  if (review.operation != "CREATE" || (!is_job(review) && !is_volcano_job(review))) return {};
  const ObjectMeta meta = meta_of(review.object);
  const auto request = carbon_request(meta);
  if (!request) return refusal(request.error());
  if (!request->aware) return {};
  switch (care_of(meta)) {
    case Care::ours: break;
    case Care::elastic:
      return {.allowed = false,
              .message = "valle: an elastic job can't be held by Kueue's gate; remove " + names::k_elastic + " or " +
                         names::k_carbon_aware[0]};
    case Care::prebuilt:
      return {.allowed = false,
              .message = "valle: a job with a prebuilt Workload can't be held; remove " + names::k_prebuilt + " or " +
                         names::k_carbon_aware[0]};
    case Care::not_asked:
    case Care::remote_copy:
    case Care::child: return {};
  }
  if (is_job(review)) return hold_job(review, *request, admitting);
  Verdict verdict;
  if (admitting.volcano) hold_tasks(review.object, verdict.patch);
  return verdict;
}

Verdict validate(const Review& review) {
  if (review.operation != "CREATE" && review.operation != "UPDATE") return {};
  const ObjectMeta meta = meta_of(review.object);
  const auto request = carbon_request(meta);
  if (!request) return refusal(request.error());
  if (review.operation == "CREATE" || !request->aware) return {};
  const ObjectMeta before = meta_of(review.old_object);
  const auto old_request = carbon_request(before);
  if (!old_request || !old_request->aware || !before.created_at) return {};
  const auto limit_text = [&](const char* what) {
    return Verdict{
        .allowed = false,
        .message = std::string{"valle: "} + what + " of a job can only be brought forward after its creation"};
  };
  const Instant created = *before.created_at;
  const auto later = [&](const std::optional<Limit>& now, const std::optional<Limit>& then) {
    return then && (!now || instant_of(*now, created) > instant_of(*then, created));
  };
  if (later(request->start_within, old_request->start_within)) return limit_text("the carbon-deadline");
  if (later(request->finish_by, old_request->finish_by)) return limit_text("finish-by");
  const auto fixed = remembered(before).start_by;
  const auto fixed_now = remembered(meta).start_by;
  if (fixed && (!fixed_now || *fixed_now > *fixed)) return limit_text("start-by");
  return {};
}

}  // namespace valle::k8s
