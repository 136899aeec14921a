// SPDX-License-Identifier: Apache-2.0
#include "service/cluster/event_recorder.hpp"

#include <utility>

#include "service/runtime/log.hpp"

namespace valle::service::cluster {
namespace {

constexpr std::size_t k_most_waiting = 20'000;
constexpr std::size_t k_longest_note = 1'024;

/// RFC 3339 with six decimals, as MicroTime wants it.
std::string micro_time(scheduler::Instant instant) {
  std::string text = scheduler::format_instant(instant);
  return text.insert(text.size() - 1, ".000000");
}

}  // namespace

EventRecorder::EventRecorder(k8s::Client& client, const runtime::Clock& clock, std::string identity)
    : client_{client}, clock_{clock}, identity_{std::move(identity)}, thread_{[this](const std::stop_token& stop) {
        run(stop);
      }} {}

EventRecorder::~EventRecorder() = default;

void EventRecorder::record(const k8s::ObjectMeta& job, const k8s::JobEvent& event) {
  const auto now = clock_.now();
  const std::scoped_lock lock{mutex_};
  if (waiting_.size() >= k_most_waiting) return;
  // Unique by object, time and a number of ours; a second replica has another identity in its reports.
  const std::string name = job.name.substr(0, 200) + "." + std::to_string(now.time_since_epoch().count()) + "." +
                           std::to_string(++sequence_) + "." +
                           std::to_string(std::hash<std::string>{}(identity_) % 10'000);
  waiting_.push_back({{"apiVersion", "events.k8s.io/v1"},
                      {"kind", "Event"},
                      {"metadata", {{"name", name}, {"namespace", job.space}}},
                      {"eventTime", micro_time(now)},
                      {"reportingController", "valle.sh/valle"},
                      {"reportingInstance", identity_},
                      {"action", "Plan"},
                      {"reason", to_text(event.reason)},
                      {"type", event.warning ? "Warning" : "Normal"},
                      {"note", event.note.substr(0, k_longest_note)},
                      {"regarding",
                       {{"apiVersion", "batch/v1"},
                        {"kind", "Job"},
                        {"namespace", job.space},
                        {"name", job.name},
                        {"uid", job.uid}}}});
  ready_.notify_one();
}

void EventRecorder::run(const std::stop_token& stop) {
  while (true) {
    k8s::Json event;
    {
      std::unique_lock lock{mutex_};
      if (!ready_.wait(lock, stop, [this] { return !waiting_.empty(); })) return;
      event = std::move(waiting_.front());
      waiting_.pop_front();
    }
    const k8s::Limits limits{std::chrono::steady_clock::now() + std::chrono::seconds{10}, stop};
    const auto written =
        client_.create(k8s::k_events, event["metadata"]["namespace"].get<std::string>(), event, limits);
    if (!written && !stop.stop_requested()) {
      runtime::log::warning("event_not_written",
                            {{"reason", event["reason"].get<std::string>()}, {"detail", written.error().text()}});
    }
  }
}

}  // namespace valle::service::cluster
