// SPDX-License-Identifier: Apache-2.0
#include "service/report/weekly_report.hpp"

#include <algorithm>
#include <utility>

#include "scheduler/account/profile.hpp"
#include "service/report/fingerprint.hpp"
#include "service/store/run_repository.hpp"

namespace valle::service::report {
namespace {

using scheduler::Duration;
using scheduler::Energy;
using scheduler::Instant;
using scheduler::Interval;
using scheduler::ReportRow;
using scheduler::Result;
using scheduler::Run;
using scheduler::RunAccount;

constexpr Duration k_hour = std::chrono::hours{1};

void add_to(Fingerprint& fingerprint, const ReportRow& row) {
  const RunAccount& account = row.account;
  fingerprint.add(row.run.id);
  fingerprint.add(row.run.owner);
  fingerprint.add(static_cast<std::int64_t>(account.assessment));
  fingerprint.add(row.run.finished->time_since_epoch().count());
  if (account.energy) fingerprint.add(account.energy->energy.base());
  if (account.facility) fingerprint.add(account.facility->base());
  if (account.cost) fingerprint.add(account.cost->base());
  if (!account.split) return;
  fingerprint.add(account.split->baseline.base());
  fingerprint.add(account.split->later.base());
  fingerprint.add(account.split->elsewhere.base());
  fingerprint.add(account.split->real.base());
  fingerprint.add(account.uncertainty->both.base());
  fingerprint.add(account.real->estimated.base());
  fingerprint.add(account.real->fallback.base());
}

/// What the inventory multiplies with.
void add_to(Fingerprint& fingerprint, const ReportGrid& grid) {
  for (const auto& site : grid.sites) {
    if (site.market) fingerprint.add(site.market->value.base());
  }
}

/// Spreads each slice over the hours of the week.
class HourPicture {
 public:
  HourPicture(Interval week, std::size_t sites, WeekPictures& pictures) : week_{week}, pictures_{pictures} {
    const auto hours = static_cast<std::size_t>((week.length() + k_hour - Duration{1}) / k_hour);
    pictures.energy_by_hour.assign(sites, std::vector<scheduler::Sum<scheduler::EnergyTag>>(hours));
  }

  void add(const ReportRow& row) {
    if (!row.account.energy || row.account.sites.empty()) return;
    const auto profile = scheduler::measured_profile(row.run, row.account.energy->boundary);
    for (std::size_t i = 0; i < profile.size() && i < row.account.sites.size(); ++i) {
      for (const auto& slice : profile[i].slices) spread(slice, row.account.sites[i].site);
    }
  }

 private:
  void spread(const scheduler::EnergySlice& slice, std::size_t site) {
    const Interval inside = slice.interval.overlap(week_);
    if (inside.empty()) return;
    auto& hours = pictures_.energy_by_hour[site];
    for (auto hour = (inside.begin - week_.begin) / k_hour; week_.begin + hour * k_hour < inside.end; ++hour) {
      const Interval of_hour{week_.begin + hour * k_hour, week_.begin + (hour + 1) * k_hour};
      const Duration part = inside.overlap(of_hour).length();
      hours[static_cast<std::size_t>(hour)] += Energy::of_base(scheduler::narrow(scheduler::divide_rounded(
          scheduler::Wide{slice.energy.base()} * part.count(), slice.interval.length().count())));
    }
  }

  Interval week_;
  WeekPictures& pictures_;
};

void add_to_days(const WeeklyReport& report, const ReportRow& row, WeekPictures& pictures) {
  for (std::size_t day = 0; day < report.days.size(); ++day) {
    if (!report.days[day].contains(*row.run.finished)) continue;
    ++pictures.jobs_by_day[day];
    if (row.account.split) pictures.saved_by_day[day] += row.account.split->saved();
  }
}

void add_to_waits(const ReportRow& row, WeekPictures& pictures) {
  if (!row.run.start_by) return;
  const Duration allowed = *row.run.start_by - row.run.submitted;
  const bool missed = row.started() > *row.run.start_by;
  const auto tenth = allowed.count() <= 0 ? 0 : std::min<std::int64_t>(9, row.wait().count() * 10 / allowed.count());
  ++pictures.waits[missed ? 10 : static_cast<std::size_t>(tenth)];
}

NotableRow notable(const ReportRow& row) {
  return {.id = row.run.name,
          .owner = row.run.owner,
          .home_site = row.run.home_site,
          .site = row.run.attempts.back().site,
          .started = row.started(),
          .wait = row.wait(),
          .energy = row.account.energy->energy,
          .split = *row.account.split};
}

/// Keeps the first rows of `better`'s order; equal ones as they came.
template <class Better>
void offer(std::vector<NotableRow>& kept, const ReportRow& row, Better better) {
  const scheduler::Emissions saved = row.account.split->saved();
  const bool full = kept.size() == k_notable_rows;
  if (full && !better(saved, kept.back().split.saved())) return;
  if (full) kept.pop_back();
  const auto behind = [&](const NotableRow& each) { return better(saved, each.split.saved()); };
  kept.insert(std::find_if(kept.begin(), kept.end(), behind), notable(row));
}

void add_to_notable(const ReportRow& row, WeekPictures& pictures) {
  if (!row.account.split) return;
  const auto sign = row.account.split->saved().base();
  if (sign > 0) offer(pictures.most_saved, row, std::greater<>{});
  if (sign < 0) offer(pictures.most_lost, row, std::less<>{});
}

/// Feeds everything that a report says beside its rows.
class Gathering {
 public:
  explicit Gathering(WeeklyReport& report, Pictures pictures) : report_{report} {
    add_to(fingerprint_, report.grid);
    if (pictures == Pictures::without) return;
    report.pictures.emplace();
    report.pictures->saved_by_day.resize(report.days.size());
    report.pictures->jobs_by_day.resize(report.days.size());
    hours_.emplace(report.bounds, report.grid.sites.size(), *report.pictures);
  }

  /// Every row of the week.
  void see(const ReportRow& row) {
    add_to(fingerprint_, row);
    report_.whole.add(row);
    const Instant first = std::min(row.run.submitted, row.started());
    report_.needed.begin = seen_ ? std::min(report_.needed.begin, first) : first;
    report_.needed.end = seen_ ? std::max(report_.needed.end, *row.run.finished) : *row.run.finished;
    seen_ = true;
  }

  /// The rows that are asked for.
  void add(const ReportRow& row) {
    report_.sums.add(row);
    const RunAccount& account = row.account;
    if (account.assessment != scheduler::Assessment::assessed) ++report_.not_assessed[account.assessment];
    if (account.modelled) ++report_.modelled;
    if (account.energy) add_measured(row.run, *account.energy);
    if (!report_.pictures) return;
    hours_->add(row);
    add_to_days(report_, row, *report_.pictures);
    add_to_waits(row, *report_.pictures);
    add_to_notable(row, *report_.pictures);
  }

  [[nodiscard]] std::int64_t fingerprint() const { return fingerprint_.value(); }

 private:
  void add_measured(const Run& run, const scheduler::RunEnergy& energy) {
    if (energy.notes > 0) ++report_.with_notes;
    if (!energy.complete) ++report_.incomplete;
    for (const auto& attempt : run.attempts) {
      const auto* figure = scheduler::figure_of(attempt, energy.boundary);
      if (figure == nullptr) continue;
      // Nearly all figures of a week are alike: the last one's entry is looked at first.
      if (last_ == nullptr || !is(*last_, *figure)) last_ = entry_of(*figure);
      if (last_ != nullptr) ++last_->second;
    }
  }

  using Entry = std::pair<const MeasuredBy, std::int64_t>;
  static bool is(const Entry& entry, const scheduler::EnergyFigure& figure) {
    return entry.first.boundary == figure.boundary && entry.first.source == figure.source &&
           entry.first.rule == figure.method && entry.first.sampling == figure.sampling;
  }
  Entry* entry_of(const scheduler::EnergyFigure& figure) {
    MeasuredBy rule{figure.boundary, figure.source, figure.method, figure.sampling};
    if (report_.measured_by.size() >= k_most_rules && !report_.measured_by.contains(rule)) return nullptr;
    return &*report_.measured_by.try_emplace(std::move(rule), 0).first;
  }

  WeeklyReport& report_;
  Fingerprint fingerprint_;
  std::optional<HourPicture> hours_;
  Entry* last_ = nullptr;
  bool seen_ = false;
};

}  // namespace

Result<WeeklyReport> make_report(store::Database& database, const Calendar& calendar, ReportGrid grid,
                                 const ReportQuestion& question, std::optional<std::int64_t> ledger,
                                 const TakeRow& take) {
  store::RunRepository repository{database};
  if (!ledger) {
    const auto state = repository.state();
    if (!state) return tl::unexpected{state.error()};
    ledger = *state;
  }
  WeeklyReport report;
  report.week = question.week;
  report.time_zone = calendar.time_zone();
  report.bounds = calendar.bounds(question.week);
  report.days = calendar.days(question.week);
  report.owner = question.owner;
  report.grid = std::move(grid);
  report.sums = scheduler::WeekSums{report.grid.sites.size()};
  report.ledger = *ledger;
  const GridSites sites{report.grid};
  const auto lookup = sites.lookup();
  Gathering gathering{report, question.pictures};
  const auto read = repository.each_finished(report.bounds, *ledger, [&](store::RunRow& stored) {
    const RunAccount account = scheduler::account_of(stored.run, lookup);
    const ReportRow row{stored.run, account};
    gathering.see(row);
    if (!question.owner || *question.owner == stored.run.owner) {
      gathering.add(row);
      take(row);
    }
    return true;
  });
  if (!read) return tl::unexpected{read.error()};
  report.fingerprint = gathering.fingerprint();
  return report;
}

}  // namespace valle::service::report
