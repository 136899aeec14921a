// SPDX-License-Identifier: Apache-2.0
#include "service/report/report_json.hpp"

#include "scheduler/account/posted.hpp"
#include "scheduler/account/uncertainty.hpp"
#include "scheduler/units/decimal_text.hpp"
#include "service/api/json_writer.hpp"
#include "service/report/method_text.hpp"
#include "service/report/words.hpp"
#include "service/runtime/version.hpp"

namespace valle::service::report {
namespace {

using api::JsonWriter;
using api::percent_of;
using scheduler::decimal_text;
using scheduler::Sum;
using scheduler::Totals;
using scheduler::Wide;

template <class Tag>
void sum(JsonWriter& json, std::string_view name, const Sum<Tag>& total, int decimals) {
  json.key(name).raw(decimal_text(total.base(), decimals));
}
void grams(JsonWriter& json, std::string_view name, const Sum<scheduler::EmissionsTag>& total) {
  sum(json, name, total, 3);
}

void write_totals(JsonWriter& json, const Totals& totals) {
  json.member("jobs", totals.jobs).member("shifted", totals.shifted).member("notAssessed", totals.not_assessed);
  sum(json, "energyKwh", totals.energy, 6);
  sum(json, "facilityKwh", totals.facility, 6);
  grams(json, "carbonGrams", totals.real);
  grams(json, "baselineGrams", totals.baseline);
  grams(json, "savedGrams", totals.saved());
  json.member("savedPercent", percent_of(totals.saved().base(), totals.baseline.base()));
  grams(json, "savedByTimeGrams", totals.by_time);
  grams(json, "savedByPlaceGrams", totals.by_place);
  grams(json, "savedByEfficiencyGrams", totals.by_efficiency);
  grams(json, "plannedSavedGrams", totals.planned_saved);
  json.member("planned", totals.planned)
      .member("deadlinesMet", totals.deadlines_met)
      .member("deadlinesMissed", totals.deadlines_missed)
      .member("meanWait", totals.mean_wait());
  if (totals.costed > 0) {
    sum(json, "costEur", totals.cost, 6);
    json.member("jobsWithCost", totals.costed);
  }
  grams(json, "uncertaintyGrams", totals.uncertainty);
  grams(json, "energyUncertaintyGrams", totals.energy_uncertainty);
  grams(json, "intensityUncertaintyGrams", totals.intensity_uncertainty);
}

void kilograms(JsonWriter& json, std::string_view name, std::optional<Wide> milligrams) {
  milligrams ? json.key(name).raw(decimal_text(*milligrams, 6)) : json.null_member(name);
}
void megawatt_hours(JsonWriter& json, std::string_view name, const Sum<scheduler::EnergyTag>& energy) {
  sum(json, name, energy, 9);
}

void write_market_factor(JsonWriter& json, const std::optional<runtime::MarketFactor>& factor) {
  json.key("marketFactor");
  if (!factor) {
    json.null();
    return;
  }
  json.begin_object()
      .member("gramsPerKwh", factor->value)
      .member("instrument", factor->instrument)
      .member("source", factor->source)
      .member("year", std::int64_t{factor->year})
      .end_object();
}

/// Location- and market-based, beside each other; with energy of every run that knows its own, assessed or not.
void write_inventory(JsonWriter& json, const WeeklyReport& report) {
  Sum<scheduler::EnergyTag> energy, without;
  Wide location = 0;
  std::optional<Wide> market = 0;
  json.key("inventory").begin_object().key("sites").begin_array();
  for (std::size_t i = 0; i < report.grid.sites.size(); ++i) {
    const SiteOfReport& site = report.grid.sites[i];
    const auto& inventory = report.sums.inventory()[i];
    if (inventory.facility.base() == 0) continue;
    const ZoneOfReport& zone = report.grid.zones[site.zone];
    const auto by_market = market_based(site, inventory);
    energy += inventory.facility;
    without += inventory.without_intensity;
    location += inventory.location_based.base();
    market = market && by_market ? std::optional{*market + *by_market} : std::nullopt;
    json.begin_object().member("site", site.name).member("zone", zone.zone.name());
    megawatt_hours(json, "energyMwh", inventory.facility);
    megawatt_hours(json, "energyWithoutIntensityMwh", inventory.without_intensity);
    kilograms(json, "locationBasedKg", inventory.location_based.base());
    kilograms(json, "marketBasedKg", by_market);
    json.member("factorSource", zone.source).member("factorYear", std::int64_t{report.week.year});
    json.member("factorGranularity", "hour");
    write_market_factor(json, site.market);
    json.end_object();
  }
  json.end_array();
  megawatt_hours(json, "energyMwh", energy);
  megawatt_hours(json, "energyWithoutIntensityMwh", without);
  kilograms(json, "locationBasedKg", location);
  kilograms(json, "marketBasedKg", market);
  json.member("note", k_inventory_note).end_object();
}

void write_intensity_method(JsonWriter& json, const WeeklyReport& report) {
  json.key("intensity").begin_array();
  for (const ZoneOfReport& zone : report.grid.zones) {
    json.begin_object()
        .member("zone", zone.zone.name())
        .optional_member("source", zone.source.empty() ? std::nullopt : std::optional{zone.source})
        .member("attribution", zone.attribution)
        .member("scope", to_text(report.grid.accounting.scope))
        .member("basis", to_text(report.grid.accounting.basis))
        .member("method", to_text(report.grid.accounting.method))
        .member("kind", "measured")
        .member("hour", "each slice of energy at the intensity of its own hour");
    json.key("fallback");
    if (zone.fallback) {
      json.begin_object()
          .member("gramsPerKwh", zone.fallback->value)
          .member("source", zone.fallback->source)
          .member("year", std::int64_t{zone.fallback->year})
          .end_object();
    } else {
      json.null();
    }
    json.end_object();
  }
  json.end_array();
}

void write_price_method(JsonWriter& json, const WeeklyReport& report) {
  json.key("prices").begin_array();
  for (const ZoneOfReport& zone : report.grid.zones) {
    if (zone.price_source.empty()) continue;
    json.begin_object()
        .member("zone", zone.zone.name())
        .member("source", zone.price_source)
        .member("kind", "day-ahead, without taxes and fees")
        .end_object();
  }
  json.end_array();
}

void write_energy_method(JsonWriter& json, const WeeklyReport& report) {
  json.key("energy").begin_array();
  for (const auto& [rule, count] : report.measured_by) {
    json.begin_object()
        .member("boundary", to_text(rule.boundary))
        .member("source", rule.source)
        .member("rule", rule.rule.empty() ? std::string{k_posted_rule} : rule.rule)
        .optional_member("samplingInterval",
                         rule.sampling.count() > 0 ? std::optional{scheduler::Duration{rule.sampling}} : std::nullopt)
        .member("figures", count)
        .end_object();
  }
  json.end_array();
}

void write_method(JsonWriter& json, const WeeklyReport& report, const runtime::ReportConfig& config) {
  json.key("method").begin_object();
  json.key("tool").begin_object().member("name", "valle").member("version", runtime::version()).end_object();
  write_energy_method(json, report);
  json.key("pue").begin_array();
  for (const SiteOfReport& site : report.grid.sites) {
    json.begin_object()
        .member("site", site.name)
        .member("pue", site.pue)
        .member("source", "configuration; a run keeps the one that was configured when it was submitted or ran")
        .end_object();
  }
  json.end_array();
  write_intensity_method(json, report);
  write_price_method(json, report);
  json.member("owner", config.owner);
  for (const auto& [name, text] : k_method_texts) json.member(name, text);
  json.key("relativeUncertainty")
      .begin_object()
      .member("postedEnergyWithoutStatement", scheduler::k_unstated_uncertainty)
      .member("measuredIntensity", scheduler::k_measured_intensity_error)
      .member("estimatedIntensity", scheduler::k_estimated_intensity_error)
      .member("fallbackIntensity", scheduler::k_fallback_intensity_error)
      .end_object();
  json.key("labels").begin_array();
  for (const auto& [label, sums] : report.sums.labels()) {
    if (!label.empty()) json.value(label);
  }
  json.end_array();
  json.key("notAssessed").begin_object();
  for (const auto& [why, count] : report.not_assessed) json.member(to_text(why), count);
  json.end_object();
  json.member("modelled", report.modelled)
      .member("withNotes", report.with_notes)
      .member("incomplete", report.incomplete);
  json.end_object();
}

void write_coverage(JsonWriter& json, const scheduler::Coverage& coverage) {
  const std::int64_t known = coverage.measured_seconds + coverage.estimated_seconds;
  const Wide all = coverage.priced.base() + coverage.without_intensity.base();
  const Wide measured = coverage.priced.base() - coverage.estimated_intensity.base() - coverage.fallback.base();
  json.key("coverage")
      .begin_object()
      .member("energyMeasuredPercent", percent_of(coverage.measured_seconds, coverage.seconds))
      .member("energyEstimatedPercent", percent_of(coverage.estimated_seconds, coverage.seconds))
      .member("energyUnknownPercent", percent_of(coverage.seconds - known, coverage.seconds))
      .member("intensityMeasuredPercent", percent_of(measured, all))
      .member("estimatedIntensityPercent", percent_of(coverage.estimated_intensity.base(), all))
      .member("forecastPercent", percent_of(0, all))
      .member("fallbackPercent", percent_of(coverage.fallback.base(), all))
      .member("intensityUnknownPercent", percent_of(coverage.without_intensity.base(), all))
      .member("note", "energy: share of the runs' seconds; intensity: share of the energy")
      .end_object();
}

std::string paragraph(const runtime::ReportConfig& config, const std::string& name) {
  const auto found = config.paragraphs.find(name);
  return found == config.paragraphs.end() ? std::string{} : found->second;
}

void write_exports(JsonWriter& json, const WeeklyReport& report, const runtime::ReportConfig& config) {
  Sum<scheduler::EnergyTag> energy;
  Wide location = 0;
  std::optional<Wide> market = 0;
  for (std::size_t i = 0; i < report.grid.sites.size(); ++i) {
    const auto& inventory = report.sums.inventory()[i];
    if (inventory.facility.base() == 0) continue;
    energy += inventory.facility;
    location += inventory.location_based.base();
    const auto by_market = market_based(report.grid.sites[i], inventory);
    market = market && by_market ? std::optional{*market + *by_market} : std::nullopt;
  }
  json.key("exports").begin_object().key("esrsE1").begin_object();
  json.member("energyParagraph", paragraph(config, "esrsEnergy"))
      .member("emissionsParagraph", paragraph(config, "esrsEmissions"));
  megawatt_hours(json, "energyMwh", energy);
  kilograms(json, "scope2LocationBasedKg", location);
  kilograms(json, "scope2MarketBasedKg", market);
  json.end_object().key("euAiAct").begin_object().member("paragraph", paragraph(config, "aiActEnergy"));
  json.member("from", report.bounds.begin).member("to", report.bounds.end).key("models").begin_array();
  for (const auto& [label, sums] : report.sums.labels()) {
    json.begin_object().member("label", label).member("runs", sums.runs);
    megawatt_hours(json, "energyMeasuredMwh", sums.measured);
    megawatt_hours(json, "energyEstimatedMwh", sums.estimated);
    megawatt_hours(json, "facilityMwh", sums.facility);
    kilograms(json, "locationBasedKg", sums.location_based.base());
    json.key("gpuHours").raw(decimal_text(scheduler::divide_rounded(sums.gpu_milliseconds, 3600), 3));
    json.member("runsWithoutGpuCount", sums.without_gpus).member("runsWithoutEnergy", sums.without_energy).end_object();
  }
  json.end_array().end_object().end_object();
}

}  // namespace

std::optional<Wide> market_based(const SiteOfReport& site, const scheduler::SiteInventory& inventory) {
  if (!site.market) return std::nullopt;
  // mWh · mg/kWh ÷ 1e6 is mg.
  return scheduler::divide_rounded(inventory.facility.base() * site.market->value.base(), 1'000'000);
}

std::string totals_json(const Totals& totals) {
  JsonWriter json;
  json.begin_object();
  write_totals(json, totals);
  json.end_object();
  return json.take();
}

std::string json_head(const WeeklyReport& report) {
  JsonWriter json;
  json.begin_object()
      .member("week", format_week(report.week))
      .member("from", report.bounds.begin)
      .member("to", report.bounds.end)
      .member("timeZone", report.time_zone)
      .member("revision", report.revision)
      .optional_member("supersedes", report.supersedes())
      .member("madeAt", report.made_at);
  if (report.owner) json.member("owner", *report.owner);
  if (!report.as_stored) json.member("differsFromWhenItWasMade", true);
  json.key("totals").raw(totals_json(report.sums.totals()));
  json.key("groups").begin_array();
  for (const auto& [owner, totals] : report.sums.groups()) {
    json.begin_object().member("owner", owner);
    write_totals(json, totals);
    json.end_object();
  }
  json.end_array().key("jobs");
  return json.take();
}

std::string json_tail(const WeeklyReport& report, const runtime::ReportConfig& config) {
  JsonWriter json;
  write_inventory(json, report);
  write_method(json, report, config);
  write_coverage(json, report.sums.coverage());
  write_exports(json, report, config);
  json.end_object();
  return "]," + json.take();
}

}  // namespace valle::service::report
