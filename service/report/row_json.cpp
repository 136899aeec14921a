// SPDX-License-Identifier: Apache-2.0
#include "service/report/row_json.hpp"

#include "scheduler/account/posted.hpp"
#include "service/report/words.hpp"

namespace valle::service::report {
namespace {

using api::JsonWriter;
using scheduler::Attempt;
using scheduler::EnergyFigure;
using scheduler::ReportRow;
using scheduler::RunAccount;

/// What one attempt says beyond the row: shown where a row has more than one, or a meter told more than a sum.
bool worth_showing(const ReportRow& row) {
  if (row.run.attempts.size() != 1) return true;
  for (const EnergyFigure& figure : row.run.attempts.front().figures) {
    if (figure.source != scheduler::k_posted_source || !figure.profile.empty()) return true;
  }
  return false;
}

void write_figure(JsonWriter& json, const EnergyFigure& figure) {
  json.begin_object()
      .member("boundary", to_text(figure.boundary))
      .member("quality", to_text(figure.quality))
      .member("source", figure.source);
  if (figure.quality != scheduler::EnergyQuality::unknown) {
    json.member("energyKwh", figure.energy).member("uncertaintyKwh", figure.uncertainty);
  }
  json.optional_member("idleKwh", figure.idle).member("coverage", figure.coverage);
  if (figure.sampling.count() > 0) json.member("sampling", figure.sampling);
  if (!figure.method.empty()) json.member("method", figure.method);
  if (!figure.fingerprint.empty()) json.member("samples", figure.fingerprint);
  if (!figure.complete) json.member("complete", false);
  if (figure.allocated) json.member("allocated", true);
  if (!figure.profile.empty()) {
    json.key("profile").begin_array();
    for (const auto& slice : figure.profile) {
      json.begin_object()
          .member("start", slice.interval.begin)
          .member("end", slice.interval.end)
          .member("energyKwh", slice.energy)
          .end_object();
    }
    json.end_array();
  }
  if (!figure.notes.empty()) {
    json.key("notes").begin_array();
    for (const auto& note : figure.notes) json.value(note);
    json.end_array();
  }
  json.end_object();
}

void write_attempts(JsonWriter& json, const ReportRow& row) {
  json.key("attempts").begin_array();
  for (const Attempt& attempt : row.run.attempts) {
    json.begin_object()
        .member("site", attempt.site)
        .member("start", attempt.ran.begin)
        .member("end", attempt.ran.end)
        .member("outcome", to_text(attempt.outcome))
        .optional_member("pue", attempt.pue);
    json.key("figures").begin_array();
    for (const EnergyFigure& figure : attempt.figures) write_figure(json, figure);
    json.end_array().end_object();
  }
  json.end_array();
}

void write_cap(JsonWriter& json, const scheduler::PowerCap& cap) {
  json.key("powerCap")
      .begin_object()
      .member("cappedWatts", cap.capped_power)
      .member("cappedDuration", cap.capped_duration)
      .member("uncappedWatts", cap.uncapped_power)
      .member("uncappedDuration", cap.uncapped_duration)
      .member("modelled", true)
      .end_object();
}

void write_saving(JsonWriter& json, const RunAccount& account) {
  if (!account.split) {
    for (const char* name : {"carbonGrams", "baselineGrams", "savedGrams", "savedPercent", "savedByTimeGrams",
                             "savedByPlaceGrams", "savedByEfficiencyGrams", "uncertaintyGrams"}) {
      json.null_member(name);
    }
    return;
  }
  const scheduler::Split& split = *account.split;
  json.member("carbonGrams", split.real)
      .member("baselineGrams", split.baseline)
      .member("savedGrams", split.saved())
      .member("savedPercent", api::percent_of(split.saved().base(), split.baseline.base()))
      .member("savedByTimeGrams", split.by_time())
      .member("savedByPlaceGrams", split.by_place())
      .member("savedByEfficiencyGrams", split.by_efficiency())
      .member("uncertaintyGrams", account.uncertainty->both)
      .member("energyUncertaintyGrams", account.uncertainty->energy)
      .member("intensityUncertaintyGrams", account.uncertainty->intensity);
}

void write_intensity(JsonWriter& json, const RunAccount& account, const ReportGrid& grid) {
  const bool fallback = account.real && account.real->fallback.base() > 0;
  const bool home_fallback = account.home && account.home->fallback.base() > 0;
  json.member("fallback", fallback || home_fallback);
  if (account.sites.empty()) return;
  const ZoneOfReport& zone = grid.zones[grid.sites[account.sites.back().site].zone];
  json.member("source", fallback && zone.fallback ? zone.fallback->source : zone.source);
  if (!account.real) return;
  json.member("estimatedIntensityPercent",
              api::percent_of(account.real->estimated.base(), account.real->energy.base()));
  if (!account.home) return;
  json.member("baselineEstimatedIntensityPercent",
              api::percent_of(account.home->estimated.base(), account.home->energy.base()));
}

}  // namespace

void write_row(JsonWriter& json, const ReportRow& row, const ReportGrid& grid) {
  const scheduler::Run& run = row.run;
  const RunAccount& account = row.account;
  json.begin_object().member("id", run.id);
  if (run.name != run.id) json.member("name", run.name);
  json.member("owner", run.owner);
  if (!run.label.empty()) json.member("label", run.label);
  json.member("homeSite", run.home_site)
      .member("homePue", run.home_pue)
      .member("site", run.attempts.empty() ? std::string{} : run.attempts.back().site)
      .member("submittedAt", run.submitted)
      .member("startedAt", row.started())
      .member("finishedAt", *run.finished)
      .member("wait", row.wait())
      .member("shifted", row.shifted())
      .member("notAssessed", account.assessment != scheduler::Assessment::assessed);
  if (account.assessment != scheduler::Assessment::assessed) json.member("why", to_text(account.assessment));
  if (run.start_by) {
    json.member("startBy", *run.start_by).member("deadlineMet", row.started() <= *run.start_by);
  }
  json.member("quality", to_text(account.energy ? account.energy->quality : scheduler::EnergyQuality::unknown));
  if (account.energy) {
    json.member("boundary", to_text(account.energy->boundary))
        .member("energyKwh", account.energy->energy)
        .optional_member("facilityKwh", account.facility);
    if (account.energy->idle) json.member("idleKwh", *account.energy->idle);
  } else {
    json.null_member("energyKwh").null_member("facilityKwh");
  }
  if (account.cost) json.member("costEur", *account.cost);
  write_saving(json, account);
  if (run.planned_saved) json.member("plannedSavedGrams", *run.planned_saved);
  write_intensity(json, account, grid);
  if (run.cap) write_cap(json, *run.cap);
  if (worth_showing(row)) write_attempts(json, row);
  json.end_object();
}

}  // namespace valle::service::report
