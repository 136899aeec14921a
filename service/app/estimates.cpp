// SPDX-License-Identifier: Apache-2.0
#include "service/app/estimates.hpp"

#include <algorithm>
#include <utility>

#include "scheduler/energy/estimate_runs.hpp"
#include "service/runtime/log.hpp"
#include "service/store/signature_repository.hpp"

namespace valle::service::app {
namespace {

using scheduler::JobSignature;
using scheduler::LearnedEstimate;
using scheduler::PastRun;
using scheduler::Result;
namespace log = runtime::log;

scheduler::Result<std::vector<store::SignedRun>> read_all(store::Database& database) {
  return store::SignatureRepository{database}.finished(RunEstimates::k_most_runs);
}

}  // namespace

Result<void> RunEstimates::load() {
  const auto runs = store_.read_now(read_all);
  if (!runs) return tl::unexpected{runs.error()};
  for (const auto& each : *runs) put(each.run.id, {each.signature, scheduler::past_run_of(each.run)});
  return {};
}

void RunEstimates::reload_later() {
  (void)store_.read([this](store::Database& database) {
    const auto runs = read_all(database);
    if (!runs) return log::warning("estimates_not_read", {{"detail", runs.error().detail}});
    for (const auto& each : *runs) put(each.run.id, {each.signature, scheduler::past_run_of(each.run)});
  });
}

std::optional<LearnedEstimate> RunEstimates::learned(const JobSignature& signature) const {
  const std::scoped_lock lock{mutex_};
  const auto of = [this](const auto& index, const std::string& key) -> std::optional<LearnedEstimate> {
    const auto found = index.find(key);
    if (found == index.end()) return {};
    std::vector<PastRun> runs;
    for (const auto& run : found->second) {
      if (const auto& past = by_run_.at(run).past) runs.push_back(*past);
    }
    return scheduler::learn(std::move(runs));
  };
  auto learned = of(by_exact_, signature.exact);
  return learned ? learned : of(by_family_, signature.family);
}

void RunEstimates::remember(const std::string& run, const JobSignature& signature) {
  {
    const std::scoped_lock lock{mutex_};
    const auto known = by_run_.find(run);
    if (known != by_run_.end() && known->second.signature == signature) return;
    if (known == by_run_.end()) by_run_[run].signature = signature;
  }
  (void)store_.write([run, signature](store::Database& database) {
    const auto stored = store::SignatureRepository{database}.remember(run, signature);
    if (!stored) log::warning("signature_not_stored", {{"run", run}, {"detail", stored.error().detail}});
  });
}

void RunEstimates::take(const scheduler::Run& run) {
  JobSignature signature;
  {
    const std::scoped_lock lock{mutex_};
    const auto known = by_run_.find(run.id);
    if (known == by_run_.end()) return;
    signature = known->second.signature;
  }
  put(run.id, {std::move(signature), scheduler::past_run_of(run)});
}

void RunEstimates::put(const std::string& run, Experience experience) {
  const std::scoped_lock lock{mutex_};
  auto& known = by_run_[run];
  const bool new_teacher = !known.past && experience.past;
  known = std::move(experience);
  if (new_teacher) {
    const JobSignature signature = known.signature;
    add_to(by_exact_, signature.exact, run);
    add_to(by_family_, signature.family, run);
  }
  forget_if_unused(run);
}

/// Only the newest are learned from.
void RunEstimates::add_to(Index& index, const std::string& key, const std::string& run) {
  auto& runs = index[key];
  const auto finished = [this](const std::string& each) {
    const auto& past = by_run_.at(each).past;
    return past ? past->finished : scheduler::Instant::min();
  };
  if (std::find(runs.begin(), runs.end(), run) != runs.end()) return;
  runs.push_back(run);
  std::stable_sort(runs.begin(), runs.end(), [&](const auto& a, const auto& b) { return finished(a) > finished(b); });
  if (runs.size() <= scheduler::LearningRules{}.most_runs) return;
  const std::string oldest = runs.back();
  runs.pop_back();
  if (oldest != run) forget_if_unused(oldest);
}

/// A run that is in no index and has ended teaches nobody.
void RunEstimates::forget_if_unused(const std::string& run) {
  const auto known = by_run_.find(run);
  if (known == by_run_.end()) return;
  const auto in = [&run](const Index& index, const std::string& key) {
    const auto found = index.find(key);
    return found != index.end() && std::find(found->second.begin(), found->second.end(), run) != found->second.end();
  };
  const auto& signature = known->second.signature;
  if (!in(by_exact_, signature.exact) && !in(by_family_, signature.family)) by_run_.erase(known);
}

}  // namespace valle::service::app
