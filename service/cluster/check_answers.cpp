// SPDX-License-Identifier: Apache-2.0
#include "service/cluster/check_answers.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "k8s/api/names.hpp"
#include "k8s/reconcile/second_wait.hpp"
#include "service/runtime/log.hpp"

namespace valle::service::cluster {
namespace {

constexpr std::chrono::seconds k_call_time{10};
constexpr std::string_view k_check = "check/";
constexpr std::string_view k_workload = "workload/";

}  // namespace

CheckAnswers::CheckAnswers(const Services& services, const Objects& objects, std::function<bool()> leading)
    : services_{services}, objects_{objects}, leading_{std::move(leading)} {}

CheckAnswers::~CheckAnswers() { stop(); }

void CheckAnswers::start() {
  thread_ = std::jthread{[this](const std::stop_token& stop) { run(stop); }};
}

void CheckAnswers::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void CheckAnswers::look_at_all() {
  for (const auto& check : objects_.admission_checks()) look_at_check(check->meta.name);
  for (const auto& workload : objects_.workloads()) {
    if (!workload->checks.empty()) look_at_workload(workload->meta.key());
  }
}

void CheckAnswers::run(const std::stop_token& stop) {
  while (const auto key = queue_.take(stop)) {
    bool settled = false;
    try {
      settled = answer(*key, stop);
    } catch (const std::exception& thrown) {
      runtime::log::error("check_failed", {{"key", *key}, {"what", thrown.what()}});
    }
    if (settled) {
      queue_.forget(*key);
    } else {
      queue_.add_later(*key);
    }
    queue_.done(*key);
  }
}

bool CheckAnswers::answer(const std::string& key, const std::stop_token& stop) {
  if (!leading_()) return true;  // whoever leads looks at all
  const auto now = services_.clock.now();
  std::vector<k8s::Action> actions;
  for (const auto& check : objects_.admission_checks()) {
    if (check->controller != k8s::names::k_check_controller) continue;
    if (key == std::string{k_check} + check->meta.name) actions = k8s::activate(*check, now);
    if (!key.starts_with(k_workload)) continue;
    const auto workload = objects_.workload(key.substr(k_workload.size()));
    if (workload) actions = k8s::verdict(*workload, check->meta.name, now);
    if (!actions.empty()) break;
  }
  auto& client = *services_.link.objects;
  return std::all_of(actions.begin(), actions.end(), [&](const k8s::Action& action) {
    const auto done = client.patch(
        {.resource = action.resource, .space = action.space, .name = action.name, .subresource = action.subresource},
        {.type = action.kind, .body = action.body, .conflicts = k8s::Patch::Conflicts::force},
        {.deadline = client.clock().now() + k_call_time, .stop = stop});
    if (done || done.error().kind == k8s::ApiError::Kind::not_found) return true;
    if (done.error().kind != k8s::ApiError::Kind::conflict && !stop.stop_requested()) {
      runtime::log::warning("check_not_answered", {{"key", key}, {"detail", k8s::text_of(done.error())}});
    }
    return false;
  });
}

}  // namespace valle::service::cluster
