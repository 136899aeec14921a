// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/account/week.hpp"
#include "service/report/iso_week.hpp"
#include "service/report/report_grid.hpp"
#include "service/store/database.hpp"

namespace valle::service::report {

/// How runs were measured, for the method block: by boundary, source and rule.
struct MeasuredBy {
  scheduler::EnergyBoundary boundary;
  std::string source;
  std::string rule;  ///< the figure's method; empty where the source has none
  std::chrono::seconds sampling{};
  friend auto operator<=>(const MeasuredBy&, const MeasuredBy&) = default;
};

/// A row that a page shows.
struct NotableRow {
  std::string id;
  std::string owner;
  std::string home_site;
  std::string site;
  scheduler::Instant started{};
  scheduler::Duration wait{};
  scheduler::Energy energy;
  scheduler::Split split;
};
inline constexpr std::size_t k_notable_rows = 10;

/// For the pages that people read.
struct WeekPictures {
  /// Energy at the building's meter by hour of the week and site; what lies outside the week is left out.
  std::vector<std::vector<scheduler::Sum<scheduler::EnergyTag>>> energy_by_hour;  ///< [site][hour]
  std::vector<scheduler::Sum<scheduler::EmissionsTag>> saved_by_day;              ///< by day of the end; seven
  std::vector<std::int64_t> jobs_by_day;
  /// Assessed runs with a deadline by the share of the allowed wait that they used: ten tenths, then those that missed.
  std::vector<std::int64_t> waits = std::vector<std::int64_t>(11);
  std::vector<NotableRow> most_saved = {};  ///< the largest savings, largest first
  std::vector<NotableRow> most_lost = {};   ///< the largest losses, largest first
};

/// A week's report without its rows, which are too many to keep: see `TakeRow`.
struct WeeklyReport {
  IsoWeek week;
  std::string time_zone;
  scheduler::Interval bounds;
  std::vector<scheduler::Interval> days;
  std::int64_t revision = 0;  ///< 0: not kept yet
  scheduler::Instant made_at{};
  std::optional<std::string> owner = {};  ///< only this one's rows
  ReportGrid grid;
  scheduler::WeekSums sums{0};
  std::map<MeasuredBy, std::int64_t> measured_by;  ///< how many figures; at most `k_most_rules` entries
  std::map<scheduler::Assessment, std::int64_t> not_assessed;
  std::int64_t modelled = 0;    ///< runs whose profile without a cap follows from their owner's word
  std::int64_t with_notes = 0;  ///< runs whose figures carry remarks
  std::int64_t incomplete = 0;  ///< runs whose source said that parts of its answer may be missing
  std::optional<WeekPictures> pictures = {};
  scheduler::Totals whole = {};  ///< of every row of the week, whatever the owner asked for
  std::int64_t ledger = 0;       ///< state of the ledger
  std::int64_t fingerprint = 0;  ///< of every number of the whole week, whatever the owner asked for
  scheduler::Interval needed{};  ///< from the first submission to the last end: the hours that its numbers rest on
  bool as_stored = true;         ///< false: made again from an earlier state, it gave other numbers than then

  [[nodiscard]] std::optional<std::int64_t> supersedes() const {
    return revision > 1 ? std::optional{revision - 1} : std::nullopt;
  }
};

inline constexpr std::size_t k_most_rules = 200;

/// Gets each row as it is made, ascending by end. What it gets lives as long as the call.
using TakeRow = std::function<void(const scheduler::ReportRow& row)>;

enum class Pictures { without, with };

struct ReportQuestion {
  IsoWeek week;
  std::optional<std::string> owner = {};
  Pictures pictures = Pictures::without;
};

/// Makes the report of a week from the ledger as it was at `ledger` (nothing: as it is), hands out its rows, and keeps
/// nothing. Reads in one pass; memory does not grow with rows. In the thread of `database`.
[[nodiscard]] scheduler::Result<WeeklyReport> make_report(store::Database& database, const Calendar& calendar,
                                                          ReportGrid grid, const ReportQuestion& question,
                                                          std::optional<std::int64_t> ledger, const TakeRow& take);

}  // namespace valle::service::report
