// SPDX-License-Identifier: Apache-2.0
#include "service/store/run_document.hpp"

#include <array>
#include <nlohmann/json.hpp>

namespace valle::service::store {
namespace {

using nlohmann::json;
using scheduler::Attempt;
using scheduler::Duration;
using scheduler::EnergyFigure;
using scheduler::Instant;
using scheduler::Interval;
using scheduler::PodOfRun;
using scheduler::PowerCap;

// The words in which enumerations are stored; their order is that of the enumerators.
constexpr std::array k_boundaries{"board", "pod", "node", "wall", "job"};
constexpr std::array k_qualities{"measured", "estimated", "unknown"};
constexpr std::array k_outcomes{"running", "finished", "failed", "evicted"};

template <class Enum, std::size_t Count>
json word(Enum value, const std::array<const char*, Count>& words) {
  return words.at(static_cast<std::size_t>(value));
}
template <class Enum, std::size_t Count>
void read_word(const json& from, const std::array<const char*, Count>& words, Enum& value) {
  const auto& text = from.get_ref<const std::string&>();
  for (std::size_t i = 0; i < Count; ++i) {
    if (text == words[i]) {
      value = static_cast<Enum>(i);
      return;
    }
  }
  throw json::other_error::create(501, "unknown word " + text, &from);
}

json out(Instant instant) { return instant.time_since_epoch().count(); }
json out(const Interval& interval) { return {out(interval.begin), out(interval.end)}; }
Instant instant(const json& from) { return Instant{Duration{from.get<std::int64_t>()}}; }
void read(const json& from, Interval& interval) { interval = {instant(from.at(0)), instant(from.at(1))}; }
template <class Tag>
void read(const json& from, scheduler::Quantity<Tag>& quantity) {
  quantity = scheduler::Quantity<Tag>::of_base(from.get<std::int64_t>());
}

json out(const EnergyFigure& figure) {
  json document{{"boundary", word(figure.boundary, k_boundaries)},
                {"quality", word(figure.quality, k_qualities)},
                {"energy", figure.energy.base()},
                {"uncertainty", figure.uncertainty.base()},
                {"coverage", figure.coverage.base()},
                {"source", figure.source}};
  if (figure.idle) document["idle"] = figure.idle->base();
  if (figure.bridged != scheduler::Energy{}) document["bridged"] = figure.bridged.base();
  if (!figure.complete) document["incomplete"] = true;
  if (figure.allocated) document["allocated"] = true;
  for (const auto& slice : figure.profile) {
    document["profile"].push_back({out(slice.interval.begin), out(slice.interval.end), slice.energy.base()});
  }
  for (const auto& gap : figure.uncovered) {
    document["uncovered"].push_back({out(gap.interval.begin), out(gap.interval.end), gap.reason});
  }
  if (!figure.method.empty()) document["method"] = figure.method;
  if (figure.sampling.count() != 0) document["sampling"] = figure.sampling.count();
  if (!figure.query.empty()) document["query"] = figure.query;
  if (!figure.fingerprint.empty()) document["fingerprint"] = figure.fingerprint;
  if (!figure.notes.empty()) document["notes"] = figure.notes;
  return document;
}

/// The member, or what stands where it was left out.
template <class T>
T member(const json& from, const char* name, T otherwise = {}) {
  return from.value(name, otherwise);
}

EnergyFigure figure(const json& from) {
  EnergyFigure figure;
  read_word(from.at("boundary"), k_boundaries, figure.boundary);
  read_word(from.at("quality"), k_qualities, figure.quality);
  read(from.at("energy"), figure.energy);
  read(from.at("uncertainty"), figure.uncertainty);
  read(from.at("coverage"), figure.coverage);
  figure.source = from.at("source").get<std::string>();
  if (const auto idle = from.find("idle"); idle != from.end()) read(*idle, figure.idle.emplace());
  if (const auto bridged = from.find("bridged"); bridged != from.end()) read(*bridged, figure.bridged);
  figure.complete = !member<bool>(from, "incomplete");
  figure.allocated = member<bool>(from, "allocated");
  for (const json& slice : member<json>(from, "profile", json::array())) {
    auto& added = figure.profile.emplace_back();
    read(slice, added.interval);
    read(slice.at(2), added.energy);
  }
  for (const json& gap : member<json>(from, "uncovered", json::array())) {
    auto& added = figure.uncovered.emplace_back();
    read(gap, added.interval);
    added.reason = gap.at(2).get<std::string>();
  }
  figure.method = member<std::string>(from, "method");
  figure.sampling = Duration{member<std::int64_t>(from, "sampling")};
  figure.query = member<std::string>(from, "query");
  figure.fingerprint = member<std::string>(from, "fingerprint");
  figure.notes = member<std::vector<std::string>>(from, "notes");
  return figure;
}

json out(const PodOfRun& pod) {
  return {{"uid", pod.uid},     {"namespace", pod.name_space},  {"name", pod.name},
          {"node", pod.node},   {"containers", pod.containers}, {"gpus", pod.gpu_uuids},
          {"ran", out(pod.ran)}};
}

PodOfRun pod(const json& from) {
  PodOfRun pod{.uid = from.at("uid").get<std::string>(),
               .name_space = from.at("namespace").get<std::string>(),
               .name = from.at("name").get<std::string>(),
               .node = from.at("node").get<std::string>(),
               .containers = from.at("containers").get<std::vector<std::string>>(),
               .gpu_uuids = from.at("gpus").get<std::vector<std::string>>(),
               .ran = {}};
  read(from.at("ran"), pod.ran);
  return pod;
}

json out(const Attempt& attempt) {
  json document{{"number", attempt.number},
                {"site", attempt.site},
                {"ran", out(attempt.ran)},
                {"outcome", word(attempt.outcome, k_outcomes)}};
  if (attempt.pue) document["pue"] = attempt.pue->base();
  for (const auto& pod : attempt.pods) document["pods"].push_back(out(pod));
  for (const auto& figure : attempt.figures) document["figures"].push_back(out(figure));
  return document;
}

Attempt attempt(const json& from) {
  Attempt attempt;
  attempt.number = from.at("number").get<int>();
  attempt.site = from.at("site").get<std::string>();
  read(from.at("ran"), attempt.ran);
  read_word(from.at("outcome"), k_outcomes, attempt.outcome);
  if (const auto pue = from.find("pue"); pue != from.end()) read(*pue, attempt.pue.emplace());
  for (const json& each : member<json>(from, "pods", json::array())) attempt.pods.push_back(pod(each));
  for (const json& each : member<json>(from, "figures", json::array())) attempt.figures.push_back(figure(each));
  return attempt;
}

}  // namespace

std::string run_document(const scheduler::Run& run) {
  json document{{"attempts", json::array()}};
  for (const auto& attempt : run.attempts) document["attempts"].push_back(out(attempt));
  if (const auto& cap = run.cap) {
    document["cap"] = {cap->capped_power.base(), cap->capped_duration.count(), cap->uncapped_power.base(),
                       cap->uncapped_duration.count()};
  }
  return document.dump();
}

scheduler::Result<void> read_run_document(std::string_view text, scheduler::Run& run) {
  try {
    const json document = json::parse(text);
    for (const json& each : document.at("attempts")) run.attempts.push_back(attempt(each));
    if (const auto cap = document.find("cap"); cap != document.end()) {
      PowerCap& read_cap = run.cap.emplace();
      read(cap->at(0), read_cap.capped_power);
      read_cap.capped_duration = Duration{cap->at(1).get<std::int64_t>()};
      read(cap->at(2), read_cap.uncapped_power);
      read_cap.uncapped_duration = Duration{cap->at(3).get<std::int64_t>()};
    }
    return {};
  } catch (const json::exception& exception) {
    return scheduler::refuse(scheduler::Errc::storage_failed,
                             std::string{"a stored run can't be read, the database is damaged: "} + exception.what());
  }
}

}  // namespace valle::service::store
