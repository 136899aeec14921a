// SPDX-License-Identifier: Apache-2.0
#include "service/cluster/seen_job.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "k8s/api/names.hpp"
#include "k8s/reconcile/telling.hpp"

namespace valle::service::cluster {
namespace {

namespace names = k8s::names;

constexpr int k_bits_below_the_second = 20;

/// Seconds of creation, and among those of one second the uid's hash (FNV-1a): alike on every replica.
std::int64_t sequence_of(const k8s::ObjectMeta& meta) {
  std::uint32_t hash = 2'166'136'261U;
  for (const char c : meta.uid) hash = (hash ^ static_cast<unsigned char>(c)) * 16'777'619U;
  const auto second = meta.created_at.value_or(scheduler::Instant{}).time_since_epoch().count();
  return (std::max<std::int64_t>(0, second) << k_bits_below_the_second) | (hash >> (32 - k_bits_below_the_second));
}

std::optional<scheduler::Emissions> planned_emissions(const k8s::ObjectMeta& meta) {
  const auto text = meta.annotation(names::k_planned_grams);
  const double grams = text ? std::strtod(text->c_str(), nullptr) : -1;
  if (!(grams >= 0 && grams < 1e12)) return {};
  return scheduler::Emissions::of_base(std::llround(grams * 1000));
}

std::optional<app::JobSlot> told_slot(const HeldObject& object, const app::Job& job,
                                      std::span<const runtime::SiteConfig> sites) {
  const auto told = k8s::remembered(object.meta);
  const auto name = site_of_region(told.planned_region, sites);
  if (!told.planned_start || !name) return {};
  const auto site = std::find_if(sites.begin(), sites.end(), [&](const auto& each) { return each.name == *name; });
  return app::JobSlot{
      .site = *name,
      .zone = site->zone,
      .segments = {{*told.planned_start, *told.planned_start + job.request.duration.value_or(scheduler::Duration{0})}},
      .emissions = planned_emissions(object.meta)};
}

}  // namespace

std::optional<app::Job> seen_job(const HeldObject& object, std::span<const runtime::SiteConfig> sites,
                                 const ReadingRules& rules, scheduler::Instant now) {
  const auto told = k8s::remembered(object.meta);
  if (!object.held && !told.start_by && !told.released_at) return {};
  auto read = read_job(object, sites, rules);
  if (!read) return {};
  read->slot = told_slot(object, *read, sites);
  app::Job job = advanced(*std::move(read), object, sites, rules, now);
  job.sequence = sequence_of(object.meta);
  if (auto reason = object.meta.annotation(names::k_reason)) job.reason = *std::move(reason);
  return job;
}

}  // namespace valle::service::cluster
