// SPDX-License-Identifier: Apache-2.0
#include "service/cluster/event_writer.hpp"

#include <utility>

#include "service/runtime/log.hpp"

namespace valle::service::cluster {
namespace {

constexpr std::size_t k_most_waiting = 20'000;
constexpr std::chrono::seconds k_call_time{10};

}  // namespace

EventWriter::EventWriter(std::shared_ptr<k8s::Client> client, k8s::WallClock wall, std::string identity)
    : client_{std::move(client)},
      recorder_{client_, std::move(wall), {.instance = std::move(identity)}},
      thread_{[this](const std::stop_token& stop) { run(stop); }} {}

EventWriter::~EventWriter() = default;

void EventWriter::write(const HeldObject& about, const k8s::JobEvent& event) {
  // VolcanoJob is our word: its own kind is Job, too.
  const bool volcano = about.kind == "VolcanoJob";
  const bool job_set = about.kind == "JobSet";
  const k8s::ObjectMeta& job = about.meta;
  const std::scoped_lock lock{mutex_};
  if (waiting_.size() >= k_most_waiting) return;
  waiting_.push_back({.subject = {.api_version = volcano   ? "batch.volcano.sh/v1alpha1"
                                                 : job_set ? "jobset.x-k8s.io/v1alpha2"
                                                           : "batch/v1",
                                  .kind = job_set ? "JobSet" : "Job",
                                  .space = job.space,
                                  .name = job.name,
                                  .uid = job.uid,
                                  .resource_version = job.resource_version},
                      .type = event.warning ? k8s::Event::Type::warning : k8s::Event::Type::normal,
                      .reason = std::string{to_text(event.reason)},
                      .note = event.note,
                      .action = "Plan"});
  ready_.notify_one();
}

void EventWriter::run(const std::stop_token& stop) {
  while (true) {
    k8s::Event event;
    {
      std::unique_lock lock{mutex_};
      if (!ready_.wait(lock, stop, [this] { return !waiting_.empty(); })) return;
      event = std::move(waiting_.front());
      waiting_.pop_front();
    }
    const auto written = recorder_.record(event, {.deadline = client_->clock().now() + k_call_time, .stop = stop});
    if (!written && !stop.stop_requested()) {
      runtime::log::warning("event_not_written", {{"reason", event.reason}, {"detail", k8s::text_of(written.error())}});
    }
  }
}

}  // namespace valle::service::cluster
