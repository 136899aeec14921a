// SPDX-License-Identifier: Apache-2.0
// The writing half of job_codec.hpp.
#include "service/api/job_codec.hpp"

namespace valle::service::api {
namespace {

using app::Job;
using app::JobRequest;
using app::JobSlot;

void write_segments(JsonWriter& json, const std::vector<scheduler::Interval>& segments) {
  json.key("segments").begin_array();
  for (const auto& segment : segments) {
    json.begin_object().member("start", segment.begin).member("end", segment.end).end_object();
  }
  json.end_array();
}

void write_slot(JsonWriter& json, const std::optional<JobSlot>& slot) {
  json.key("slot");
  if (!slot) {
    json.null();
    return;
  }
  json.begin_object()
      .member("site", slot->site)
      .member("zone", slot->zone.name())
      .member("start", slot->start())
      .member("end", slot->end());
  if (slot->segments.size() > 1) write_segments(json, slot->segments);
  if (!slot->mode.empty()) json.member("mode", slot->mode);
  json.optional_member("energyKwh", slot->energy)
      .optional_member("facilityKwh", slot->facility_energy)
      .optional_member("carbonGrams", slot->emissions)
      .end_object();
}

template <class T>
void write_if_given(JsonWriter& json, std::string_view name, const std::optional<T>& what) {
  if (what) json.member(name, *what);
}

void write_demand(JsonWriter& json, const std::vector<scheduler::ResourceDemand>& demand) {
  json.key("demand").begin_object();
  for (const auto& each : demand) json.member(each.resource, each.amount);
  json.end_object();
}

/// What the owner asked for, as far as it was asked.
void write_request(JsonWriter& json, const JobRequest& request) {
  write_if_given(json, "duration", request.duration);
  write_if_given(json, "powerWatts", request.power);
  if (request.modes) {
    json.key("modes").begin_array();
    for (const auto& mode : *request.modes) {
      json.begin_object()
          .member("name", mode.name)
          .member("powerWatts", mode.power)
          .member("duration", mode.duration)
          .end_object();
    }
    json.end_array();
  }
  if (request.demand) write_demand(json, *request.demand);
  if (request.sites) {
    json.key("sites").begin_array();
    for (const auto& site : *request.sites) json.value(site);
    json.end_array();
  }
  write_if_given(json, "homeSite", request.home_site);
  if (request.priority) json.member("priority", std::int64_t{*request.priority});
  write_if_given(json, "group", request.group);
}

void write_object(JsonWriter& json, const app::ClusterObject& object) {
  json.key("kubernetes")
      .begin_object()
      .member("kind", object.kind)
      .member("namespace", object.space)
      .member("name", object.name)
      .end_object();
}

}  // namespace

void write_job(JsonWriter& json, const Job& job) {
  json.begin_object()
      .member("id", job.id)
      .optional_member("owner", job.request.owner)
      .member("state", to_text(job.state))
      .member("submittedAt", job.submitted_at)
      .member("earliestStart", job.earliest_start)
      .member("finishBy", job.finish_by)
      .member("startBy", job.object ? job.object->start_by : job.start_by);
  if (job.object) write_object(json, *job.object);
  write_request(json, job.request);
  write_slot(json, job.slot);
  json.member("reason", job.reason)
      .optional_member("warning", job.warning)
      .optional_member("releasedAt", job.released_at)
      .optional_member("startedAt", job.started_at)
      .optional_member("finishedAt", job.finished_at)
      .optional_member("energyKwh", job.energy)
      .end_object();
}

std::string job_json(const Job& job) {
  JsonWriter json;
  write_job(json, job);
  return json.take();
}

std::string explanation_json(const app::Explanation& explanation) {
  JsonWriter json;
  json.begin_object()
      .member("state", to_text(explanation.job.state))
      .member("reason", explanation.job.reason)
      .optional_member("warning", explanation.job.warning)
      .member("startBy", explanation.job.object ? explanation.job.object->start_by : explanation.job.start_by);
  write_slot(json, explanation.job.slot);
  json.key("options").begin_array();
  for (const auto& option : explanation.options) {
    json.begin_object()
        .member("site", option.site)
        .member("start", option.interval.begin)
        .member("end", option.interval.end)
        .member("carbonGrams", option.emissions)
        .end_object();
  }
  json.end_array().key("blockedBy").begin_array();
  for (const auto& blocked : explanation.blocked_by) {
    json.begin_object()
        .member("site", blocked.site)
        .member("start", blocked.start)
        .member("resource", blocked.resource)
        .key("jobs")
        .begin_array();
    for (const auto& job : blocked.jobs) json.value(job);
    json.end_array().end_object();
  }
  json.end_array().optional_member("dataAge", explanation.data_age).end_object();
  return json.take();
}

}  // namespace valle::service::api
