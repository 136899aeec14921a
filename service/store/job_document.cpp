// SPDX-License-Identifier: Apache-2.0
#include "service/store/job_document.hpp"

#include <nlohmann/json.hpp>
#include <type_traits>

#include "scheduler/units/require.hpp"

namespace valle::service::store {
namespace {

using app::JobRequest;
using app::JobSlot;
using nlohmann::json;
using scheduler::Duration;
using scheduler::Energy;
using scheduler::Instant;

// One pair of functions a type: how it stands in the document, and back.
json out(const std::string& text) { return text; }
json out(int number) { return number; }
json out(double number) { return number; }
json out(Instant instant) { return instant.time_since_epoch().count(); }
json out(Duration duration) { return duration.count(); }
template <class Tag>
json out(scheduler::Quantity<Tag> quantity) {
  return quantity.base();
}
json out(const scheduler::Mode& mode) { return {mode.name, out(mode.power), out(mode.duration)}; }
json out(const scheduler::ResourceDemand& demand) { return {demand.resource, out(demand.amount)}; }
json out(const scheduler::Interval& interval) { return {out(interval.begin), out(interval.end)}; }
json out(const JobRequest::FixedAt& fixed) { return {fixed.site, out(fixed.start)}; }
json out(const scheduler::Interruption& i) {
  return {out(i.min_run), out(i.restart), out(i.restart_energy), i.max_pauses ? json(*i.max_pauses) : json(nullptr)};
}
template <class T>
json out(const std::vector<T>& list) {
  json array = json::array();
  for (const auto& element : list) array.push_back(out(element));
  return array;
}

void in(const json& from, std::string& text) { text = from.get<std::string>(); }
void in(const json& from, int& number) { number = from.get<int>(); }
void in(const json& from, double& number) { number = from.get<double>(); }
void in(const json& from, Instant& instant) { instant = Instant{Duration{from.get<std::int64_t>()}}; }
void in(const json& from, Duration& duration) { duration = Duration{from.get<std::int64_t>()}; }
template <class Tag>
void in(const json& from, scheduler::Quantity<Tag>& quantity) {
  quantity = scheduler::Quantity<Tag>::of_base(from.get<std::int64_t>());
}
void in(const json& from, scheduler::Mode& mode) {
  in(from.at(0), mode.name);
  in(from.at(1), mode.power);
  in(from.at(2), mode.duration);
}
void in(const json& from, scheduler::ResourceDemand& demand) {
  in(from.at(0), demand.resource);
  in(from.at(1), demand.amount);
}
void in(const json& from, scheduler::Interval& interval) {
  in(from.at(0), interval.begin);
  in(from.at(1), interval.end);
}
void in(const json& from, JobRequest::FixedAt& fixed) {
  in(from.at(0), fixed.site);
  in(from.at(1), fixed.start);
}
void in(const json& from, scheduler::Interruption& interruption) {
  in(from.at(0), interruption.min_run);
  in(from.at(1), interruption.restart);
  in(from.at(2), interruption.restart_energy);
  if (!from.at(3).is_null()) interruption.max_pauses = from.at(3).get<int>();
}
template <class T>
void in(const json& from, std::vector<T>& list) {
  for (const auto& element : from) in(element, list.emplace_back());
}

/// Writes members that are there.
struct Writer {
  json document = json::object();
  template <class T>
  void operator()(const char* name, const std::optional<T>& member) {
    if (member) document[name] = out(*member);
  }
};

/// Reads them back.
struct Reader {
  const json& document;
  template <class T>
  void operator()(const char* name, std::optional<T>& member) {
    if (const auto found = document.find(name); found != document.end()) in(*found, member.emplace());
  }
};

/// The one list of a request's members, for both directions.
template <class Visitor, class Request>
void visit(Visitor& visitor, Request& request) {
  visitor("owner", request.owner);
  visitor("earliestStart", request.earliest_start);
  visitor("finishBy", request.finish_by);
  visitor("latestStart", request.latest_start);
  visitor("maxWait", request.max_wait);
  visitor("duration", request.duration);
  visitor("power", request.power);
  visitor("energy", request.energy);
  visitor("modes", request.modes);
  visitor("demand", request.demand);
  visitor("sites", request.sites);
  visitor("homeSite", request.home_site);
  visitor("priority", request.priority);
  visitor("interruptible", request.interruption);
  visitor("fixed", request.fixed);
  visitor("group", request.group);
  visitor("transferGb", request.transfer_gb);
}

template <class Visitor, class Slot>
void visit_figures(Visitor& visitor, Slot& slot) {
  visitor("energy", slot.energy);
  visitor("facilityEnergy", slot.facility_energy);
  visitor("emissions", slot.emissions);
}

/// What `make` reads out of the document; the library's exceptions end here.
template <class Make>
auto read(std::string_view text, Make make) -> scheduler::Result<std::invoke_result_t<Make, const json&>> {
  try {
    return make(json::parse(text));
  } catch (const json::exception& exception) {
    return scheduler::refuse(scheduler::Errc::storage_failed,
                             std::string{"a stored job can't be read, the database is damaged: "} + exception.what());
  }
}

}  // namespace

std::string request_document(const JobRequest& request) {
  Writer writer;
  visit(writer, request);
  return writer.document.dump();
}

scheduler::Result<JobRequest> request_from_document(std::string_view text) {
  return read(text, [](const json& document) {
    JobRequest request;
    Reader reader{document};
    visit(reader, request);
    return request;
  });
}

std::string slot_document(const JobSlot& slot) {
  Writer writer;
  visit_figures(writer, slot);
  writer.document["site"] = slot.site;
  writer.document["zone"] = slot.zone.name();
  writer.document["mode"] = slot.mode;
  writer.document["byPlan"] = slot.by_plan;
  writer.document["segments"] = out(slot.segments);
  return writer.document.dump();
}

scheduler::Result<JobSlot> slot_from_document(std::string_view text) {
  return read(text, [](const json& document) {
    JobSlot slot{
        document.at("site").get<std::string>(), scheduler::Zone::of(document.at("zone").get<std::string>()), {}};
    in(document.at("mode"), slot.mode);
    slot.by_plan = document.at("byPlan").get<bool>();
    in(document.at("segments"), slot.segments);
    scheduler::require(!slot.segments.empty(), "a stored slot has a segment");
    Reader reader{document};
    visit_figures(reader, slot);
    return slot;
  });
}

}  // namespace valle::service::store
