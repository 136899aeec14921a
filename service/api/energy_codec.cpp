// SPDX-License-Identifier: Apache-2.0
#include "service/api/energy_codec.hpp"

#include <array>

#include "scheduler/energy/words.hpp"
#include "service/api/member_reader.hpp"

namespace valle::service::api {

using namespace scheduler;

namespace {

constexpr std::size_t k_most_runs = 100'000;
constexpr std::size_t k_most_pods = 10'000;
constexpr std::array<std::string_view, 1> k_document_members{"runs"};
constexpr std::array<std::string_view, 4> k_run_members{"id", "start", "end", "pods"};
constexpr std::array<std::string_view, 7> k_pod_members{"uid", "namespace", "name", "node", "gpuUuids", "start", "end"};

/// Both instants, or neither; start before end.
std::optional<Interval> interval_of(MemberReader& reader) {
  const auto start = reader.instant("start");
  const auto end = reader.instant("end");
  if (!start || !end) return {};
  if (*end <= *start) reader.refuse("end", "must be after start");
  return Interval{*start, *end};
}

PodOfRun read_pod(const Json& value, const std::string& pointer, const Interval& ran, FirstError& first) {
  auto reader = MemberReader::of_object(value, pointer, k_pod_members, first);
  PodOfRun pod{.uid = reader.text("uid").value_or(""),
               .name_space = reader.text("namespace").value_or(""),
               .name = reader.text("name").value_or(""),
               .node = reader.text("node").value_or(""),
               .containers = {},
               .gpu_uuids = reader.names("gpuUuids").value_or(std::vector<std::string>{}),
               .ran = interval_of(reader).value_or(ran)};
  if (pod.uid.empty() && pod.name.empty()) reader.need("uid", "the pod's UID, or its name and namespace");
  return pod;
}

AskedAttempt read_run(const Json& value, const std::string& pointer, FirstError& first) {
  auto reader = MemberReader::of_object(value, pointer, k_run_members, first);
  reader.need("id", "a name for the answer");
  reader.need("start", "when the run began");
  reader.need("end", "when it ended");
  reader.need("pods", "the run's pods");
  AskedAttempt asked{.id = reader.text("id").value_or(""), .question = {interval_of(reader).value_or(Interval{}), {}}};
  if (const Json* pods = reader.array("pods", k_most_pods)) {
    for (std::size_t i = 0; i < pods->size(); ++i) {
      asked.question.pods.push_back(
          read_pod((*pods)[i], pointer_to(reader.pointer("pods"), i), asked.question.ran, first));
    }
  }
  return asked;
}

void write_stretches(JsonWriter& json, const std::vector<UncoveredStretch>& stretches) {
  json.key("uncovered").begin_array();
  for (const UncoveredStretch& stretch : stretches) {
    json.begin_object()
        .member("start", stretch.interval.begin)
        .member("end", stretch.interval.end)
        .member("reason", stretch.reason)
        .end_object();
  }
  json.end_array();
}

}  // namespace

Result<std::vector<AskedAttempt>> read_asked_attempts(const Json& document) {
  FirstError first;
  auto reader = MemberReader::of_object(document, "", k_document_members, first);
  reader.need("runs", "the runs to be measured");
  std::vector<AskedAttempt> asked;
  if (const Json* runs = reader.array("runs", k_most_runs)) {
    for (std::size_t i = 0; i < runs->size() && !first.failed(); ++i) {
      asked.push_back(read_run((*runs)[i], pointer_to(reader.pointer("runs"), i), first));
    }
  }
  if (first.failed()) return tl::unexpected{first.take()};
  return asked;
}

void write_figure(JsonWriter& json, const EnergyFigure& figure) {
  const bool known = figure.quality != EnergyQuality::unknown;
  const auto number = [&](std::string_view name, Energy energy) {
    if (known)
      json.member(name, energy);
    else
      json.null_member(name);
  };
  json.begin_object().member("boundary", to_text(figure.boundary)).member("quality", to_text(figure.quality));
  number("energyKwh", figure.energy);
  number("uncertaintyKwh", figure.uncertainty);
  json.optional_member("idleKwh", figure.idle);
  number("bridgedKwh", figure.bridged);
  json.member("coverage", figure.coverage)
      .member("complete", figure.complete)
      .member("allocated", figure.allocated)
      .member("source", figure.source)
      .member("method", figure.method)
      .member("sampling", figure.sampling)
      .member("query", figure.query)
      .member("samplesFingerprint", figure.fingerprint);
  write_stretches(json, figure.uncovered);
  json.key("notes").begin_array();
  for (const std::string& note : figure.notes) json.value(note);
  json.end_array();
  json.key("profile").begin_array();
  for (const EnergySlice& slice : figure.profile) {
    json.begin_object()
        .member("start", slice.interval.begin)
        .member("end", slice.interval.end)
        .member("energyKwh", slice.energy)
        .end_object();
  }
  json.end_array().end_object();
}

}  // namespace valle::service::api
