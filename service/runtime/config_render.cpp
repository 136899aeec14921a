// SPDX-License-Identifier: Apache-2.0
// `valle check-config`: the effective configuration in words.
#include <yaml-cpp/yaml.h>

#include <cstdio>

#include "scheduler/energy/words.hpp"
#include "service/runtime/config.hpp"

namespace valle::service::runtime {
namespace {

using scheduler::format_duration;

std::string plain(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", number);
  return text;
}

std::string_view word_of(KubernetesMode mode) {
  switch (mode) {
    case KubernetesMode::jobs: return "jobs";
    case KubernetesMode::kueue: return "kueue";
    case KubernetesMode::volcano: return "volcano";
  }
  return "";
}

/// Writes keys with a comment where their value is not from the file.
class Writer final {
 public:
  explicit Writer(const Config& config) : config_{config} { out_ << YAML::BeginMap; }

  void begin(const std::string& section) {
    prefix_.push_back(section);
    out_ << YAML::Key << section << YAML::Value << YAML::BeginMap;
  }
  void end() {
    prefix_.pop_back();
    out_ << YAML::EndMap;
  }
  void value(const std::string& key, const std::string& text) {
    out_ << YAML::Key << key << YAML::Value << text;
    remark(key);
  }
  void value(const std::string& key, bool on) {
    out_ << YAML::Key << key << YAML::Value << on;
    remark(key);
  }
  void number(const std::string& key, double number) {
    out_ << YAML::Key << key << YAML::Value << YAML::Node{plain(number)};
    remark(key);
  }
  void path(const std::string& key, const std::filesystem::path& path) {
    if (!path.empty()) value(key, path.string());
  }
  void text_if_any(const std::string& key, const std::string& text) {
    if (!text.empty()) value(key, text);
  }
  YAML::Emitter& out() { return out_; }
  void comment(const std::string& text) { out_ << YAML::Comment(text); }
  [[nodiscard]] std::string finished() {
    out_ << YAML::EndMap << YAML::Newline;
    return out_.c_str();
  }

  void remark(const std::string& key) {
    std::string full;
    for (const std::string& part : prefix_) full += part + ".";
    const auto origin = config_.origins.find(full + key);
    if (origin == config_.origins.end()) {
      comment("default");
    } else if (origin->second == Origin::variable) {
      comment("from a variable");
    } else if (origin->second == Origin::flag) {
      comment("from a flag");
    }
  }

 private:
  const Config& config_;
  YAML::Emitter out_;
  std::vector<std::string> prefix_;
};

template <class List>
void flow_list(YAML::Emitter& out, const std::string& key, const List& list) {
  out << YAML::Key << key << YAML::Value << YAML::Flow << YAML::BeginSeq;
  for (const auto& item : list) out << item;
  out << YAML::EndSeq;
}

void render_site(YAML::Emitter& out, const SiteConfig& site) {
  out << YAML::Flow << YAML::BeginMap << YAML::Key << "name" << YAML::Value << site.name;
  out << YAML::Key << "zone" << YAML::Value << site.zone.name();
  out << YAML::Key << "pue" << YAML::Value << plain(number(site.pue));
  if (!site.region.empty()) out << YAML::Key << "region" << YAML::Value << site.region;
  if (!site.capacity.empty()) {
    out << YAML::Key << "capacity" << YAML::Value << YAML::Flow << YAML::BeginMap;
    for (const auto& [resource, amount] : site.capacity) {
      out << YAML::Key << resource << YAML::Value << plain(static_cast<double>(amount.base()) / 1000);
    }
    out << YAML::EndMap;
  }
  if (!site.queue.empty()) out << YAML::Key << "queue" << YAML::Value << site.queue;
  out << YAML::EndMap;
}

/// Where a token comes from, never the token.
void render_source(YAML::Emitter& out, const SourceConfig& source) {
  const auto text = [&](const char* key, const std::string& value) {
    if (!value.empty()) out << YAML::Key << key << YAML::Value << value;
  };
  out << YAML::BeginMap;
  text("kind", source.kind);
  text("tokenFile", source.token_file.string());
  text("tokenVariable", source.token_variable);
  text("version", source.version);
  text("baseUrl", source.base_url);
  text("path", source.path.string());
  if (source.timeout) text("timeout", format_duration(std::chrono::floor<scheduler::Duration>(*source.timeout)));
  if (source.budget_per_hour) text("budgetPerHour", std::to_string(*source.budget_per_hour));
  if (!source.zones.empty()) {
    std::vector<std::string> names;
    for (const scheduler::Zone& zone : source.zones) names.push_back(zone.name());
    flow_list(out, "zones", names);
  }
  out << YAML::EndMap;
}

void render_lists(Writer& writer, const Config& config) {
  YAML::Emitter& out = writer.out();
  out << YAML::Key << "sites" << YAML::Value << YAML::BeginSeq;
  for (const SiteConfig& site : config.sites) render_site(out, site);
  out << YAML::EndSeq;
  if (config.sites.empty()) writer.comment("default: each known zone is a site");
  out << YAML::Key << "sources" << YAML::Value << YAML::BeginSeq;
  for (const SourceConfig& source : config.sources) render_source(out, source);
  out << YAML::EndSeq;
  if (config.sources.empty()) writer.comment("default: the bundled sample, while the database is empty");
}

void render_planning(Writer& writer, const PlanningConfig& planning) {
  writer.begin("planning");
  writer.value("horizon", format_duration(planning.horizon));
  writer.value("slot", format_duration(planning.slot));
  writer.value("every", format_duration(planning.every));
  writer.number("minGainPercent", number(planning.min_gain) * 100);
  writer.number("minSavingPercent", number(planning.min_saving) * 100);
  writer.number("risk", number(planning.risk));
  writer.value("onInfeasible", std::string{planning.on_infeasible == OnInfeasible::run ? "run" : "reject"});
  writer.value("maxWait", format_duration(planning.max_wait));
  writer.end();
}

void render_kubernetes(Writer& writer, const KubernetesConfig& kubernetes) {
  writer.begin("kubernetes");
  if (kubernetes.modes.empty()) {
    writer.value("mode", std::string{"none"});
  } else {
    std::vector<std::string> words;
    for (const KubernetesMode mode : kubernetes.modes) words.emplace_back(word_of(mode));
    flow_list(writer.out(), "mode", words);
    writer.remark("mode");
  }
  writer.path("kubeconfig", kubernetes.kubeconfig);
  writer.begin("lease");
  writer.value("namespace", kubernetes.lease_namespace);
  writer.value("name", kubernetes.lease_name);
  writer.value("duration", format_duration(kubernetes.lease_duration));
  writer.value("renewDeadline", format_duration(kubernetes.lease_renew_deadline));
  writer.value("retryPeriod", format_duration(kubernetes.lease_retry));
  writer.end();
  writer.value("defaultDuration", format_duration(kubernetes.default_duration));
  writer.value("finishMargin", format_duration(kubernetes.finish_margin));
  writer.end();
}

void render_webhook(Writer& writer, const WebhookConfig& webhook) {
  writer.begin("webhook");
  writer.value("listen", webhook.listen.text());
  writer.path("certFile", webhook.cert_file);
  writer.path("keyFile", webhook.key_file);
  writer.value("selfManaged", webhook.self_managed);
  if (webhook.self_managed) writer.value("service", webhook.service);
  if (!webhook.names.empty()) flow_list(writer.out(), "names", webhook.names);
  writer.end();
}

void render_calibration(YAML::Emitter& out, const scheduler::Calibration& calibration) {
  out << YAML::Flow << YAML::BeginMap;
  out << YAML::Key << "nodes" << YAML::Value << YAML::DoubleQuoted << calibration.node_type;
  out << YAML::Key << "source" << YAML::Value << calibration.source;
  out << YAML::Key << "boundary" << YAML::Value << std::string{to_text(calibration.boundary)};
  out << YAML::Key << "factor" << YAML::Value << plain(number(calibration.factor));
  out << YAML::Key << "residualPercent" << YAML::Value << plain(number(calibration.residual) * 100);
  out << YAML::Key << "meter" << YAML::Value << YAML::DoubleQuoted << calibration.meter;
  if (calibration.made != scheduler::Instant{}) {
    out << YAML::Key << "made" << YAML::Value << scheduler::format_instant(calibration.made);
  }
  out << YAML::EndMap;
}

void render_energy(Writer& writer, const EnergyConfig& energy) {
  writer.begin("energy");
  flow_list(writer.out(), "prometheus", energy.prometheus);
  if (!energy.sources.empty()) flow_list(writer.out(), "sources", energy.sources);
  writer.path("tokenFile", energy.token_file);
  writer.value("every", format_duration(energy.every));
  writer.value("giveUpAfter", format_duration(energy.give_up_after));
  writer.value("scrapeInterval", format_duration(energy.scrape_interval));
  if (energy.collect_interval) writer.value("collectInterval", format_duration(*energy.collect_interval));
  writer.number("nodeLimitWatts", energy.node_limit_watts);
  writer.number("boardLimitWatts", energy.board_limit_watts);
  if (energy.board_idle_watts) writer.number("boardIdleWatts", *energy.board_idle_watts);
  flow_list(writer.out(), "domains", energy.domains);
  if (!energy.calibration.empty()) {
    YAML::Emitter& out = writer.out();
    out << YAML::Key << "calibration" << YAML::Value << YAML::BeginSeq;
    for (const auto& each : energy.calibration) render_calibration(out, each);
    out << YAML::EndSeq;
  }
  writer.end();
}

void render_access(Writer& writer, const Config& config) {
  if (config.webhook) render_webhook(writer, *config.webhook);
  if (config.tls) {
    writer.begin("tls");
    writer.path("certFile", config.tls->cert_file);
    writer.path("keyFile", config.tls->key_file);
    writer.path("clientCaFile", config.tls->client_ca_file);
    writer.end();
  }
  if (config.auth) {
    writer.begin("auth");
    writer.path("tokensFile", config.auth->tokens_file);
    writer.value("tokenReview", config.auth->token_review);
    writer.end();
  }
  if (config.energy) render_energy(writer, *config.energy);
}

void render_schedule(Writer& writer, const ReportSchedule& schedule) {
  writer.begin("schedule");
  writer.path("folder", schedule.folder);
  // The path of a webhook's address is often its secret.
  const auto path = schedule.webhook.find('/', schedule.webhook.find("//") + 2);
  writer.text_if_any("webhook", schedule.webhook.substr(0, path));
  flow_list(writer.out(), "formats", schedule.formats);
  writer.value("language", schedule.language);
  writer.value("after", format_duration(schedule.after));
  writer.end();
}

void render_report(Writer& writer, const ReportConfig& report) {
  writer.begin("report");
  writer.value("timeZone", report.time_zone);
  writer.value("owner", report.owner);
  if (!report.fallback.empty()) {
    writer.begin("fallback");
    for (const auto& [zone, factor] : report.fallback) {
      writer.begin(zone.name());
      writer.number("gramsPerKwh", grams_per_kwh(factor.value));
      writer.value("source", factor.source);
      writer.number("year", factor.year);
      writer.end();
    }
    writer.end();
  }
  if (!report.market.empty()) {
    writer.begin("market");
    for (const auto& [site, factor] : report.market) {
      writer.begin(site);
      writer.number("gramsPerKwh", grams_per_kwh(factor.value));
      writer.text_if_any("instrument", factor.instrument);
      writer.value("source", factor.source);
      writer.number("year", factor.year);
      writer.end();
    }
    writer.end();
  }
  if (!report.paragraphs.empty()) {
    writer.begin("paragraphs");
    for (const auto& [name, text] : report.paragraphs) writer.value(name, text);
    writer.end();
  }
  if (report.schedule) render_schedule(writer, *report.schedule);
  writer.end();
}

void render_plausible(Writer& writer, const Config& config) {
  if (config.plausible.empty()) return;
  writer.begin("plausibleGramsPerKwh");
  for (const auto& [zone, range] : config.plausible) {
    flow_list(writer.out(), zone.name(),
              std::vector{plain(grams_per_kwh(range.least)), plain(grams_per_kwh(range.most))});
  }
  writer.end();
}

}  // namespace

std::string render_config(const Config& config) {
  Writer writer{config};
  writer.value("listen", config.listen.text());
  writer.value("insecure", config.insecure);
  writer.value("database", config.database.string());
  writer.begin("retention");
  writer.value("forecasts", format_duration(config.retention.forecasts));
  writer.value("rows", format_duration(config.retention.rows));
  writer.end();
  render_lists(writer, config);
  render_planning(writer, config.planning);
  render_kubernetes(writer, config.kubernetes);
  render_access(writer, config);
  render_report(writer, config.report);
  render_plausible(writer, config);
  return writer.finished();
}

}  // namespace valle::service::runtime
