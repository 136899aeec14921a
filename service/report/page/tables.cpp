// SPDX-License-Identifier: Apache-2.0
#include "service/report/page/tables.hpp"

#include <algorithm>

#include "scheduler/units/units.hpp"
#include "service/report/report_json.hpp"
#include "service/report/words.hpp"

namespace valle::service::report {
namespace {

using scheduler::Wide;

/// A table under construction: a heading of its section, columns of text or numbers, rows.
class Table final {
 public:
  Table(std::string_view heading, std::string_view note) {
    text_ = "<section><h2>" + escaped(heading) + "</h2>\n";
    if (!note.empty()) text_ += "<p class=\"faint\">" + escaped(note) + "</p>\n";
    text_ += "<div class=\"wide\"><table>\n<thead><tr>";
  }
  Table& text_column(std::string_view name) { return column(name, "name"); }
  Table& number_column(std::string_view name) { return column(name, "number"); }

  void begin_row() {
    close_head();
    text_ += "<tr>";
    cell_ = 0;
  }
  /// `small`: a second line.
  Table& cell(std::string_view content, std::string_view small = {}) {
    text_ += "<td class=\"" + classes_[cell_++ % classes_.size()] + "\">" + escaped(content);
    if (!small.empty()) text_ += "<br><small>" + escaped(small) + "</small>";
    text_ += "</td>";
    return *this;
  }
  void end_row() { text_ += "</tr>\n"; }
  [[nodiscard]] std::string finished() && {
    close_head();
    return std::move(text_) + "</tbody>\n</table></div></section>\n";
  }

 private:
  Table& column(std::string_view name, std::string_view css_class) {
    text_ += "<th class=\"" + std::string{css_class} + "\" scope=\"col\">" + escaped(name) + "</th>";
    classes_.emplace_back(css_class);
    return *this;
  }
  void close_head() {
    if (!in_head_) return;
    text_ += "</tr></thead>\n<tbody>\n";
    in_head_ = false;
  }

  std::string text_;
  std::vector<std::string> classes_;
  std::size_t cell_ = 0;
  bool in_head_ = true;
};

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) {
    if (part.empty()) continue;
    if (!text.empty()) text += ", ";
    text += part;
  }
  return text;
}

void add_row(Table& table, const NotableRow& row, const Calendar& calendar, const LocalText& local) {
  table.begin_row();
  table.cell(row.id, row.owner)
      .cell(row.site == row.home_site ? row.site : row.site + " (" + row.home_site + ")")
      .cell(local.date(calendar.local_text(row.started)))
      .cell(local.duration(row.wait))
      .cell(local.energy(row.energy.base()))
      .cell(local.mass(row.split.real.base()))
      .cell(local.mass(row.split.baseline.base()))
      .cell(local.mass(row.split.saved().base()), local.percent(row.split.saved().base(), row.split.baseline.base()));
  table.end_row();
}

}  // namespace

Calendar calendar_of(const WeeklyReport& report) {
  auto calendar = Calendar::of(report.time_zone);
  scheduler::require(calendar.has_value(), "a report's time zone is known");
  return *std::move(calendar);
}

std::string owner_table(const WeeklyReport& report, const LocalText& local) {
  constexpr std::size_t most = 200;
  const Words& words = local.words();
  if (report.sums.groups().empty()) return {};
  std::vector<std::pair<std::string_view, const scheduler::Totals*>> owners;
  for (const auto& [name, totals] : report.sums.groups()) owners.emplace_back(name, &totals);
  std::stable_sort(owners.begin(), owners.end(),
                   [](const auto& a, const auto& b) { return a.second->facility.base() > b.second->facility.base(); });
  Table table{words.owners, {}};
  table.text_column(words.owner).number_column(words.jobs).number_column(words.shifted).number_column(words.mean_wait);
  table.number_column(words.energy)
      .number_column(words.emitted)
      .number_column(words.baseline)
      .number_column(words.saved);
  for (const auto& [name, totals] : std::span{owners}.first(std::min(most, owners.size()))) {
    const bool assessed = totals->jobs > totals->not_assessed;
    const auto mass = [&](Wide value) { return assessed ? local.mass(value) : std::string{"–"}; };
    table.begin_row();
    table.cell(name.empty() ? words.no_owner : name)
        .cell(local.count(totals->jobs), totals->not_assessed > 0 ? local.count(totals->jobs - totals->not_assessed) +
                                                                        " " + std::string{words.assessed}
                                                                  : std::string{})
        .cell(local.count(totals->shifted))
        .cell(local.duration(totals->mean_wait()))
        .cell(local.energy(totals->facility.base()))
        .cell(mass(totals->real.base()))
        .cell(mass(totals->baseline.base()))
        .cell(mass(totals->saved().base()),
              assessed ? local.percent(totals->saved().base(), totals->baseline.base()) : std::string{});
    table.end_row();
  }
  return std::move(table).finished();
}

std::string largest_table(const WeeklyReport& report, const LocalText& local) {
  const Words& words = local.words();
  const WeekPictures& rows = *report.pictures;
  if (rows.most_saved.empty() && rows.most_lost.empty()) return {};
  const Calendar calendar = calendar_of(report);
  Table table{words.largest, words.largest_note};
  table.text_column(words.job).text_column(words.site).text_column(words.started).number_column(words.wait);
  table.number_column(words.energy)
      .number_column(words.emitted)
      .number_column(words.baseline)
      .number_column(words.saved);
  for (const NotableRow& row : rows.most_saved) add_row(table, row, calendar, local);
  for (const NotableRow& row : rows.most_lost) add_row(table, row, calendar, local);
  return std::move(table).finished();
}

std::string inventory_table(const WeeklyReport& report, const LocalText& local) {
  const Words& words = local.words();
  Table table{words.inventory, words.inventory_note};
  table.text_column(words.site_alone).text_column(words.zone).number_column(words.energy);
  table.number_column(words.location_based).number_column(words.market_based).text_column(words.factor);
  bool any = false;
  for (std::size_t i = 0; i < report.grid.sites.size() && i < report.sums.inventory().size(); ++i) {
    const SiteOfReport& site = report.grid.sites[i];
    const scheduler::SiteInventory& sums = report.sums.inventory()[i];
    if (sums.facility.base() == 0) continue;
    any = true;
    const auto market = market_based(site, sums);
    const bool all_missing = sums.without_intensity == sums.facility;
    table.begin_row();
    table.cell(site.name)
        .cell(report.grid.zones[site.zone].zone.name())
        .cell(local.energy(sums.facility.base()))
        .cell(all_missing ? std::string{"–"} : local.mass(sums.location_based.base()),
              sums.without_intensity.base() > 0
                  ? filled(words.without_intensity, {local.energy(sums.without_intensity.base())})
                  : std::string{})
        .cell(market ? local.mass(*market) : std::string{"–"})
        .cell(site.market ? local.number(site.market->value.base(), 3, 1) + " g/kWh" : std::string{words.no_factor},
              site.market ? joined({site.market->instrument, site.market->source,
                                    site.market->year > 0 ? std::to_string(site.market->year) : std::string{}})
                          : std::string{});
    table.end_row();
  }
  return any ? std::move(table).finished() : std::string{};
}

std::string coverage_table(const WeeklyReport& report, const LocalText& local) {
  const Words& words = local.words();
  const scheduler::Coverage& coverage = report.sums.coverage();
  if (coverage.seconds == 0) return {};
  Table table{words.coverage, {}};
  table.text_column({}).number_column(words.measured).number_column(words.estimated).number_column(words.fallback);
  table.number_column(words.missing);
  const Wide known = Wide{coverage.measured_seconds} + coverage.estimated_seconds;
  table.begin_row();
  table.cell(words.coverage_energy)
      .cell(local.percent(coverage.measured_seconds, coverage.seconds))
      .cell(local.percent(coverage.estimated_seconds, coverage.seconds))
      .cell("–")
      .cell(local.percent(coverage.seconds - known, coverage.seconds));
  table.end_row();
  const Wide all = coverage.priced.base() + coverage.without_intensity.base();
  table.begin_row();
  table.cell(words.coverage_intensity)
      .cell(local.percent(coverage.priced.base() - coverage.estimated_intensity.base() - coverage.fallback.base(), all))
      .cell(local.percent(coverage.estimated_intensity.base(), all))
      .cell(local.percent(coverage.fallback.base(), all))
      .cell(local.percent(coverage.without_intensity.base(), all));
  table.end_row();
  return std::move(table).finished();
}

std::string method_table(const WeeklyReport& report, const LocalText& local) {
  const Words& words = local.words();
  Table table{words.method, {}};
  table.text_column(words.data).text_column({});
  const scheduler::Accounting& accounting = report.grid.accounting;
  const std::string identity =
      joined({to_text(accounting.scope), to_text(accounting.basis), to_text(accounting.method)});
  for (const ZoneOfReport& zone : report.grid.zones) {
    table.begin_row();
    std::string fallback;
    if (zone.fallback) {
      fallback = joined({std::string{words.fallback} + " " + local.number(zone.fallback->value.base(), 3, 1) + " g/kWh",
                         zone.fallback->source, std::to_string(zone.fallback->year)});
    }
    table.cell(zone.zone.name() + ": " + (zone.source.empty() ? std::string{words.missing} : zone.source), fallback)
        .cell(identity, zone.attribution);
    table.end_row();
  }
  for (const auto& [rule, count] : report.measured_by) {
    table.begin_row();
    table
        .cell(std::string{words.energy} + ": " + rule.source + " (" + std::string{to_text(rule.boundary)} + ")",
              "n = " + local.count(count))
        .cell(rule.rule, rule.sampling.count() > 0 ? local.count(rule.sampling.count()) + " s" : std::string{});
    table.end_row();
  }
  for (const SiteOfReport& site : report.grid.sites) {
    table.begin_row();
    table.cell("PUE: " + site.name).cell(local.number(site.pue.base(), 6, 2));
    table.end_row();
  }
  return std::move(table).finished();
}

}  // namespace valle::service::report
