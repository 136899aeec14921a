// SPDX-License-Identifier: Apache-2.0
#include "service/cluster/run_attempts.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "service/app/places.hpp"

namespace valle::service::cluster {
namespace {

using scheduler::Attempt;
using scheduler::AttemptOutcome;
using scheduler::Instant;
using scheduler::PodOfRun;
using scheduler::Run;

constexpr std::size_t k_most_boards_of_pod = 64;
constexpr std::size_t k_longest_scanned = 16'384;

const runtime::SiteConfig* site_named(const std::string& name, std::span<const runtime::SiteConfig> sites) {
  const auto found = std::find_if(sites.begin(), sites.end(), [&name](const auto& site) { return site.name == name; });
  return found == sites.end() ? nullptr : &*found;
}

bool is_hex_or_dash(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == '-';
}

/// `GPU-5a01…` and `MIG-…` in the texts that device plugins and schedulers leave on a pod.
std::vector<std::string> boards_of(const k8s::ObjectMeta& meta) {
  constexpr std::array<std::string_view, 2> k_prefixes{"GPU-", "MIG-"};
  constexpr std::size_t k_shortest = 12;  // of the part after the prefix, so that words don't pass for UUIDs
  std::vector<std::string> boards;
  for (const auto& [name, value] : meta.annotations) {
    if (value.size() > k_longest_scanned) continue;
    for (const auto prefix : k_prefixes) {
      for (auto at = value.find(prefix); at != std::string::npos; at = value.find(prefix, at + 1)) {
        std::size_t end = at + prefix.size();
        while (end < value.size() && is_hex_or_dash(value[end])) ++end;
        std::string board = value.substr(at, end - at);
        const bool known = std::find(boards.begin(), boards.end(), board) != boards.end();
        if (end - at - prefix.size() < k_shortest || known || boards.size() == k_most_boards_of_pod) continue;
        boards.push_back(std::move(board));
      }
    }
  }
  return boards;
}

AttemptOutcome outcome_of(const k8s::Pod& pod, bool gone) {
  if (pod.phase == k8s::PodPhase::succeeded) return AttemptOutcome::finished;
  if (pod.disrupted && (gone || pod.phase == k8s::PodPhase::failed)) return AttemptOutcome::evicted;
  if (pod.phase == k8s::PodPhase::failed) return AttemptOutcome::failed;
  return gone ? AttemptOutcome::evicted : AttemptOutcome::running;
}

/// Views of UIDs that the pods of a look hold.
using SeenByUid = std::unordered_map<std::string_view, const SeenPod*>;

SeenByUid by_uid(const std::vector<SeenPod>& pods) {
  SeenByUid seen;
  seen.reserve(pods.size());
  for (const auto& pod : pods) seen.emplace(pod.pod.uid, &pod);
  return seen;
}

const SeenPod* find(const SeenByUid& seen, const std::string& uid) {
  const auto found = seen.find(uid);
  return found == seen.end() ? nullptr : found->second;
}

/// When an attempt ran and how it stands: running while a pod does, else as the pod that ended last. Outcomes of pods
/// are not kept, so this is brought up to date whenever pods are seen, pod by pod: groups have thousands.
class Standing {
 public:
  Standing(Attempt& attempt, const SeenByUid& seen) : attempt_{&attempt}, outcome_{attempt.outcome} {
    if (!attempt.pods.empty()) attempt.ran = attempt.pods.front().ran;
    for (const auto& pod : attempt.pods) take(pod.ran, find(seen, pod.uid));
  }

  void add(const SeenPod& seen) {
    if (attempt_->pods.empty()) attempt_->ran = seen.pod.ran;
    attempt_->pods.push_back(seen.pod);
    take(seen.pod.ran, &seen);
  }

  /// Whether a pod that begins then belongs to a next attempt.
  [[nodiscard]] bool is_over(Instant begin) const {
    const bool badly = attempt_->outcome == AttemptOutcome::failed || attempt_->outcome == AttemptOutcome::evicted;
    return badly && begin >= attempt_->ran.end;
  }

 private:
  void take(scheduler::Interval ran, const SeenPod* seen) {
    attempt_->ran.begin = std::min(attempt_->ran.begin, ran.begin);
    attempt_->ran.end = std::max(attempt_->ran.end, ran.end);
    if (seen == nullptr) return;
    running_ = running_ || seen->outcome == AttemptOutcome::running;
    if (seen->outcome != AttemptOutcome::running && ran.end >= last_end_) {
      last_end_ = ran.end;
      outcome_ = seen->outcome;
    }
    attempt_->outcome = running_ ? AttemptOutcome::running : outcome_;
  }

  Attempt* attempt_;
  AttemptOutcome outcome_;
  bool running_ = false;
  Instant last_end_{};
};

std::size_t pods_of(const Run& run) {
  std::size_t count = 0;
  for (const auto& attempt : run.attempts) count += attempt.pods.size();
  return count;
}

/// What a look shows of pods that the run has. Returns the UIDs of all that it has of that look.
std::unordered_set<std::string_view> update_known(Run& run, const SeenByUid& seen) {
  std::unordered_set<std::string_view> known;
  for (auto& attempt : run.attempts) {
    for (auto& pod : attempt.pods) {
      const SeenPod* const now = find(seen, pod.uid);
      if (now == nullptr) continue;
      known.insert(now->pod.uid);
      auto boards = std::move(pod.gpu_uuids);  // a meter may have learnt more than the pod shows
      pod = now->pod;
      if (pod.gpu_uuids.empty()) pod.gpu_uuids = std::move(boards);
    }
  }
  return known;
}

Attempt& next_attempt(Run& run, const PodOfRun& first, const std::string& site) {
  return run.attempts.emplace_back(Attempt{
      .number = static_cast<int>(run.attempts.size()) + 1, .site = site, .ran = first.ran, .pods = {}, .figures = {}});
}

Instant last_end(const Run& run) {
  Instant end = run.attempts.front().ran.end;
  for (const auto& attempt : run.attempts) end = std::max(end, attempt.ran.end);
  return end;
}

/// Pods that were last seen to run, to the attempt's present end, ended at `end`.
void end_at(Attempt& attempt, Instant end) {
  const Instant known = std::exchange(attempt.ran.end, attempt.ran.begin);
  for (auto& pod : attempt.pods) {
    if (pod.ran.end == known) pod.ran.end = std::max(pod.ran.begin, end);
    attempt.ran.end = std::max(attempt.ran.end, pod.ran.end);
  }
  if (attempt.pods.empty()) attempt.ran.end = std::max(attempt.ran.begin, end);
}

/// Of its first container; where their states are not told, of the pod.
std::optional<Instant> began_at(const k8s::Pod& pod) {
  if (pod.began_at) return pod.began_at;
  const bool has_run = pod.phase == k8s::PodPhase::running || pod.phase == k8s::PodPhase::succeeded ||
                       pod.phase == k8s::PodPhase::failed;
  return has_run ? pod.started_at : std::nullopt;
}

}  // namespace

std::optional<SeenPod> seen_pod(const k8s::Pod& pod, bool gone, Instant now) {
  const auto began = began_at(pod);
  if (!began || pod.meta.uid.empty()) return {};
  SeenPod seen{.pod = {.uid = pod.meta.uid,
                       .name_space = pod.meta.space,
                       .name = pod.meta.name,
                       .node = pod.node,
                       .containers = pod.containers,
                       .gpu_uuids = boards_of(pod.meta),
                       .ran = {*began, std::max(*began, now)}},
               .outcome = outcome_of(pod, gone)};
  if (seen.outcome != AttemptOutcome::running && pod.ended_at) {
    seen.pod.ran.end = std::max(*began, *pod.ended_at);
  }
  return seen;
}

Run new_run(const app::Job& job, std::span<const runtime::SiteConfig> sites,
            std::optional<scheduler::Emissions> baseline) {
  Run run{
      .id = job.id, .name = {}, .owner = job.request.owner.value_or(""), .home_site = {}, .label = {}, .attempts = {}};
  if (job.object) run.name = job.object->space + "/" + job.object->name;
  run.submitted = job.submitted_at;
  if (job.request.home_site) {
    run.home_site = *job.request.home_site;
  } else if (job.request.sites && !job.request.sites->empty()) {
    run.home_site = job.request.sites->front();
  } else if (!sites.empty()) {
    run.home_site = sites.front().name;
  }
  if (const auto* home = site_named(run.home_site, sites)) run.home_pue = home->pue;
  if (baseline && job.slot && job.slot->emissions) run.planned_saved = *baseline - *job.slot->emissions;
  run.start_by = job.object ? job.object->start_by : job.start_by;
  for (const auto& each : job.request.demand.value_or(std::vector<scheduler::ResourceDemand>{})) {
    if (each.resource == "gpu") run.gpus = each.amount;
  }
  return run;
}

Run with_pods(Run run, std::vector<SeenPod> pods, const std::string& site, Instant now) {
  std::sort(pods.begin(), pods.end(), [](const SeenPod& a, const SeenPod& b) {
    return std::pair{a.pod.ran.begin, a.pod.uid} < std::pair{b.pod.ran.begin, b.pod.uid};
  });
  const SeenByUid seen = by_uid(pods);
  auto known = update_known(run, seen);
  std::optional<Standing> last;
  for (auto& attempt : run.attempts) last.emplace(attempt, seen);
  std::size_t room = k_most_pods_of_run - std::min(k_most_pods_of_run, pods_of(run));
  for (const auto& each : pods) {
    if (room == 0) break;
    if (!known.insert(each.pod.uid).second) continue;
    --room;
    if (!last || last->is_over(each.pod.ran.begin)) last.emplace(next_attempt(run, each.pod, site), seen);
    last->add(each);
  }
  for (auto& attempt : run.attempts) {
    if (attempt.outcome == AttemptOutcome::running) attempt.ran.end = std::max(attempt.ran.end, now);
  }
  return run;
}

Run without_lost_pods(Run run, const std::vector<std::string>& still_there) {
  const std::unordered_set<std::string_view> there{still_there.begin(), still_there.end()};
  for (auto& attempt : run.attempts) {
    if (attempt.outcome != AttemptOutcome::running || attempt.pods.empty()) continue;
    const bool all_lost = std::none_of(attempt.pods.begin(), attempt.pods.end(),
                                       [&there](const auto& pod) { return there.count(pod.uid) != 0; });
    if (all_lost) attempt.outcome = AttemptOutcome::evicted;
  }
  return run;
}

std::optional<Run> closed_run(Run run, const app::Job& job, std::span<const runtime::SiteConfig> sites) {
  if (run.attempts.empty()) {
    if (!job.started_at) return {};
    const std::string site = job.slot ? job.slot->site : run.home_site;
    run.attempts.push_back(
        {.number = 1, .site = site, .ran = {*job.started_at, *job.started_at}, .pods = {}, .figures = {}});
  }
  Attempt& last = run.attempts.back();
  const bool finished_unseen = last.outcome == AttemptOutcome::evicted && job.state == app::JobState::finished;
  if (job.finished_at && (last.outcome == AttemptOutcome::running || finished_unseen)) end_at(last, *job.finished_at);
  if (job.state == app::JobState::finished) last.outcome = AttemptOutcome::finished;
  if (job.state == app::JobState::failed) last.outcome = AttemptOutcome::failed;
  if (job.state == app::JobState::cancelled && last.outcome == AttemptOutcome::running) {
    last.outcome = AttemptOutcome::evicted;
  }
  for (auto& attempt : run.attempts) {
    if (attempt.pue) continue;
    if (const auto* site = site_named(attempt.site, sites)) attempt.pue = site->pue;
  }
  run.finished = last_end(run);
  return run;
}

std::optional<Run> abandoned_run(Run run) {
  const bool runs = std::any_of(run.attempts.begin(), run.attempts.end(),
                                [](const auto& attempt) { return attempt.outcome == AttemptOutcome::running; });
  if (runs || run.attempts.empty()) return {};
  run.finished = last_end(run);
  return run;
}

}  // namespace valle::service::cluster
