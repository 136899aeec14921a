// SPDX-License-Identifier: Apache-2.0
#include "k8s/client/events.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <utility>

#include "k8s/client/discovery.hpp"
#include "k8s/client/jitter.hpp"

namespace valle::k8s {
namespace {

constexpr std::size_t k_longest_note = 1024;
constexpr std::size_t k_longest_reason = 128;
constexpr std::size_t k_longest_name = 230;  // of the subject inside the Event's own name of 253

const char* name_of(Event::Type type) { return type == Event::Type::warning ? "Warning" : "Normal"; }

/// At most `most` bytes, never ending inside a UTF-8 sequence.
std::string cut(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end);
}

std::string key_of_subject(const Subject& subject) {
  return subject.api_version + '\n' + subject.kind + '\n' + subject.space + '\n' + subject.name + '\n' + subject.uid;
}

std::string key_of_series(const Event& event) {
  return key_of_subject(event.subject) + '\n' + name_of(event.type) + '\n' + event.reason + '\n' + event.action + '\n' +
         event.note;
}

Json reference_to(const Subject& subject) {
  Json reference{{"apiVersion", subject.api_version}, {"kind", subject.kind}, {"name", subject.name}};
  if (!subject.space.empty()) reference["namespace"] = subject.space;
  if (!subject.uid.empty()) reference["uid"] = subject.uid;
  if (!subject.resource_version.empty()) reference["resourceVersion"] = subject.resource_version;
  return reference;
}

}  // namespace

EventRecorder::EventRecorder(std::shared_ptr<Client> client, WallClock wall, EventOptions options)
    : client_{std::move(client)},
      wall_{std::move(wall)},
      options_{std::move(options)},
      series_{options_.most_remembered},
      budgets_{options_.most_remembered} {}

std::uint64_t EventRecorder::dropped() const {
  const std::scoped_lock lock{mutex_};
  return dropped_;
}

ApiResult<EventRecorder::Outcome> EventRecorder::record(const Event& event, const Call& call) {
  const std::string key = key_of_series(event);
  const Decision decision = decide(event, key);
  if (decision.act == Act::nothing) return decision.outcome;
  auto done = decision.act == Act::create ? create(event, decision.series, call) : count(event, decision.series, call);
  if (!done) forget(key);  // the next time begins anew
  return done;
}

EventRecorder::Decision EventRecorder::decide(const Event& event, const std::string& key) {
  const SteadyTime now = client_->clock().now();
  const std::scoped_lock lock{mutex_};
  if (Series* series = series_.find(key); series && now - series->last <= options_.series_gap) {
    series->last = now;
    const bool told = std::has_single_bit(++series->count);
    return {told ? Act::count : Act::nothing, Outcome::counted, *series};
  }
  if (!spend(event, now)) {
    ++dropped_;
    return {Act::nothing, Outcome::dropped, {}};
  }
  char suffix[24];
  const auto wall = static_cast<std::uint64_t>(wall_().time_since_epoch().count());
  std::snprintf(suffix, sizeof suffix, ".%016llx", static_cast<unsigned long long>(scrambled(wall) + ++names_));
  const std::string space = event.subject.space.empty() ? "default" : event.subject.space;
  Series series{space, cut(event.subject.name, k_longest_name) + suffix, 1, now};
  return {Act::create, Outcome::written, series_.put(key, std::move(series))};
}

/// Takes one from what this subject may still say for this reason.
bool EventRecorder::spend(const Event& event, SteadyTime now) {
  const std::string key = key_of_subject(event.subject) + '\n' + event.reason;
  Budget* budget = budgets_.find(key);
  if (!budget) budget = &budgets_.put(key, {options_.burst, now});
  const auto refills = (now - budget->refilled) / options_.refill;
  const auto room = static_cast<std::int64_t>(options_.burst - budget->left);
  if (refills > 0) {
    budget->left += static_cast<std::uint32_t>(std::min<std::int64_t>(refills, room));
    budget->refilled += options_.refill * refills;
  }
  if (budget->left == 0) return false;
  --budget->left;
  return true;
}

ApiResult<EventRecorder::Outcome> EventRecorder::create(const Event& event, const Series& series, const Call& call) {
  const Json object{{"apiVersion", "events.k8s.io/v1"},
                    {"kind", "Event"},
                    {"metadata", {{"namespace", series.space}, {"name", series.name}}},
                    {"eventTime", micro_time_text(wall_())},
                    {"reportingController", options_.controller},
                    {"reportingInstance", cut(options_.instance, k_longest_reason)},
                    {"action", cut(event.action, k_longest_reason)},
                    {"reason", cut(event.reason, k_longest_reason)},
                    {"regarding", reference_to(event.subject)},
                    {"note", cut(event.note, k_longest_note)},
                    {"type", name_of(event.type)}};
  const auto answer = client_->create({resources::k_events, series.space}, object, call);
  if (!answer) return tl::unexpected{answer.error()};
  return Outcome::written;
}

ApiResult<EventRecorder::Outcome> EventRecorder::count(const Event& event, const Series& series, const Call& call) {
  const Json change{{"series", {{"count", series.count}, {"lastObservedTime", micro_time_text(wall_())}}}};
  const auto answer = client_->patch({resources::k_events, series.space, series.name},
                                     {.type = Patch::Type::merge, .body = change}, call);
  if (answer) return Outcome::counted;
  // Events live for an hour; what we counted on may be gone.
  if (answer.error().kind == ApiError::Kind::not_found) return create(event, series, call);
  return tl::unexpected{answer.error()};
}

void EventRecorder::forget(const std::string& key) {
  const std::scoped_lock lock{mutex_};
  series_.erase(key);
}

}  // namespace valle::k8s
