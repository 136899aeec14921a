// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/account/split.hpp"
#include "scheduler/account/sums.hpp"

namespace valle::scheduler {

/// A start within so many seconds of submission is a start at once: pods need some time.
inline constexpr Duration k_at_once = std::chrono::seconds{60};
/// The most owners with a group of their own; what comes later shares one.
inline constexpr std::size_t k_most_groups = 10'000;
inline constexpr std::string_view k_other_owners = "(others)";

/// One row of the weekly report: a run and its account. Borrowed, valid for one call.
struct ReportRow {
  const Run& run;
  const RunAccount& account;
  [[nodiscard]] Instant started() const {
    return run.attempts.empty() ? run.submitted : run.attempts.front().ran.begin;
  }
  [[nodiscard]] Duration wait() const { return std::max(Duration{0}, started() - run.submitted); }
  [[nodiscard]] bool ran_away_from_home() const;
  /// It waited, or ran elsewhere than at home.
  [[nodiscard]] bool shifted() const { return wait() > k_at_once || ran_away_from_home(); }
};

/// Sums over rows. Energy: all rows that know theirs. Emissions: assessed rows only.
struct Totals {
  std::int64_t jobs = 0;
  std::int64_t shifted = 0;
  std::int64_t not_assessed = 0;
  Sum<EnergyTag> energy, facility;
  Sum<EmissionsTag> real, baseline, by_time, by_place, by_efficiency;
  Sum<EmissionsTag> planned_saved;  ///< of assessed rows whose plan promised something
  std::int64_t planned = 0;         ///< how many these are
  std::int64_t deadlines_met = 0, deadlines_missed = 0;
  Sum<EmissionsTag> uncertainty, energy_uncertainty, intensity_uncertainty;  ///< of rows, added: the careful way
  std::int64_t wait_seconds = 0;
  Sum<MoneyTag> cost;       ///< of rows that know theirs
  std::int64_t costed = 0;  ///< how many these are
  [[nodiscard]] Sum<EmissionsTag> saved() const { return baseline - real; }
  [[nodiscard]] Duration mean_wait() const;
  void add(const ReportRow& row);
  friend bool operator==(const Totals&, const Totals&) = default;
};

/// How much of what rests on what.
struct Coverage {
  // By the runs' seconds.
  std::int64_t seconds = 0, measured_seconds = 0, estimated_seconds = 0;
  // By energy before PUE, of runs whose hours have an intensity, and of those whose hours lack one.
  Sum<EnergyTag> priced, estimated_intensity, fallback, without_intensity;
  void add(const ReportRow& row);
  friend bool operator==(const Coverage&, const Coverage&) = default;
};

/// The inventory of one site: what was used and emitted there, whatever it would have been elsewhere.
struct SiteInventory {
  Sum<EnergyTag> facility;
  Sum<EmissionsTag> location_based;
  Sum<EnergyTag> without_intensity;  ///< of `facility`: hours without realised intensity, not in `location_based`
  friend bool operator==(const SiteInventory&, const SiteInventory&) = default;
};

/// Everything that a report says beside its rows. Fed row by row; needs memory for groups and sites only.
class WeekSums final {
 public:
  /// `sites` as many as `SiteOfAccount::number` counts.
  explicit WeekSums(std::size_t sites) : inventory_(sites) {}
  void add(const ReportRow& row);

  [[nodiscard]] const Totals& totals() const { return totals_; }
  /// One partition of the rows, by owner.
  [[nodiscard]] const std::map<std::string, Totals, std::less<>>& groups() const { return groups_; }
  [[nodiscard]] const Coverage& coverage() const { return coverage_; }
  [[nodiscard]] const std::vector<SiteInventory>& inventory() const { return inventory_; }
  /// By label, for exports: energy at the building's meter and accelerator hours.
  struct LabelSums {
    std::int64_t runs = 0;
    Sum<EnergyTag> measured, estimated;  ///< before PUE
    Sum<EnergyTag> facility;
    Sum<EmissionsTag> location_based;
    Wide gpu_milliseconds = 0;  ///< seconds times thousandths of an accelerator
    std::int64_t without_gpus = 0;
    std::int64_t without_energy = 0;
    friend bool operator==(const LabelSums&, const LabelSums&) = default;
  };
  [[nodiscard]] const std::map<std::string, LabelSums, std::less<>>& labels() const { return labels_; }

 private:
  void add_to_label(const ReportRow& row);

  Totals totals_;
  std::map<std::string, Totals, std::less<>> groups_;
  Coverage coverage_;
  std::vector<SiteInventory> inventory_;
  std::map<std::string, LabelSums, std::less<>> labels_;
};

}  // namespace valle::scheduler
