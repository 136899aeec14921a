// SPDX-License-Identifier: Apache-2.0
// The section `report:`.
#include <algorithm>
#include <array>

#include "service/runtime/config_sections.hpp"
#include "service/runtime/config_values.hpp"

namespace valle::service::runtime {
namespace {

using scheduler::Errc;
using scheduler::refuse;
using scheduler::Result;

constexpr double k_most_grams = 100'000;
constexpr std::array<std::string_view, 4> k_formats{"json", "csv", "html", "md"};
constexpr std::array<std::string_view, 4> k_languages{"en", "es", "fr", "de"};
constexpr std::array<const char*, 3> k_paragraphs{"esrsEnergy", "esrsEmissions", "aiActEnergy"};

Result<std::string> parse_time_zone(std::string_view text) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' || c == '_' ||
           c == '-' || c == '+';
  };
  if (!text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), allowed)) return std::string{text};
  return refuse(Errc::invalid_request, "is no time zone; write it like Europe/Madrid or UTC");
}

/// `namespace`, `queue` or `label:KEY`.
Result<std::string> parse_owner(std::string_view text) {
  const auto plain = parse_text(text);
  if (!plain) return plain;
  const bool label = text.substr(0, 6) == "label:" && text.size() > 6;
  if (text == "namespace" || text == "queue" || label) return plain;
  return refuse(Errc::invalid_request, "must be namespace, queue or label:KEY");
}

Result<scheduler::CarbonIntensity> parse_factor(std::string_view text) {
  return parse_number_within(text, {0, k_most_grams}).map(scheduler::intensity_from_grams_per_kwh);
}
Result<int> parse_year(std::string_view text) { return parse_whole_within(text, 1990, 2261); }

/// What the two kinds of factors share. False, with a refusal noted, if the number or its origin is missing.
template <class Factor>
bool read_factor(Section& section, Factor& factor) {
  bool given = false;
  if (const auto setting = section.find("gramsPerKwh")) {
    const auto value = parse_factor(setting->text);
    if (!value) section.refuse(*setting, "gramsPerKwh", value.error().detail);
    factor.value = value.value_or(scheduler::CarbonIntensity{});
    given = true;
  }
  section.read("source", factor.source, parse_text);
  section.read("year", factor.year, parse_year);
  if (given && !factor.source.empty() && factor.year != 0) return true;
  section.reading().refuse(section.place(), section.path(), "needs gramsPerKwh, source and year: an auditor asks");
  return false;
}

void read_fallback(Section& report, ReportConfig& config) {
  Section factors = report.inner("fallback");
  for (const std::string& name : factors.names()) {
    const auto zone = parse_zone(name);
    if (!zone) factors.reading().refuse(factors.place(), factors.full(name), zone.error().detail);
    Section section = factors.inner(name);
    YearlyFactor factor;
    if (read_factor(section, factor) && factor.value.base() == 0) {
      section.reading().refuse(section.place(), section.path(), "zero is no factor of a grid; leave the zone out");
    }
    section.finish();
    if (zone) config.fallback.insert_or_assign(*zone, factor);
  }
}

void read_market(Section& report, ReportConfig& config) {
  Section factors = report.inner("market");
  for (const std::string& name : factors.names()) {
    Section section = factors.inner(name);
    MarketFactor factor;
    (void)read_factor(section, factor);
    section.read("instrument", factor.instrument, parse_text);
    section.finish();
    config.market.insert_or_assign(name, factor);
  }
}

void read_schedule(Section& report, ReportConfig& config) {
  Section section = report.inner("schedule");
  if (!section.present({"folder", "webhook"})) return;
  ReportSchedule schedule;
  section.read_path("folder", schedule.folder);
  section.read("webhook", schedule.webhook, parse_url);
  const auto formats = section.texts("formats", k_formats.size());
  if (!formats.empty()) schedule.formats.clear();
  for (const Setting& format : formats) {
    if (std::find(k_formats.begin(), k_formats.end(), format.text) == k_formats.end()) {
      section.refuse(format, "formats", "a format is json, csv, html or md");
    }
    schedule.formats.push_back(format.text);
  }
  section.read("language", schedule.language, [](std::string_view text) -> Result<std::string> {
    if (std::find(k_languages.begin(), k_languages.end(), text) != k_languages.end()) return std::string{text};
    return refuse(Errc::invalid_request, "must be en, es, fr or de");
  });
  section.read("after", schedule.after, [](std::string_view text) {
    return parse_duration_within(text, {scheduler::Duration{0}, std::chrono::days{60}});
  });
  section.finish();
  if (schedule.folder.empty() && schedule.webhook.empty()) {
    section.reading().refuse(section.place(), section.path(), "needs a folder or a webhook");
  }
  config.schedule = schedule;
}

}  // namespace

void read_report(Section& root, Config& config) {
  Section report = root.inner("report");
  report.read("timeZone", config.report.time_zone, parse_time_zone);
  report.read("owner", config.report.owner, parse_owner);
  read_fallback(report, config.report);
  read_market(report, config.report);
  Section paragraphs = report.inner("paragraphs");
  for (const char* name : k_paragraphs) {
    std::string text;
    paragraphs.read(name, text, parse_text);
    if (!text.empty()) config.report.paragraphs[name] = text;
  }
  paragraphs.finish();
  read_schedule(report, config.report);
  report.finish();
}

}  // namespace valle::service::runtime
