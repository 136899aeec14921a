// SPDX-License-Identifier: Apache-2.0
#include "service/report/report_markdown.hpp"

#include "scheduler/units/require.hpp"
#include "service/report/page/local_text.hpp"
#include "service/report/report_json.hpp"
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

std::string text(std::string_view view) { return std::string{view}; }

/// One page in the making.
class Page {
 public:
  Page(const WeeklyReport& report, const Words& words) : report_{report}, w_{words}, local_{words} {}

  std::string take() {
    head();
    totals();
    owners();
    days();
    largest();
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
  void title(std::string_view words) { out_ += "\n## " + text(words) + "\n\n"; }

  void head() {
    out_ += "# " + text(w_.title) + "\n\n" +
            filled(w_.week, {format_week(report_.week), scheduler::format_instant(report_.bounds.begin),
                             scheduler::format_instant(report_.bounds.end), plain(report_.time_zone)}) +
            ". " + filled(w_.revision, {std::to_string(report_.revision)});
    if (const auto old = report_.supersedes()) out_ += ", " + filled(w_.supersedes, {std::to_string(*old)});
    if (report_.owner) out_ += ", " + filled(w_.filter, {plain(*report_.owner)});
    out_ += ".\n\n" + summary() + "\n";
  }

  std::string summary() {
    const Totals& totals = report_.sums.totals();
    if (totals.jobs == 0) return text(w_.nothing_finished);
    if (totals.jobs == totals.not_assessed) return text(w_.nothing_assessed);
    const Wide saved = totals.saved().base();
    const Wide size = saved < 0 ? -saved : saved;
    std::string said = filled(saved < 0 ? w_.summary_lost : w_.summary_saved,
                              {local_.mass(totals.real.base()), local_.mass(totals.baseline.base()), local_.mass(size),
                               local_.percent(size, totals.baseline.base())});
    const std::string both = local_.mass(totals.uncertainty.base());
    said += " " + (size < totals.uncertainty.base()
                       ? filled(w_.not_proven, {both})
                       : filled(w_.uncertainty, {both, local_.mass(totals.energy_uncertainty.base()),
                                                 local_.mass(totals.intensity_uncertainty.base())}));
    if (totals.not_assessed > 0) said += " " + filled(w_.left_out, {local_.count(totals.not_assessed)});
    return said;
  }

  void totals() {
    const Totals& totals = report_.sums.totals();
    out_ += '\n';
    table({" ", " "});
    row({text(w_.saved), local_.mass(totals.saved().base())});
    row({"\u2014 " + text(w_.by_time), local_.mass(totals.by_time.base())});
    row({"\u2014 " + text(w_.by_place), local_.mass(totals.by_place.base())});
    row({"\u2014 " + text(w_.by_efficiency), local_.mass(totals.by_efficiency.base())});
    row({text(w_.planned), local_.mass(totals.planned_saved.base())});
    row({text(w_.emitted), local_.mass(totals.real.base())});
    row({text(w_.baseline), local_.mass(totals.baseline.base())});
    row({text(w_.energy), local_.energy(totals.energy.base())});
    row({text(w_.energy) + ", " + text(w_.at_the_meter), local_.energy(totals.facility.base())});
    if (totals.costed > 0) {
      std::string cost = local_.money(totals.cost.base());
      if (totals.costed < totals.jobs) cost += " (" + text(w_.jobs) + ": " + local_.count(totals.costed) + ")";
      row({text(w_.cost), cost});
    }
    row({text(w_.jobs), local_.count(totals.jobs)});
    row({"\u2014 " + text(w_.shifted), local_.count(totals.shifted)});
    row({text(w_.deadlines),
         local_.count(totals.deadlines_missed) + " " +
             filled(w_.deadlines_met, {local_.count(totals.deadlines_met + totals.deadlines_missed)})});
    row({text(w_.mean_wait), local_.duration(totals.mean_wait())});
  }

  void owners() {
    title(w_.owners);
    table({text(w_.owner), text(w_.jobs), text(w_.assessed), text(w_.energy), text(w_.emitted), text(w_.baseline),
           text(w_.saved), text(w_.saved_share)});
    for (const auto& [owner, totals] : report_.sums.groups()) {
      row({owner.empty() ? text(w_.no_owner) : plain(owner), local_.count(totals.jobs),
           local_.count(totals.jobs - totals.not_assessed), local_.energy(totals.energy.base()),
           local_.mass(totals.real.base()), local_.mass(totals.baseline.base()), local_.mass(totals.saved().base()),
           local_.percent(totals.saved().base(), totals.baseline.base())});
    }
  }

  void days() {
    title(w_.day_picture);
    table({" ", text(w_.jobs), text(w_.saved)});
    for (std::size_t day = 0; day < report_.days.size(); ++day) {
      row({text(w_.weekdays[day]), local_.count(report_.pictures->jobs_by_day[day]),
           local_.mass(report_.pictures->saved_by_day[day].base())});
    }
  }

  void largest() {
    const WeekPictures& pictures = *report_.pictures;
    if (pictures.most_saved.empty() && pictures.most_lost.empty()) return;
    title(w_.largest);
    table({text(w_.job), text(w_.owner), text(w_.site), text(w_.wait), text(w_.energy), text(w_.saved)});
    for (const auto* rows : {&pictures.most_saved, &pictures.most_lost}) {
      for (const NotableRow& each : *rows) {
        row({plain(each.id), plain(each.owner), plain(each.site) + " (" + plain(each.home_site) + ")",
             local_.duration(each.wait), local_.energy(each.energy.base()), local_.mass(each.split.saved().base())});
      }
    }
  }

  void inventory() {
    title(w_.inventory);
    table({text(w_.site), text(w_.zone), "MWh", text(w_.location_based), text(w_.market_based)});
    for (std::size_t i = 0; i < report_.grid.sites.size(); ++i) {
      const SiteOfReport& site = report_.grid.sites[i];
      const auto& sums = report_.sums.inventory()[i];
      if (sums.facility.base() == 0) continue;
      const auto market = market_based(site, sums);
      std::string location = local_.mass(sums.location_based.base());
      if (sums.without_intensity.base() > 0) {
        location += " (" + filled(w_.without_intensity, {local_.energy(sums.without_intensity.base())}) + ")";
      }
      row({plain(site.name), report_.grid.zones[site.zone].zone.name(), local_.number(sums.facility.base(), 9, 6),
           location, market ? local_.mass(*market) : text(w_.no_factor)});
    }
    out_ += "\n" + text(w_.inventory_note) + "\n";
  }

  void coverage() {
    const scheduler::Coverage& c = report_.sums.coverage();
    const Wide all = c.priced.base() + c.without_intensity.base();
    const Wide measured = c.priced.base() - c.estimated_intensity.base() - c.fallback.base();
    title(w_.coverage);
    table({" ", text(w_.measured), text(w_.estimated), text(w_.fallback), text(w_.unknown)});
    row({text(w_.coverage_energy), local_.percent(c.measured_seconds, c.seconds),
         local_.percent(c.estimated_seconds, c.seconds), "\u2013",
         local_.percent(c.seconds - c.measured_seconds - c.estimated_seconds, c.seconds)});
    row({text(w_.coverage_intensity), local_.percent(measured, all), local_.percent(c.estimated_intensity.base(), all),
         local_.percent(c.fallback.base(), all), local_.percent(c.without_intensity.base(), all)});
  }

  void method() {
    title(w_.method);
    for (const ZoneOfReport& zone : report_.grid.zones) {
      if (zone.source.empty()) continue;
      const auto& accounting = report_.grid.accounting;
      out_ += "- " + text(w_.data) + " " + zone.zone.name() + ": " + plain(zone.source) + " (" +
              text(to_text(accounting.scope)) + ", " + text(to_text(accounting.basis)) + ", " +
              text(to_text(accounting.method)) + ")";
      if (!zone.attribution.empty()) out_ += ", " + plain(zone.attribution);
      out_ += "\n";
    }
    out_ += "\n" + text(w_.split_note) + " " + filled(w_.made_by, {text(runtime::version())}) + "\n";
  }

  const WeeklyReport& report_;
  const Words& w_;
  const LocalText local_;
  std::string out_;
};

}  // namespace

std::string to_markdown(const WeeklyReport& report, Language language) {
  scheduler::require(report.pictures.has_value(), "a page is made of a report with pictures");
  return Page{report, words(language)}.take();
}

}  // namespace valle::service::report
