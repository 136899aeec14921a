// SPDX-License-Identifier: Apache-2.0
#include "service/cluster/capacity.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "k8s/api/names.hpp"
#include "k8s/api/quantity.hpp"
#include "k8s/estimate/estimate.hpp"
#include "service/app/places.hpp"

namespace valle::service::cluster {
namespace {

using k8s::added;
using k8s::ClusterQueue;
using k8s::Quota;
using scheduler::Amount;
using scheduler::Instant;
using Sums = std::map<std::string, Amount>;  ///< by the planner's name of the resource

constexpr int k_deepest_cohort = 32;

/// What may be used together, with its place in Kueue.
struct Pool {
  std::string name;                       ///< `team-a`, `cohort/all`
  std::vector<const k8s::Quotas*> parts;  ///< that add up to it
  std::string queue = {};                 ///< of a ClusterQueue's own pool
};

/// What the objects say, looked up by name.
class Kueue {
 public:
  explicit Kueue(const KueueObjects& objects) {
    for (const auto& flavor : objects.flavors) {
      const auto region = flavor->node_labels.find(k8s::names::k_region_label);
      region_of_[flavor->meta.name] = region == flavor->node_labels.end() ? "" : app::lower_case(region->second);
    }
    for (const auto& cohort : objects.cohorts) cohorts_[cohort->meta.name] = cohort.get();
    for (const auto& queue : objects.cluster_queues) {
      queues_[queue->meta.name] = queue.get();
      if (!queue->cohort.empty()) members_[root_of(queue->cohort)].push_back(queue.get());
    }
    for (const auto& queue : objects.local_queues) local_queues_[queue->meta.key()] = queue->cluster_queue;
  }

  [[nodiscard]] const ClusterQueue* behind(const std::string& space, const std::string& local_queue) const {
    const auto found = local_queues_.find(space + "/" + local_queue);
    return found == local_queues_.end() ? nullptr : queue_named(found->second);
  }
  [[nodiscard]] const ClusterQueue* queue_named(const std::string& name) const {
    const auto found = queues_.find(name);
    return found == queues_.end() ? nullptr : found->second;
  }

  /// The pools that a Workload in that queue draws on, the widest first.
  [[nodiscard]] std::vector<Pool> pools_of(const ClusterQueue& queue) const {
    if (queue.cohort.empty()) return {{queue.meta.name, {&queue.quota}}};
    const std::string root = root_of(queue.cohort);
    Pool all{"cohort/" + root, {}};
    for (const auto* member : members_.at(root)) all.parts.push_back(&member->quota);
    for (const auto& [name, cohort] : cohorts_) {
      if (root_of(name) == root) all.parts.push_back(&cohort->quota);
    }
    std::vector<Pool> pools{std::move(all)};
    if (is_limited(queue)) pools.push_back({queue.meta.name, {}, queue.meta.name});
    return pools;
  }

  /// What the pool has at a site of that region.
  [[nodiscard]] Sums capacity(const Pool& pool, const std::string& region) const {
    Sums sums;
    if (!pool.queue.empty()) {
      const auto& queue = *queue_named(pool.queue);
      for_each_there(queue.quota, region, [&](const auto& flavor, const auto& resource, const Quota& quota) {
        add(sums, resource, reach(queue, flavor, resource, quota));
      });
      return sums;
    }
    for (const auto* part : pool.parts) {
      for_each_there(*part, region, [&](const auto&, const auto& resource, const Quota& quota) {
        add(sums, resource, quota.nominal);
      });
    }
    return sums;
  }

  /// In lower case; empty: it has none, or is not known.
  [[nodiscard]] std::string region_of(const std::string& flavor) const {
    const auto found = region_of_.find(flavor);
    return found == region_of_.end() ? "" : found->second;
  }
  [[nodiscard]] bool is_there(const std::string& flavor, const std::string& region) const {
    const auto found = region_of_.find(flavor);
    return found != region_of_.end() && (region.empty() || found->second.empty() || found->second == region);
  }

  static void add(Sums& sums, const std::string& resource, Amount amount) {
    if (const auto planned = k8s::planned_resource(resource, amount)) {
      auto& sum = sums[planned->resource];
      sum = added(sum, planned->amount);
    }
  }

 private:
  /// The cohort that has no parent; of a ring of them, one of it.
  [[nodiscard]] std::string root_of(std::string cohort) const {
    for (int depth = 0; depth < k_deepest_cohort; ++depth) {
      const auto found = cohorts_.find(cohort);
      if (found == cohorts_.end() || found->second->parent.empty()) return cohort;
      cohort = found->second->parent;
    }
    return cohort;
  }

  template <class Use>
  void for_each_there(const k8s::Quotas& quotas, const std::string& region, Use use) const {
    for (const auto& [flavor, resources] : quotas) {
      for (const auto& [resource, quota] : resources) {
        if (is_there(flavor, region)) {
          use(flavor, resource, quota);
        } else {
          use(flavor, resource, Quota{});
        }
      }
    }
  }

  /// Whether it may not have all that its cohort has.
  [[nodiscard]] bool is_limited(const ClusterQueue& queue) const {
    const auto& members = members_.at(root_of(queue.cohort));
    const bool others_keep = std::any_of(members.begin(), members.end(), [&](const ClusterQueue* other) {
      return other != &queue && has_limit(*other, &Quota::lending_limit);
    });
    return others_keep || has_limit(queue, &Quota::borrowing_limit);
  }
  static bool has_limit(const ClusterQueue& queue, std::optional<Amount> Quota::*limit) {
    return std::any_of(queue.quota.begin(), queue.quota.end(), [limit](const auto& flavor) {
      return std::any_of(flavor.second.begin(), flavor.second.end(),
                         [limit](const auto& each) { return (each.second.*limit).has_value(); });
    });
  }

  /// Its own quota and what it may borrow of the same flavor.
  [[nodiscard]] Amount reach(const ClusterQueue& queue, const std::string& flavor, const std::string& resource,
                             const Quota& quota) const {
    Amount lent{};
    const auto lend = [&](const k8s::Quotas& quotas) {
      const auto found = quotas.find(flavor);
      if (found == quotas.end()) return;
      const auto theirs = found->second.find(resource);
      if (theirs == found->second.end()) return;
      lent =
          added(lent, std::min(theirs->second.nominal, theirs->second.lending_limit.value_or(theirs->second.nominal)));
    };
    const std::string root = root_of(queue.cohort);
    for (const auto* member : members_.at(root)) {
      if (member != &queue) lend(member->quota);
    }
    for (const auto& [name, cohort] : cohorts_) {
      if (root_of(name) == root) lend(cohort->quota);
    }
    return added(quota.nominal, std::min(lent, quota.borrowing_limit.value_or(lent)));
  }

  std::map<std::string, std::string> region_of_;  ///< of a flavor, in lower case
  std::map<std::string, const k8s::Cohort*> cohorts_;
  std::map<std::string, const ClusterQueue*> queues_;
  std::map<std::string, std::vector<const ClusterQueue*>> members_;  ///< by the root of their cohort
  std::map<std::string, std::string> local_queues_;                  ///< namespace/name → ClusterQueue
};

/// Jobs that draw on the same: those of one LocalQueue.
struct Draw {
  std::set<std::string> pools = {};  ///< at any site
  std::size_t jobs = 0;
};

std::string named(const std::string& resource, const std::string& pool) { return resource + "@" + pool; }

class Observation {
 public:
  Observation(app::PlanningSnapshot& snapshot, const KueueObjects& objects)
      : snapshot_{snapshot}, objects_{objects}, kueue_{objects} {
    for (const auto& site : snapshot.sites) regions_.push_back(app::lower_case(site.region));
  }

  void draw(const app::Job& job, const std::string& queue) {
    auto& draw = draw_of(job.object->space, queue);
    ++draw.jobs;
    if (!job.request.demand) return;
    for (const auto& pool : draw.pools) {
      for (const auto& each : *job.request.demand) ++used_[named(each.resource, pool)];
    }
    draws_[job.id] = &draw;
  }

  /// Keeps so many of the pools' resources, those with most jobs; the number of those left out.
  std::size_t keep_most_used(std::size_t most) {
    std::vector<std::pair<std::size_t, std::string>> limited;
    for (const auto& [name, jobs] : used_) {
      if (is_limited(name)) limited.emplace_back(jobs, name);
    }
    std::sort(limited.begin(), limited.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    const std::size_t kept = std::min(most, limited.size());
    for (std::size_t i = 0; i < kept; ++i) kept_.insert(limited[i].second);
    return limited.size() - kept;
  }

  void fill() {
    for (std::size_t i = 0; i < snapshot_.sites.size(); ++i) {
      for (const auto& [name, amount] : at_[i]) {
        if (kept_.contains(name)) snapshot_.sites[i].capacity[name] = amount;
      }
    }
    for (const auto& job : snapshot_.jobs) {
      const auto draw = draws_.find(job.id);
      if (draw == draws_.end()) continue;
      auto demand = *job.request.demand;
      for (const auto& pool : draw->second->pools) {
        for (const auto& each : *job.request.demand) {
          if (kept_.contains(named(each.resource, pool))) demand.push_back({named(each.resource, pool), each.amount});
        }
      }
      snapshot_.demands[job.id] = std::move(demand);
    }
  }

  void reserve(scheduler::Duration default_run) {
    std::set<std::string> own;
    for (const auto& job : snapshot_.jobs) own.insert(job.id);
    for (const auto& workload : objects_.workloads) {
      const bool holds = workload->quota_reserved && !workload->finished;
      const auto* queue =
          holds && !own.contains(workload->job_uid) ? kueue_.queue_named(workload->cluster_queue) : nullptr;
      if (queue == nullptr) continue;
      const Instant end = workload->admitted_at.value_or(snapshot_.now) + workload->longest_run.value_or(default_run);
      const Instant until = std::max(end, snapshot_.now + snapshot_.planning.slot);
      for (const auto& pool : kueue_.pools_of(*queue)) reserve(*workload, pool.name, until);
    }
  }

 private:
  Draw& draw_of(const std::string& space, const std::string& queue) {
    const auto [found, is_new] = draw_by_queue_.try_emplace(space + "/" + queue);
    if (!is_new) return found->second;
    for (std::size_t i = 0; i < snapshot_.sites.size(); ++i) {
      const std::string& sites_queue = snapshot_.sites[i].queue;
      const auto* behind = kueue_.behind(space, sites_queue.empty() ? queue : sites_queue);
      if (behind == nullptr) continue;
      for (const auto& pool : kueue_.pools_of(*behind)) {
        found->second.pools.insert(pool.name);
        for (const auto& [resource, amount] : kueue_.capacity(pool, regions_[i]))
          at_[i][named(resource, pool.name)] = amount;
      }
    }
    return found->second;
  }

  bool is_limited(const std::string& name) const {
    return std::any_of(at_.begin(), at_.end(), [&name](const auto& site) { return site.second.contains(name); });
  }

  void reserve(const k8s::Workload& workload, const std::string& pool, Instant until) {
    for (std::size_t i = 0; i < snapshot_.sites.size(); ++i) {
      Sums held;
      for (const auto& [flavor, usage] : workload.usage) {
        if (!kueue_.is_there(flavor, regions_[i])) continue;
        for (const auto& [resource, amount] : usage) Kueue::add(held, resource, amount);
      }
      for (const auto& [resource, amount] : held) {
        const std::string name = named(resource, pool);
        if (!kept_.contains(name) || !at_[i].contains(name)) continue;
        snapshot_.reservations.push_back({snapshot_.sites[i].name, name, amount, until});
      }
    }
  }

  app::PlanningSnapshot& snapshot_;
  const KueueObjects& objects_;
  Kueue kueue_;
  std::vector<std::string> regions_;           ///< of the sites, in lower case
  std::map<std::string, Draw> draw_by_queue_;  ///< by namespace/LocalQueue
  std::map<std::string, const Draw*> draws_;   ///< by job
  std::map<std::size_t, Sums> at_;             ///< by site: what its pools have, by their resources' names
  std::map<std::string, std::size_t> used_;    ///< demands on a pool's resource
  std::set<std::string> kept_;
};

}  // namespace

std::string larger_than_quota(const ClusterQueue& queue, const KueueObjects::Of<k8s::ResourceFlavor>& flavors,
                              std::span<const scheduler::ResourceDemand> demand) {
  if (!queue.cohort.empty()) return {};
  const Kueue kueue{{.flavors = flavors}};
  for (const auto& each : demand) {
    bool covered = false;
    Amount most{};
    for (const auto& [flavor, quotas] : queue.quota) {
      const auto sums = kueue.capacity({queue.meta.name, {&queue.quota}}, kueue.region_of(flavor));
      const auto found = sums.find(each.resource);
      covered = covered || found != sums.end();
      if (found != sums.end()) most = std::max(most, found->second);
    }
    if (!covered || each.amount <= most) continue;
    return "it asks for more " + each.resource + " than ClusterQueue " + queue.meta.name + " has in any region";
  }
  return {};
}

std::size_t observe_kueue(app::PlanningSnapshot& snapshot, const KueueObjects& kueue,
                          const std::map<std::string, std::string>& queue_of, scheduler::Duration default_run) {
  Observation observation{snapshot, kueue};
  for (const auto& job : snapshot.jobs) {
    const auto queue = queue_of.find(job.id);
    if (job.object && queue != queue_of.end()) observation.draw(job, queue->second);
  }
  std::set<std::string> configured;
  for (const auto& site : snapshot.sites) {
    for (const auto& [resource, amount] : site.capacity) configured.insert(resource);
  }
  // One more is the planner's own, for slots of unknown intensity.
  constexpr std::size_t k_most = scheduler::ProblemLimits::k_resources - 1;
  const std::size_t left_out = observation.keep_most_used(k_most - std::min(k_most, configured.size()));
  observation.fill();
  observation.reserve(default_run);
  return left_out;
}

}  // namespace valle::service::cluster
