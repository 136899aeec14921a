// SPDX-License-Identifier: Apache-2.0
#include "service/report/report_html.hpp"

#include <utility>

#include "service/report/page/pictures.hpp"
#include "service/report/page/style.hpp"
#include "service/report/page/tables.hpp"
#include "service/runtime/version.hpp"

namespace valle::service::report {
namespace {

using scheduler::Totals;
using scheduler::Wide;

Wide size_of(Wide value) { return value < 0 ? -value : value; }

std::string paragraph(std::string_view text, std::string_view css_class = {}) {
  return "<p" + (css_class.empty() ? std::string{} : " class=\"" + std::string{css_class} + '"') + '>' + escaped(text) +
         "</p>\n";
}

std::string figure(std::string_view heading, std::string_view note, const std::string& picture) {
  return "<section><h2>" + escaped(heading) + "</h2>\n<figure>\n" + picture + "<figcaption>" + escaped(note) +
         "</figcaption>\n</figure></section>\n";
}

std::string heading(const WeeklyReport& report, const LocalText& local) {
  const Words& words = local.words();
  const Calendar calendar = calendar_of(report);
  const auto day = [&](scheduler::Instant t) { return local.date(calendar.local_text(t).substr(0, 10)); };
  std::string text = "<h1>" + escaped(words.title) + "</h1>\n";
  text += paragraph(filled(words.week, {format_week(report.week), day(report.bounds.begin),
                                        day(report.bounds.end - std::chrono::hours{12}), report.time_zone}));
  std::string small;
  if (report.revision > 0) small = filled(words.revision, {std::to_string(report.revision)});
  if (const auto former = report.supersedes()) small += "; " + filled(words.supersedes, {std::to_string(*former)});
  if (report.owner) small += (small.empty() ? "" : "; ") + filled(words.filter, {*report.owner});
  return small.empty() ? text : text + paragraph(small, "faint");
}

/// What the week comes to, in sentences.
std::string summary(const Totals& totals, const LocalText& local) {
  const Words& words = local.words();
  if (totals.jobs == 0) return paragraph(words.nothing_finished);
  std::string text;
  if (totals.jobs == totals.not_assessed) {
    text = paragraph(words.nothing_assessed);
  } else {
    const Wide saved = totals.saved().base();
    text = paragraph(filled(saved < 0 ? words.summary_lost : words.summary_saved,
                            {local.mass(totals.real.base()), local.mass(totals.baseline.base()),
                             local.mass(size_of(saved)), local.percent(size_of(saved), totals.baseline.base())}));
    const std::string range = local.mass(totals.uncertainty.base());
    if (saved > totals.uncertainty.base()) {
      text += paragraph(filled(words.uncertainty, {range, local.mass(totals.energy_uncertainty.base()),
                                                   local.mass(totals.intensity_uncertainty.base())}),
                        "faint");
    } else if (saved >= 0) {
      text += paragraph(filled(words.not_proven, {range}), "bad");
    }
  }
  if (totals.not_assessed > 0) text += paragraph(filled(words.left_out, {local.count(totals.not_assessed)}), "faint");
  return text;
}

struct KeyFigure {
  std::string_view name;
  std::string value;
  std::string note = {};
  std::string_view css_class = {};
};

std::string key_figures(const Totals& totals, const LocalText& local) {
  const Words& words = local.words();
  const Wide saved = totals.saved().base();
  const bool assessed = totals.jobs > totals.not_assessed;
  const std::int64_t with_deadline = totals.deadlines_met + totals.deadlines_missed;
  const auto mass = [&](Wide value) { return assessed ? local.mass(value) : std::string{"–"}; };
  std::string cost;
  if (totals.costed > 0) {
    cost = "; " + std::string{words.cost} + ": " + local.money(totals.cost.base());
    if (totals.costed < totals.jobs) cost += " (" + std::string{words.jobs} + ": " + local.count(totals.costed) + ")";
  }
  const KeyFigure figures[] = {
      {words.saved, mass(saved), assessed ? local.percent(saved, totals.baseline.base()) : "",
       saved < 0 ? "bad" : "good"},
      {words.emitted, mass(totals.real.base()), "CO₂e"},
      {words.baseline, mass(totals.baseline.base()), "CO₂e"},
      {words.energy, local.energy(totals.facility.base()), std::string{words.at_the_meter} + cost},
      {words.jobs, local.count(totals.jobs), ""},
      {words.shifted, local.count(totals.shifted), local.percent(totals.shifted, totals.jobs)},
      {words.deadlines, local.count(totals.deadlines_missed), filled(words.deadlines_met, {local.count(with_deadline)}),
       totals.deadlines_missed > 0 ? "bad" : ""},
      {words.mean_wait, local.duration(totals.mean_wait()), ""},
  };
  std::string text = "<dl class=\"key\">\n";
  for (const KeyFigure& figure : figures) {
    text += "<div><dt>" + escaped(figure.name) + "</dt><dd";
    if (!figure.css_class.empty()) text += " class=\"" + std::string{figure.css_class} + '"';
    text += '>' + escaped(figure.value);
    if (!figure.note.empty()) text += "<small>" + escaped(figure.note) + "</small>";
    text += "</dd></div>\n";
  }
  return text + "</dl>\n";
}

std::string split(const WeeklyReport& report, const LocalText& local) {
  const Words& words = local.words();
  const Totals& totals = report.sums.totals();
  std::string note{words.split_note};
  if (totals.planned > 0) {
    note += " " + std::string{words.planned} + ": " + local.mass(totals.planned_saved.base()) + " (" +
            local.count(totals.planned) + ").";
  }
  return figure(words.split, note, split_picture(report, local));
}

std::string pictures(const WeeklyReport& report, const LocalText& local) {
  const Words& words = local.words();
  const Totals& totals = report.sums.totals();
  const bool assessed = totals.jobs > totals.not_assessed;
  std::string text = figure(words.week_picture, words.week_note, week_picture(report, local));
  if (assessed) text += figure(words.day_picture, words.day_note, day_picture(report, local));
  if (assessed) text += figure(words.owner_picture, words.owner_note, owner_picture(report, local));
  if (totals.deadlines_met + totals.deadlines_missed > 0) {
    text += figure(words.wait_picture, words.wait_note, wait_picture(report, local));
  }
  return text;
}

}  // namespace

std::string to_html(const WeeklyReport& report, Language language) {
  scheduler::require(report.pictures.has_value(), "a page is made of a report with pictures");
  const LocalText local{words(language)};
  const Words& words = local.words();
  const Totals& totals = report.sums.totals();
  std::string text = "<!DOCTYPE html>\n<html lang=\"" + std::string{words.tag} +
                     "\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n"
                     "<title>" +
                     escaped(words.title) + " " + format_week(report.week) + "</title>\n<style>\n" +
                     std::string{style()} + "</style>\n</head>\n<body>\n";
  text += heading(report, local) + summary(totals, local) + key_figures(totals, local);
  if (totals.jobs > totals.not_assessed) text += split(report, local);
  text += pictures(report, local);
  text += owner_table(report, local) + largest_table(report, local) + inventory_table(report, local) +
          coverage_table(report, local) + method_table(report, local);
  text += "<footer>" + paragraph(filled(words.made_by, {std::string{runtime::version()}})) +
          "</footer>\n</body>\n</html>\n";
  return text;
}

}  // namespace valle::service::report
