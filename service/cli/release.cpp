// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <ostream>
#include <vector>

#include "k8s/annotations/carbon_request.hpp"
#include "k8s/api/names.hpp"
#include "k8s/client/discovery.hpp"
#include "k8s/client/retry.hpp"
#include "k8s/reconcile/job_hold.hpp"
#include "service/cli/command.hpp"
#include "service/cluster/link.hpp"

namespace valle::service::cli {

using namespace scheduler;

namespace {

constexpr std::chrono::seconds k_call_time{60};

struct ReleaseFlags {
  std::string object;
  bool overdue = false;
  bool all = false;
  std::string kubeconfig;
};

[[noreturn]] void end_with(const k8s::ApiError& error) {
  throw CommandFailed{Error{Errc::source_unavailable, "the API server answers " + k8s::text_of(error), "--kubeconfig"}};
}

/// Where kubectl would look, too.
runtime::KubernetesConfig where(const ReleaseFlags& flags, const Surroundings& surroundings) {
  const auto variable = [&](const char* name) {
    const auto found = surroundings.environment.find(name);
    return found == surroundings.environment.end() ? std::string{} : found->second;
  };
  runtime::KubernetesConfig config;
  config.kubeconfig = flags.kubeconfig.empty() ? variable("KUBECONFIG") : flags.kubeconfig;
  if (config.kubeconfig.empty() && variable("KUBERNETES_SERVICE_HOST").empty()) {
    config.kubeconfig = variable("HOME") + "/.kube/config";
  }
  return config;
}

/// The latest start as its object says: fixed by the leader, or else by its annotations.
std::optional<Instant> start_by(const k8s::Job& job, Duration longest_wait) {
  if (const auto fixed = k8s::remembered(job.meta).start_by) return fixed;
  const auto request = k8s::carbon_request(job.meta);
  if (!request || !job.meta.created_at) return job.meta.created_at;
  return k8s::latest_start(*request, *job.meta.created_at, request->expected_duration.value_or(Duration{0}),
                           Duration{0}, longest_wait);
}

Exit release(const ReleaseFlags& flags, const Surroundings& surroundings) {
  const auto link = must(cluster::open_link(where(flags, surroundings), surroundings.environment));
  auto& client = *link.objects;
  const auto call = [&client] { return k8s::Call{.deadline = client.clock().now() + k_call_time}; };
  const auto slash = flags.object.find('/');
  const std::string space = flags.object.substr(0, slash == std::string::npos ? 0 : slash);
  const auto listing = client.list({.resource = k8s::resources::k_jobs, .space = space}, {}, call());
  if (!listing) end_with(listing.error());
  const Instant now = surroundings.clock.now();
  const auto served = k8s::discover(client, {k8s::resources::k_workloads}, call());
  const auto starter = served && !served->has(k8s::resources::k_workloads) ? k8s::Starter::nobody : k8s::Starter::kueue;
  std::size_t held = 0;
  std::size_t released = 0;
  std::size_t failed = 0;
  for (const auto& item : listing->items) {
    const auto job = k8s::parse_job(item);
    if (!job || k8s::hold_of(*job) == k8s::Hold::none) continue;
    const std::string name = job->meta.key();
    if (!flags.object.empty() && name != flags.object) continue;
    ++held;
    const auto latest = start_by(*job, runtime::PlanningConfig{}.max_wait);
    if (flags.overdue && latest && *latest > now) continue;
    const k8s::Decision decision{.released = true,
                                 .start_by = latest.value_or(now),
                                 .reason = "released by hand (valle release)",
                                 .released_at = now};
    for (auto& action : k8s::reconcile(*job, nullptr, decision, starter)) {
      // The policy that keeps held Jobs held lets others than valle through with it.
      action.body["metadata"]["annotations"][k8s::names::k_run_now] = "true";
      const k8s::Call budget = call();
      const auto done = k8s::with_retries(client.clock(), {}, budget, 1, [&] {
        return client.patch({.resource = action.resource, .space = action.space, .name = action.name},
                            {.type = action.kind, .body = action.body}, budget);
      });
      surroundings.out << name << (done ? ": released" : ": " + k8s::text_of(done.error())) << '\n';
      ++(done ? released : failed);
    }
  }
  if (!flags.object.empty() && held == 0) {
    throw CommandFailed{Error{Errc::not_found, "there is no Job of that name that valle holds", flags.object}};
  }
  surroundings.out << released << " released, " << held - released - failed << " still held";
  if (failed > 0) surroundings.out << ", " << failed << " failed";
  surroundings.out << '\n';
  return failed > 0 ? Exit::world_failed : Exit::done;
}

}  // namespace

void add_release(CLI::App& app, Action& chosen) {
  auto flags = std::make_shared<ReleaseFlags>();
  auto* command = app.add_subcommand(
      "release",
      "let held Jobs of a cluster start, without the service\n\n"
      "  valle release lab/train        this one\n"
      "  valle release --overdue        those whose latest start has passed\n"
      "  valle release --all            every held Job, e.g. before valle is removed\n\n"
      "Speaks to the API server only: works while the service is down. Released Jobs are not pinned to a region.");
  command->add_option("object", flags->object, "NAMESPACE/NAME")->check([](const std::string& text) {
    return std::count(text.begin(), text.end(), '/') == 1 ? std::string{} : "must be NAMESPACE/NAME";
  });
  command->add_flag("--overdue", flags->overdue, "all whose latest start has passed");
  command->add_flag("--all", flags->all, "all that are held");
  command->add_option("--kubeconfig", flags->kubeconfig,
                      "default: $KUBECONFIG, else the pod's account, else ~/.kube/config");
  command->callback([&chosen, flags] {
    chosen = [flags](const Surroundings& surroundings) {
      if (int{!flags->object.empty()} + int{flags->overdue} + int{flags->all} != 1) {
        throw CommandFailed{Error{Errc::invalid_request, "say which: NAMESPACE/NAME, --overdue or --all", "release"}};
      }
      return release(*flags, surroundings);
    };
  });
}

}  // namespace valle::service::cli
