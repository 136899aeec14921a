// SPDX-License-Identifier: Apache-2.0
#include "k8s/estimate/estimate.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "k8s/api/names.hpp"
#include "k8s/api/quantity.hpp"

namespace valle::k8s {
namespace {

using scheduler::Amount;
using scheduler::Duration;
using scheduler::Power;
using scheduler::ResourceDemand;
using scheduler::Wide;

constexpr std::int64_t k_gib = std::int64_t{1} << 30;
constexpr Amount k_most = Amount::of_base(1'000'000'000'000'000);
constexpr Power k_most_power = Power::of_base(1'000'000'000'000);  // 1e9 W, the contract's limit
constexpr std::int64_t k_longest_seconds = std::int64_t{366} * 86'400;

// Labels of nodes that name the model of their accelerators.
constexpr std::array k_board_labels{"nvidia.com/gpu.product", "cloud.google.com/gke-accelerator",
                                    "karpenter.k8s.aws/instance-gpu-name", "amd.com/gpu.product-name"};

std::optional<std::int64_t> whole_number(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

Amount amount_of(std::span<const ResourceDemand> demand, const char* name) {
  const auto found =
      std::find_if(demand.begin(), demand.end(), [name](const auto& each) { return each.resource == name; });
  return found == demand.end() ? Amount{} : found->amount;
}

std::string earlier_runs(std::size_t runs, bool drifted) {
  return (drifted ? "the newest " : "") + std::to_string(runs) + " earlier runs" +
         (drifted ? ", which differ from those before" : "");
}

}  // namespace

std::vector<PodSet> pod_sets_of(const Job& job) {
  return {{job.pods, std::max<std::int64_t>(1, std::min(job.parallelism, job.completions))}};
}

std::vector<PodSet> pod_sets_of(const VolcanoJob& job) {
  std::vector<PodSet> sets;
  for (const auto& task : job.tasks) sets.push_back({task.pods, task.replicas});
  return sets;
}

std::vector<PodSet> pod_sets_of(const JobSet& set) {
  std::vector<PodSet> sets;
  for (const auto& job : set.jobs) {
    const Wide pods = Wide{job.replicas} * job.parallelism;
    sets.push_back({job.pods, static_cast<std::int64_t>(std::min(pods, Wide{INT32_MAX}))});
  }
  return sets;
}

std::optional<ResourceDemand> planned_resource(const std::string& name, Amount amount) {
  if (name == "cpu") return ResourceDemand{"cpu", amount};
  if (name == "memory")
    return ResourceDemand{"memory", Amount::of_base(amount.base() / k_gib + (amount.base() % k_gib > 0))};
  if (name.ends_with("/gpu")) return ResourceDemand{"gpu", amount};
  if (name.find('/') == std::string::npos) return {};
  return ResourceDemand{name, amount};
}

std::vector<ResourceDemand> demand_of(std::span<const PodSet> sets) {
  std::map<std::string, Amount> sums;
  for (const auto& set : sets) {
    for (const auto& [name, amount] : set.pods.requests) {
      const auto planned = planned_resource(name, multiplied(amount, set.count));
      if (!planned) continue;
      auto& sum = sums[planned->resource];
      sum = std::min(k_most, added(sum, planned->amount));
    }
  }
  std::vector<ResourceDemand> demand;
  for (const auto& [name, amount] : sums) {
    if (amount > Amount{}) demand.push_back({name, amount});
  }
  return demand;
}

std::string board_model_of(std::span<const PodSet> sets) {
  std::set<std::string> models;
  for (const auto& set : sets) {
    for (const auto* label : k_board_labels) {
      const auto found = set.pods.node_selector.find(label);
      if (found != set.pods.node_selector.end()) models.insert(found->second);
    }
  }
  return models.size() == 1 ? *models.begin() : std::string{};
}

scheduler::JobSignature signature_of(std::span<const PodSet> sets) {
  std::vector<scheduler::JobSignature> pods;
  for (const auto& set : sets) pods.push_back(set.pods.signature);
  const auto demand = demand_of(sets);
  return scheduler::signature_of(pods, demand, board_model_of(sets));
}

DurationEstimate expected_duration(const CarbonRequest& request, const ObjectMeta& meta,
                                   const std::optional<scheduler::LearnedEstimate>& learned,
                                   std::optional<Duration> active_deadline, Duration otherwise) {
  if (request.expected_duration) return {*request.expected_duration, names::k_expected_duration};
  if (learned) return {learned->planned_run_time, earlier_runs(learned->runs, learned->drifted)};
  const auto label = meta.label(names::k_max_exec_time);
  const auto seconds = label ? whole_number(*label) : std::nullopt;
  if (seconds && *seconds > 0 && *seconds <= k_longest_seconds) return {Duration{*seconds}, names::k_max_exec_time};
  if (active_deadline) return {*active_deadline, "activeDeadlineSeconds"};
  return {otherwise, "the default"};
}

PowerEstimate expected_power(const CarbonRequest& request, const std::optional<scheduler::LearnedEstimate>& learned,
                             std::span<const ResourceDemand> demand, std::string_view board_model,
                             const PowerTable& table) {
  if (request.energy) return {.energy = request.energy, .from = names::k_energy_kwh};
  if (request.power) return {.power = request.power, .from = names::k_power_watts};
  const Amount boards = amount_of(demand, "gpu");
  const auto* used = learned ? scheduler::planned_energy(*learned, boards > Amount{}) : nullptr;
  if (used != nullptr) return {.energy = used->spread.median, .from = earlier_runs(used->runs, used->drifted)};
  const auto prior = scheduler::board_prior(board_model);
  const Wide thousandths = Wide{(prior ? prior->rated : table.per_gpu).base()} * boards.base() +
                           Wide{table.per_core.base()} * amount_of(demand, "cpu").base();
  const Wide milliwatts = std::min(scheduler::divide_rounded(thousandths, 1'000), Wide{k_most_power.base()});
  if (milliwatts <= 0) return {.power = table.per_core, .from = "one core, as it asks for none"};
  return {.power = Power::of_base(scheduler::narrow(milliwatts)),
          .from = prior && boards > Amount{} ? "its requests, boards as rated" : "its requests"};
}

}  // namespace valle::k8s
