// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "k8s/annotations/carbon_request.hpp"
#include "k8s/api/job.hpp"
#include "scheduler/model/error.hpp"

namespace valle::k8s {

/// An admission.k8s.io/v1 AdmissionReview, as far as we look at it.
struct Review {
  std::string uid;
  std::string operation;  ///< CREATE, UPDATE, …
  std::string group;
  std::string kind;
  std::string space;
  Json object;
  Json old_object;
  bool dry_run = false;
};
/// `invalid_request` for anything that is not a review of that version with a uid.
[[nodiscard]] scheduler::Result<Review> parse_review(std::string_view body);

struct Verdict {
  bool allowed = true;
  std::string message = {};                ///< of a refusal
  Json patch = Json::array();              ///< RFC 6902; empty: nothing to change
  std::vector<std::string> warnings = {};  ///< shown by kubectl; cut to 120 bytes
};
/// The answer to the review of that uid.
[[nodiscard]] std::string review_response(const std::string& uid, const Verdict& verdict);

/// Which kinds of jobs are held here.
struct Admitting {
  bool kueue = true;            ///< Jobs with a queue are held by Kueue's admission gate
  bool jobs = false;            ///< Jobs without one by suspension
  bool volcano = false;         ///< vcjobs by a scheduling gate of their pods
  bool job_sets = false;        ///< JobSets, like Jobs
  bool gate = true;             ///< Kueue minds its admission gate; else Jobs are held suspended outside their queue
  bool kueue_installed = true;  ///< it suspends what is in a queue; else we do
  /// What people are told about a job that will wait, or why it is not taken. From memory, in well under a millisecond.
  struct Forecast {
    std::vector<std::string> warnings = {};
    std::optional<std::string> refusal = {};
  };
  std::function<Forecast(const Job&, const CarbonRequest&)> foretell = {};  ///< empty: nothing is told
};

/// Holds a carbon-aware job at its creation, or refuses it for an annotation that can't be read. Changes nothing but
/// what holds it: the absolute deadline is written later, when the object has a creation time. Asked again about its
/// own result it changes nothing more. Pure, without side effects, so that dry runs are no special case.
[[nodiscard]] Verdict mutate(const Review& review, const Admitting& admitting);

/// Refuses annotations that can't be read, and later changes that would let a job wait longer. Of a CronJob it reads
/// the annotations of its Jobs, and warns of what does not go well with waiting.
[[nodiscard]] Verdict validate(const Review& review);

}  // namespace valle::k8s
