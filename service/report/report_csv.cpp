// SPDX-License-Identifier: Apache-2.0
#include "service/report/report_csv.hpp"

#include "scheduler/units/decimal_text.hpp"
#include "scheduler/units/instant_text.hpp"
#include "service/app/percent.hpp"
#include "service/report/words.hpp"

namespace valle::service::report {
namespace {

/// One line, field by field.
class Line {
 public:
  explicit Line(std::string& out) : out_{out} {}

  Line& text(std::string_view text) {
    separate();
    const bool formula = !text.empty() && std::string_view{"=+-@\t\r"}.find(text.front()) != std::string_view::npos;
    const bool quoted = formula || text.find_first_of(",\"\n\r") != std::string_view::npos;
    if (!quoted) {
      out_ += text;
      return *this;
    }
    out_ += formula ? "\"'" : "\"";
    for (const char c : text) {
      if (c == '"') out_ += '"';
      out_ += c;
    }
    out_ += '"';
    return *this;
  }
  Line& word(std::string_view word) {
    separate();
    out_ += word;
    return *this;
  }
  Line& instant(scheduler::Instant instant) {
    separate();
    scheduler::append_instant(out_, instant);
    return *this;
  }
  Line& number(std::int64_t base, int decimals) {
    separate();
    scheduler::append_decimal(out_, base, decimals);
    return *this;
  }
  template <class Tag>
  Line& optional(const std::optional<scheduler::Quantity<Tag>>& quantity, int decimals) {
    return quantity ? number(quantity->base(), decimals) : word("");
  }
  Line& yes_or_no(bool flag) { return word(flag ? "true" : "false"); }
  void end() { out_ += "\r\n"; }

 private:
  void separate() {
    if (!first_) out_ += ',';
    first_ = false;
  }
  std::string& out_;
  bool first_ = true;
};

void append_saving(Line& line, const scheduler::RunAccount& account) {
  if (!account.split) {
    for (int i = 0; i < 10; ++i) line.word("");
    return;
  }
  const scheduler::Split& split = *account.split;
  line.number(split.real.base(), 3)
      .number(split.baseline.base(), 3)
      .number(split.saved().base(), 3)
      .number(app::percent_of(split.saved().base(), split.baseline.base()).base(), 4)
      .number(split.by_time().base(), 3)
      .number(split.by_place().base(), 3)
      .number(split.by_efficiency().base(), 3)
      .number(account.uncertainty->both.base(), 3)
      .number(account.uncertainty->energy.base(), 3)
      .number(account.uncertainty->intensity.base(), 3);
}

}  // namespace

std::string_view csv_head() {
  return "id,name,owner,label,home_site,home_pue,site,submitted_at,started_at,finished_at,wait_seconds,shifted,"
         "not_assessed,start_by,deadline_met,quality,boundary,energy_kwh,facility_kwh,idle_kwh,carbon_grams,"
         "baseline_grams,saved_grams,saved_percent,saved_by_time_grams,saved_by_place_grams,"
         "saved_by_efficiency_grams,uncertainty_grams,energy_uncertainty_grams,intensity_uncertainty_grams,"
         "planned_saved_grams,intensity_source,estimated_intensity_percent,fallback,attempts,cost_eur\r\n";
}

void append_csv_row(std::string& out, const scheduler::ReportRow& row, const ReportGrid& grid) {
  const scheduler::Run& run = row.run;
  const scheduler::RunAccount& account = row.account;
  const bool assessed = account.assessment == scheduler::Assessment::assessed;
  Line line{out};
  line.text(run.id)
      .text(run.name)
      .text(run.owner)
      .text(run.label)
      .text(run.home_site)
      .number(run.home_pue.base(), 6)
      .text(run.attempts.empty() ? std::string_view{} : run.attempts.back().site)
      .instant(run.submitted)
      .instant(row.started())
      .instant(*run.finished)
      .number(row.wait().count(), 0)
      .yes_or_no(row.shifted())
      .word(assessed ? "" : to_text(account.assessment));
  if (run.start_by) {
    line.instant(*run.start_by).yes_or_no(row.started() <= *run.start_by);
  } else {
    line.word("").word("");
  }
  const auto& energy = account.energy;
  line.word(to_text(energy ? energy->quality : scheduler::EnergyQuality::unknown))
      .word(energy ? to_text(energy->boundary) : "")
      .optional(energy ? std::optional{energy->energy} : std::nullopt, 6)
      .optional(account.facility, 6)
      .optional(energy ? energy->idle : std::nullopt, 6);
  append_saving(line, account);
  line.optional(run.planned_saved, 3);
  const auto& real = account.real;
  const bool fallback = (real && real->fallback.base() > 0) || (account.home && account.home->fallback.base() > 0);
  const ZoneOfReport* zone = account.sites.empty() ? nullptr : &grid.zones[grid.sites[account.sites.back().site].zone];
  line.text(zone == nullptr ? std::string_view{} : zone->source);
  if (real) {
    line.number(app::percent_of(real->estimated.base(), real->energy.base()).base(), 4);
  } else {
    line.word("");
  }
  line.yes_or_no(fallback).number(static_cast<std::int64_t>(run.attempts.size()), 0).optional(account.cost, 6).end();
}

}  // namespace valle::service::report
