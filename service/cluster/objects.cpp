// SPDX-License-Identifier: Apache-2.0
#include "service/cluster/objects.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "k8s/api/names.hpp"
#include "k8s/client/discovery.hpp"
#include "k8s/reconcile/job_hold.hpp"
#include "k8s/reconcile/job_set_hold.hpp"
#include "k8s/reconcile/volcano_hold.hpp"
#include "service/app/places.hpp"
#include "service/runtime/log.hpp"

namespace valle::service::cluster {
namespace {

namespace log = runtime::log;
namespace names = k8s::names;
namespace resources = k8s::resources;

constexpr std::chrono::seconds k_call_time{10};
constexpr std::chrono::seconds k_between_tries{2};
constexpr const char* k_volcano_job_label = "volcano.sh/job-name";

struct Key {
  std::string kind;
  std::string space;
  std::string name;
};

Key parts_of(const std::string& key) {
  const auto first = key.find('/');
  const auto second = key.find('/', first + 1);
  return {key.substr(0, first), key.substr(first + 1, second - first - 1), key.substr(second + 1)};
}

bool is_ours(const k8s::ObjectMeta& meta) { return k8s::care_of(meta) == k8s::Care::ours; }

/// What is kept of an object: of one that is none of ours its name alone, of ours no annotations of others. There may
/// be tens of thousands.
template <class T, scheduler::Result<T> (*parse)(const k8s::Json&)>
scheduler::Result<T> kept_of(const k8s::Json& object) {
  auto meta = k8s::meta_of(object);
  if (!is_ours(meta)) {
    T other{};
    other.meta = {.name = std::move(meta.name),
                  .space = std::move(meta.space),
                  .uid = std::move(meta.uid),
                  .resource_version = std::move(meta.resource_version)};
    return other;
  }
  auto parsed = parse(object);
  if (parsed) {
    std::erase_if(parsed->meta.annotations, [](const auto& each) {
      return !each.first.starts_with("valle.sh/") && !each.first.starts_with("kueue.x-k8s.io/");
    });
  }
  return parsed;
}

/// A Job that Kueue's webhook refuses if it minds the gate: a gate's name has a domain.
k8s::Json probe_job(const std::string& space) {
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata",
           {{"name", "valle-gate-probe"},
            {"namespace", space},
            {"labels", {{names::k_queue, "valle-gate-probe"}}},
            {"annotations", {{names::k_gated_by, "no-domain"}}}}},
          {"spec",
           {{"suspend", true},
            {"template",
             {{"spec",
               {{"restartPolicy", "Never"},
                {"containers", k8s::Json::array({{{"name", "none"}, {"image", "none"}}})}}}}}}}};
}

}  // namespace

Objects::Objects(Link link, runtime::KubernetesConfig config, Handlers handlers)
    : link_{std::move(link)},
      config_{std::move(config)},
      handlers_{std::move(handlers)},
      jobs_(watch<k8s::Job>(resources::k_jobs, kept_of<k8s::Job, k8s::parse_job>, "Job")),
      job_sets_(watch<k8s::JobSet>(resources::k_job_sets, kept_of<k8s::JobSet, k8s::parse_job_set>, "JobSet")),
      volcano_jobs_(watch<k8s::VolcanoJob>(resources::k_volcano_jobs, kept_of<k8s::VolcanoJob, k8s::parse_volcano_job>,
                                           "VolcanoJob")),
      volcano_pods_{link_.objects,
                    {.collection = {.resource = resources::k_pods}, .selection = {.labels = k_volcano_job_label}},
                    k8s::parse_pod,
                    [this](const auto& before, const auto& now) {
                      const k8s::ObjectMeta& meta = (now ? now : before)->meta;
                      handlers_.pods("VolcanoJob/" + meta.space + "/" + meta.label(k_volcano_job_label).value_or(""));
                    }},
      workloads_{link_.objects,
                 {.collection = {.resource = resources::k_workloads}},
                 k8s::parse_workload,
                 [this](const auto&, const auto& now) {
                   if (now && !now->checks.empty() && !now->finished) handlers_.checked(now->meta.key());
                   if (!now || now->job_uid.empty()) return;
                   {
                     const std::scoped_lock lock{mutex_};
                     workload_of_[now->job_uid] = now->meta.key();
                   }
                   handlers_.workload(now->job_uid);
                 }},
      cluster_queues_(watch_quotas<k8s::ClusterQueue>(resources::k_cluster_queues, k8s::parse_cluster_queue)),
      cohorts_(watch_quotas<k8s::Cohort>(resources::k_cohorts, k8s::parse_cohort)),
      local_queues_(watch_quotas<k8s::LocalQueue>(resources::k_local_queues, k8s::parse_local_queue)),
      flavors_(watch_quotas<k8s::ResourceFlavor>(resources::k_resource_flavors, k8s::parse_resource_flavor)),
      checks_{link_.objects,
              {.collection = {.resource = resources::k_admission_checks}},
              k8s::parse_admission_check,
              [this](const auto&, const auto& now) {
                if (now) handlers_.check(now->meta.name);
              }} {}

Objects::~Objects() { stop(); }

template <class T>
k8s::Informer<T> Objects::watch(const k8s::Resource& resource, scheduler::Result<T> (*parse)(const k8s::Json&),
                                const char* kind) {
  return {
      link_.objects, {.collection = {.resource = resource}}, parse, [this, kind](const auto& before, const auto& now) {
        if ((before && is_ours(before->meta)) || (now && is_ours(now->meta))) {
          handlers_.object(std::string{kind} + "/" + (now ? now : before)->meta.key());
        }
      }};
}

/// What is written again and again without a change that matters here (counters in a status) is not told.
template <class T>
k8s::Informer<T> Objects::watch_quotas(const k8s::Resource& resource, scheduler::Result<T> (*parse)(const k8s::Json&)) {
  return {link_.objects, {.collection = {.resource = resource}}, parse, [this](const auto& before, const auto& now) {
            const auto without_version = [](T of) {
              of.meta.resource_version.clear();
              return of;
            };
            if (!before || !now || without_version(*before) != without_version(*now)) handlers_.quotas();
          }};
}

bool Objects::uses(runtime::KubernetesMode mode) const {
  return std::find(config_.modes.begin(), config_.modes.end(), mode) != config_.modes.end();
}

void Objects::start() {
  joining_ = std::jthread{[this](const std::stop_token& stop) { join(stop); }};
}

/// Asks what there is until the server answers and all that is configured is there, and watches what there is.
void Objects::join(const std::stop_token& stop) {
  const bool kueue = uses(runtime::KubernetesMode::kueue);
  const bool volcano = uses(runtime::KubernetesMode::volcano);
  auto& client = *link_.objects;
  const auto rest = [&](std::chrono::seconds time) {
    (void)client.clock().wait_until(client.clock().now() + time, stop);
  };
  std::string said;
  while (!stop.stop_requested()) {
    const auto served =
        k8s::discover(client,
                      {resources::k_jobs, resources::k_job_sets, resources::k_volcano_jobs, resources::k_workloads,
                       resources::k_cluster_queues, resources::k_resource_flavors},
                      {.deadline = client.clock().now() + k_call_time, .stop = stop});
    if (!served) {
      log::warning("api_server_unreachable", {{"from", link_.origin}, {"detail", k8s::text_of(served.error())}});
      rest(k_between_tries);
      continue;
    }
    const bool has_kueue = served->has(resources::k_workloads) && served->has(resources::k_cluster_queues) &&
                           served->has(resources::k_resource_flavors);
    watch_what_is_there(kueue && has_kueue, volcano && served->has(resources::k_volcano_jobs),
                        served->has(resources::k_job_sets));
    if (!joined_.exchange(true)) {
      log::info("cluster_joined", {{"from", link_.origin},
                                   {"kubernetes", std::to_string(served->major) + "." + std::to_string(served->minor)},
                                   {"kueue", with_kueue_.load()},
                                   {"volcano", with_volcano_.load()},
                                   {"jobset", with_job_sets_.load()}});
    }
    // What is not there may be installed a little later than we are. Jobs held meanwhile are released in time.
    std::string missing;
    if (with_kueue_ != kueue) {
      missing = "Kueue (kueue.x-k8s.io/v1beta2) is not installed: install it, or set kubernetes.mode: jobs. ";
    }
    if (with_volcano_ != volcano) {
      missing += "Volcano's jobs are not served: install it, or take volcano out of kubernetes.mode.";
    }
    if (missing.empty()) break;
    if (std::exchange(said, missing) != missing) log::error("kind_not_served", {{"detail", missing}});
    rest(k_between_tries * 5);
  }
  if (with_kueue_) probe_gate(stop);
}

/// Starts the watches of kinds that have not been watched so far.
void Objects::watch_what_is_there(bool kueue, bool volcano, bool job_sets) {
  const bool jobs = uses(runtime::KubernetesMode::kueue) || uses(runtime::KubernetesMode::jobs);
  if (kueue && !with_kueue_.exchange(true)) {
    workloads_.start();
    cluster_queues_.start();
    cohorts_.start();
    local_queues_.start();
    checks_.start();
    flavors_.start();
  }
  if (jobs && !with_jobs_.exchange(true)) jobs_.start();
  if (jobs && job_sets && !with_job_sets_.exchange(true)) job_sets_.start();
  if (volcano && !with_volcano_.exchange(true)) {
    volcano_pods_.start();
    volcano_jobs_.start();
  }
}

/// By behaviour, not by version: a dry run of a gate that nobody may use.
void Objects::probe_gate(const std::stop_token& stop) {
  auto& client = *link_.objects;
  while (!stop.stop_requested()) {
    const auto made = client.create(
        {.resource = resources::k_jobs, .space = config_.lease_namespace}, probe_job(config_.lease_namespace),
        {.deadline = client.clock().now() + k_call_time, .stop = stop, .mode = k8s::Mode::dry_run});
    if (made) {
      gate_works_ = false;
      log::error("admission_gate_off",
                 {{"detail", "Kueue does not mind " + names::k_gated_by +
                                 " (its feature gate AdmissionGatedBy is off, or it is older than 0.17): Jobs are held "
                                 "suspended outside their queue instead"}});
      return;
    }
    if (!k8s::worth_repeating(made.error().kind)) {
      const bool refused_gate = made.error().message.find(names::k_gated_by) != std::string::npos;
      if (!refused_gate) log::warning("admission_gate_unknown", {{"detail", k8s::text_of(made.error())}});
      return;
    }
    (void)client.clock().wait_until(client.clock().now() + k_between_tries, stop);
  }
}

void Objects::stop() {
  joining_.request_stop();
  if (joining_.joinable()) joining_.join();
  jobs_.stop();
  job_sets_.stop();
  volcano_jobs_.stop();
  volcano_pods_.stop();
  workloads_.stop();
  cluster_queues_.stop();
  cohorts_.stop();
  local_queues_.stop();
  checks_.stop();
  flavors_.stop();
}

bool Objects::synced() const {
  return joined_ && (!with_jobs_ || jobs_.synced()) && (!with_job_sets_ || job_sets_.synced()) &&
         (!with_volcano_ || (volcano_jobs_.synced() && volcano_pods_.synced())) &&
         // Without a right to read Cohorts, as older manifests have none, all the rest goes on.
         (!with_kueue_ ||
          (workloads_.synced() && cluster_queues_.synced() && local_queues_.synced() && flavors_.synced()));
}

std::optional<HeldObject> Objects::find(const std::string& key) const {
  const auto [kind, space, name] = parts_of(key);
  std::optional<HeldObject> found;
  if (kind == "Job") {
    if (const auto job = jobs_.get(space, name)) found = held_object(*job);
  } else if (kind == "JobSet") {
    if (const auto set = job_sets_.get(space, name)) found = held_object(*set);
  } else if (kind == "VolcanoJob") {
    if (const auto job = volcano_jobs_.get(space, name)) found = held_object(*job);
  }
  if (found && !is_ours(found->meta)) found.reset();
  return found;
}

std::optional<HeldObject> Objects::with_uid(const std::string& uid) const {
  const auto in = [&uid](const auto& objects) -> std::optional<HeldObject> {
    for (const auto& object : objects) {
      if (object->meta.uid == uid && is_ours(object->meta)) return held_object(*object);
    }
    return {};
  };
  if (auto job = in(jobs_.snapshot())) return job;
  if (auto set = in(job_sets_.snapshot())) return set;
  return in(volcano_jobs_.snapshot());
}

std::vector<std::string> Objects::keys() const {
  std::vector<std::string> keys;
  const auto add = [&keys](const char* kind, const auto& objects) {
    for (const auto& object : objects) {
      if (is_ours(object->meta)) keys.push_back(std::string{kind} + "/" + object->meta.key());
    }
  };
  add("Job", jobs_.snapshot());
  add("JobSet", job_sets_.snapshot());
  add("VolcanoJob", volcano_jobs_.snapshot());
  return keys;
}

std::vector<k8s::Action> Objects::wanted(const std::string& key, const k8s::Decision& decision) const {
  const auto [kind, space, name] = parts_of(key);
  const auto starter = with_kueue_ ? k8s::Starter::kueue : k8s::Starter::nobody;
  if (kind == "Job") {
    const auto job = jobs_.get(space, name);
    return job ? k8s::reconcile(*job, workload_of(job->meta.uid).get(), decision, starter) : std::vector<k8s::Action>{};
  }
  if (kind == "JobSet") {
    const auto set = job_sets_.get(space, name);
    return set ? k8s::reconcile(*set, workload_of(set->meta.uid).get(), decision, starter) : std::vector<k8s::Action>{};
  }
  const auto job = volcano_jobs_.get(space, name);
  if (!job) return {};
  std::vector<k8s::Pod> pods;
  for (const auto& pod : volcano_pods_.snapshot()) {
    if (pod->meta.space == space && pod->meta.label(k_volcano_job_label) == name) pods.push_back(*pod);
  }
  return k8s::reconcile(*job, pods, decision);
}

std::shared_ptr<const k8s::Workload> Objects::workload_of(const std::string& uid) const {
  std::string key;
  {
    const std::scoped_lock lock{mutex_};
    const auto found = workload_of_.find(uid);
    if (found == workload_of_.end()) return nullptr;
    key = found->second;
  }
  return workload(key);
}

std::shared_ptr<const k8s::Workload> Objects::workload(const std::string& key) const {
  const auto slash = key.find('/');
  return workloads_.get(key.substr(0, slash), key.substr(slash + 1));
}

void Objects::forget(const std::string& uid) {
  const std::scoped_lock lock{mutex_};
  workload_of_.erase(uid);
}

KueueObjects Objects::kueue() const {
  KueueObjects objects{.cluster_queues = cluster_queues_.snapshot(),
                       .cohorts = cohorts_.snapshot(),
                       .local_queues = local_queues_.snapshot(),
                       .flavors = flavors_.snapshot(),
                       .workloads = workloads_.snapshot()};
  std::erase_if(objects.workloads, [](const auto& workload) { return !workload->quota_reserved; });
  return objects;
}

std::optional<std::string> Objects::queue_of(const std::string& key) const {
  const auto [kind, space, name] = parts_of(key);
  const auto of = [](const auto& object) -> std::optional<std::string> {
    if (!object) return {};
    const auto queue = object->meta.label(names::k_queue);
    return queue ? queue : object->meta.annotation(names::k_held_queue);
  };
  if (kind == "Job") return of(jobs_.get(space, name));
  if (kind == "JobSet") return of(job_sets_.get(space, name));
  return {};
}

std::string Objects::queue_problem(const std::string& space, const std::string& queue,
                                   std::span<const scheduler::ResourceDemand> demand) const {
  if (!with_kueue_ || !local_queues_.synced() || !cluster_queues_.synced()) return {};
  const auto local = local_queues_.get(space, queue);
  if (!local) return "there is no LocalQueue " + queue + " in namespace " + space;
  const auto cluster = cluster_queues_.get("", local->cluster_queue);
  if (!cluster) return "LocalQueue " + queue + " names ClusterQueue " + local->cluster_queue + ", which is not there";
  return larger_than_quota(*cluster, flavors_.snapshot(), demand);
}

}  // namespace valle::service::cluster
