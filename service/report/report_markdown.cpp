// SPDX-License-Identifier: Apache-2.0
#include "service/report/report_markdown.hpp"

#include "scheduler/units/require.hpp"
#include "service/report/report_json.hpp"
#include "service/report/texts.hpp"
#include "service/runtime/version.hpp"

namespace valle::service::report {
namespace {

using scheduler::Totals;
using scheduler::Wide;

/// Characters that Markdown gives a meaning, made plain.
std::string plain(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (std::string_view{"\\`*_{}[]<>|#"}.find(c) != std::string_view::npos) safe += '\\';
    safe += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return safe;
}

/// One page in the making.
class Page {
 public:
  Page(const WeeklyReport& report, const Texts& texts) : report_{report}, t_{texts} {}

  std::string take() {
    head();
    totals();
    groups();
    days();
    notable(t_.most_saved, report_.pictures->most_saved);
    notable(t_.most_lost, report_.pictures->most_lost);
    inventory();
    coverage();
    method();
    return std::move(out_);
  }

 private:
  void row(std::initializer_list<std::string> cells) {
    out_ += '|';
    for (const auto& cell : cells) out_ += " " + cell + " |";
    out_ += '\n';
  }
  void table(std::initializer_list<std::string> names) {
    row(names);
    out_ += '|';
    for (std::size_t i = 0; i < names.size(); ++i) out_ += i == 0 ? " --- |" : " ---: |";
    out_ += '\n';
  }
  void title(std::string_view text) { out_ += "\n## " + std::string{text} + "\n\n"; }
  static std::string text(std::string_view view) { return std::string{view}; }

  void head() {
    out_ += "# " + text(t_.title) + " " + format_week(report_.week) + "\n\n";
    out_ += scheduler::format_instant(report_.bounds.begin) + " \u2013 " +
            scheduler::format_instant(report_.bounds.end) + " (" + plain(report_.time_zone) + ") \u00b7 " +
            text(t_.revision) + " " + std::to_string(report_.revision);
    if (const auto old = report_.supersedes()) out_ += ", " + text(t_.supersedes) + " " + std::to_string(*old);
    out_ += " \u00b7 " + text(t_.made_at) + " " + scheduler::format_instant(report_.made_at);
    if (report_.owner) out_ += " \u00b7 " + text(t_.only_owner) + " " + plain(*report_.owner);
    out_ += "\n\n" + summary(t_, report_.sums.totals()) + "\n";
  }

  void totals() {
    const Totals& totals = report_.sums.totals();
    out_ += '\n';
    table({" ", " "});
    row({text(t_.jobs), std::to_string(totals.jobs) + " (" + std::to_string(totals.shifted) + " " + text(t_.shifted) +
                            ", " + std::to_string(totals.not_assessed) + " " + text(t_.not_assessed) + ")"});
    row({text(t_.energy), energy_text(t_, totals.energy.base())});
    row({text(t_.facility), energy_text(t_, totals.facility.base())});
    row({text(t_.emitted), emissions_text(t_, totals.real.base())});
    row({text(t_.baseline), emissions_text(t_, totals.baseline.base())});
    row({text(t_.saved),
         emissions_text(t_, totals.saved().base()) + " \u00b1 " + emissions_text(t_, totals.uncertainty.base())});
    row({"\u2014 " + text(t_.by_time), emissions_text(t_, totals.by_time.base())});
    row({"\u2014 " + text(t_.by_place), emissions_text(t_, totals.by_place.base())});
    row({"\u2014 " + text(t_.by_efficiency), emissions_text(t_, totals.by_efficiency.base())});
    row({text(t_.deadlines_met), std::to_string(totals.deadlines_met) + " (" + std::to_string(totals.deadlines_missed) +
                                     " " + text(t_.missed) + ")"});
    row({text(t_.mean_wait), wait_text(totals.mean_wait())});
  }

  void groups() {
    title(t_.by_owner);
    table({text(t_.owner), text(t_.jobs), text(t_.energy), text(t_.emitted), text(t_.baseline), text(t_.saved), "%"});
    for (const auto& [owner, totals] : report_.sums.groups()) {
      row({owner.empty() ? text(t_.no_name) : plain(owner), std::to_string(totals.jobs),
           energy_text(t_, totals.energy.base()), emissions_text(t_, totals.real.base()),
           emissions_text(t_, totals.baseline.base()), emissions_text(t_, totals.saved().base()),
           percent_text(t_, totals.saved().base(), totals.baseline.base())});
    }
  }

  void days() {
    title(t_.by_day);
    table({" ", text(t_.jobs), text(t_.saved)});
    for (std::size_t day = 0; day < report_.days.size(); ++day) {
      row({text(t_.days[day]), std::to_string(report_.pictures->jobs_by_day[day]),
           emissions_text(t_, report_.pictures->saved_by_day[day].base())});
    }
  }

  void notable(std::string_view name, const std::vector<NotableRow>& rows) {
    if (rows.empty()) return;
    title(name);
    table({text(t_.job), text(t_.owner), text(t_.home), text(t_.site), text(t_.wait), text(t_.energy), text(t_.saved)});
    for (const NotableRow& each : rows) {
      row({plain(each.id), plain(each.owner), plain(each.home_site), plain(each.site), wait_text(each.wait),
           energy_text(t_, each.energy.base()), emissions_text(t_, each.split.saved().base())});
    }
  }

  void inventory() {
    title(t_.inventory);
    table({text(t_.site), text(t_.zone), "MWh", text(t_.location_based), text(t_.market_based)});
    for (std::size_t i = 0; i < report_.grid.sites.size(); ++i) {
      const SiteOfReport& site = report_.grid.sites[i];
      const auto& sums = report_.sums.inventory()[i];
      if (sums.facility.base() == 0) continue;
      const auto market = market_based(site, sums);
      row({plain(site.name), report_.grid.zones[site.zone].zone.name(), number_text(t_, sums.facility.base(), 9, 6),
           emissions_text(t_, sums.location_based.base()), market ? emissions_text(t_, *market) : text(t_.not_given)});
    }
    out_ += "\n" + text(t_.inventory_note) + "\n";
  }

  void coverage() {
    const scheduler::Coverage& c = report_.sums.coverage();
    const Wide all = c.priced.base() + c.without_intensity.base();
    const Wide measured = c.priced.base() - c.estimated_intensity.base() - c.fallback.base();
    title(t_.coverage);
    table({" ", text(t_.measured), text(t_.estimated), text(t_.fallback), text(t_.unknown)});
    row({text(t_.energy_seconds), percent_text(t_, c.measured_seconds, c.seconds),
         percent_text(t_, c.estimated_seconds, c.seconds), "\u2013",
         percent_text(t_, c.seconds - c.measured_seconds - c.estimated_seconds, c.seconds)});
    row({text(t_.intensity_energy), percent_text(t_, measured, all),
         percent_text(t_, c.estimated_intensity.base(), all), percent_text(t_, c.fallback.base(), all),
         percent_text(t_, c.without_intensity.base(), all)});
  }

  void method() {
    title(t_.method);
    for (const auto line :
         {t_.method_baseline, t_.method_split, t_.method_realised, t_.method_boundary, t_.method_uncertainty}) {
      out_ += "- " + text(line) + "\n";
    }
    for (const ZoneOfReport& zone : report_.grid.zones) {
      if (zone.source.empty()) continue;
      out_ += "- " + zone.zone.name() + ": " + plain(zone.source) + " (" +
              std::string{to_text(report_.grid.accounting.scope)} + ", " +
              std::string{to_text(report_.grid.accounting.basis)} + ")";
      if (!zone.attribution.empty()) out_ += ", " + plain(zone.attribution);
      out_ += "\n";
    }
    out_ += "\n" + text(t_.footer) + " (valle " + std::string{runtime::version()} + ")\n";
  }

  const WeeklyReport& report_;
  const Texts& t_;
  std::string out_;
};

}  // namespace

std::string to_markdown(const WeeklyReport& report, Language language) {
  scheduler::require(report.pictures.has_value(), "a page is made of a report with pictures");
  return Page{report, texts(language)}.take();
}

}  // namespace valle::service::report
