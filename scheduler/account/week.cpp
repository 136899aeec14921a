// SPDX-License-Identifier: Apache-2.0
#include "scheduler/account/week.hpp"

#include <algorithm>

namespace valle::scheduler {
namespace {

/// The entry of `name`, or the one that latecomers share once there are too many.
template <class Value>
Value& entry(std::map<std::string, Value, std::less<>>& entries, std::string_view name) {
  if (const auto found = entries.find(name); found != entries.end()) return found->second;
  const auto kept = entries.size() < k_most_groups ? name : k_other_owners;
  return entries[std::string{kept}];
}

Duration run_time(const Run& run) {
  Duration time{0};
  for (const Attempt& attempt : run.attempts) time += attempt.ran.length();
  return time;
}

}  // namespace

bool ReportRow::ran_away_from_home() const {
  return std::any_of(run.attempts.begin(), run.attempts.end(),
                     [this](const Attempt& attempt) { return attempt.site != run.home_site && !attempt.ran.empty(); });
}

Duration Totals::mean_wait() const { return Duration{jobs == 0 ? 0 : narrow(divide_rounded(wait_seconds, jobs))}; }

void Totals::add(const ReportRow& row) {
  ++jobs;
  if (row.shifted()) ++shifted;
  wait_seconds += row.wait().count();
  if (row.run.start_by) ++(row.started() <= *row.run.start_by ? deadlines_met : deadlines_missed);
  if (row.account.energy) energy += row.account.energy->energy;
  if (row.account.facility) facility += *row.account.facility;
  if (row.account.cost) {
    cost += *row.account.cost;
    ++costed;
  }
  if (!row.account.split) {
    ++not_assessed;
    return;
  }
  const Split& split = *row.account.split;
  real += split.real;
  baseline += split.baseline;
  by_time += split.by_time();
  by_place += split.by_place();
  by_efficiency += split.by_efficiency();
  if (row.run.planned_saved) {
    planned_saved += *row.run.planned_saved;
    ++planned;
  }
  uncertainty += row.account.uncertainty->both;
  energy_uncertainty += row.account.uncertainty->energy;
  intensity_uncertainty += row.account.uncertainty->intensity;
}

void Coverage::add(const ReportRow& row) {
  const std::int64_t time = run_time(row.run).count();
  seconds += time;
  if (!row.account.energy) return;
  const RunEnergy& energy = *row.account.energy;
  const std::int64_t covered = std::clamp<std::int64_t>(energy.covered.count(), 0, time);
  (energy.quality == EnergyQuality::measured ? measured_seconds : estimated_seconds) += covered;
  if (!row.account.real) {
    without_intensity += energy.energy;
    return;
  }
  priced += row.account.real->energy;
  estimated_intensity += row.account.real->estimated;
  fallback += row.account.real->fallback;
}

void WeekSums::add(const ReportRow& row) {
  totals_.add(row);
  entry(groups_, row.run.owner).add(row);
  coverage_.add(row);
  for (const SiteShare& share : row.account.sites) {
    SiteInventory& site = inventory_[share.site];
    site.facility += share.facility;
    if (share.emissions) {
      site.location_based += *share.emissions;
    } else {
      site.without_intensity += share.facility;
    }
  }
  add_to_label(row);
}

void WeekSums::add_to_label(const ReportRow& row) {
  LabelSums& label = entry(labels_, row.run.label);
  ++label.runs;
  if (row.run.gpus) {
    label.gpu_milliseconds += Wide{row.run.gpus->base()} * run_time(row.run).count();
  } else {
    ++label.without_gpus;
  }
  if (!row.account.energy) {
    ++label.without_energy;
    return;
  }
  (row.account.energy->quality == EnergyQuality::measured ? label.measured : label.estimated) +=
      row.account.energy->energy;
  if (row.account.facility) label.facility += *row.account.facility;
  for (const SiteShare& share : row.account.sites) {
    if (share.emissions) label.location_based += *share.emissions;
  }
}

}  // namespace valle::scheduler
