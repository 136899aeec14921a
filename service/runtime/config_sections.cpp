// SPDX-License-Identifier: Apache-2.0
#include "service/runtime/config_sections.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "service/api/nearest_name.hpp"
#include "service/runtime/config_values.hpp"

namespace valle::service::runtime {
namespace {

using scheduler::Duration;
using scheduler::Result;

constexpr std::size_t k_most_sites = 64;
constexpr std::size_t k_most_sources = 64;
constexpr std::size_t k_most_zones = 64;
constexpr std::size_t k_most_webhook_names = 32;
constexpr double k_most_capacity = 1e9;

constexpr std::array<std::string_view, 5> k_kinds{"electricity-maps", "esios", "energy-charts", "rte", "files"};

std::string listed(std::span<const std::string_view> words) {
  std::string list;
  for (std::size_t i = 0; i < words.size(); ++i) list += (i == 0 ? "" : ", ") + std::string{words[i]};
  return list;
}

/// One of a few words; with a suggestion for a slip.
auto one_of(std::span<const std::string_view> words) {
  return [words](std::string_view text) -> Result<std::string> {
    if (std::find(words.begin(), words.end(), text) != words.end()) return std::string{text};
    const auto nearest = api::nearest_name(text, words);
    return scheduler::refuse(scheduler::Errc::invalid_request, nearest ? "did you mean " + std::string{*nearest} + "?"
                                                                       : "must be one of " + listed(words));
  };
}

auto within(Duration least, Duration most) {
  return [=](std::string_view text) { return parse_duration_within(text, {least, most}); };
}

void require_key(Section& section, bool there, const std::string& key, const std::string& example) {
  if (!there) section.reading().refuse(section.place(), section.full(key), "is missing; write it like " + example);
}

std::string lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

void read_capacity(Section site_section, SiteConfig& site) {
  for (const std::string& resource : site_section.names()) {
    site_section.read(resource, site.capacity[resource], [](std::string_view text) -> Result<scheduler::Amount> {
      const auto number = parse_number_within(text, {0, k_most_capacity});
      if (!number) return tl::unexpected{number.error()};
      return scheduler::Amount::of_base(static_cast<std::int64_t>(*number * 1000 + 0.5));
    });
  }
}

std::optional<SiteConfig> read_site(Section& section) {
  std::string name;
  std::optional<scheduler::Zone> zone;
  SiteConfig site{.name = {}, .zone = scheduler::Zone::of("X")};
  section.read("name", name, parse_name);
  section.read("zone", zone,
               [](std::string_view text) -> Result<std::optional<scheduler::Zone>> { return parse_zone(text); });
  section.read("pue", site.pue, [](std::string_view text) -> Result<scheduler::Ratio> {
    const auto number = parse_number_within(text, {1, 16});
    if (!number) return tl::unexpected{number.error()};
    return scheduler::ratio_from_number(*number);
  });
  section.read("region", site.region, parse_text);
  read_capacity(section.inner("capacity"), site);
  section.read("queue", site.queue, parse_name);
  section.finish();
  require_key(section, !name.empty(), "name", "name: fr");
  require_key(section, zone.has_value(), "zone", "zone: FR");
  if (name.empty() || !zone) return {};
  site.name = name;
  site.zone = *zone;
  return site;
}

void read_source_zones(Section& section, SourceConfig& source) {
  for (const Setting& setting : section.texts("zones", k_most_zones)) {
    const auto zone = parse_zone(setting.text);
    if (!zone) {
      section.refuse(setting, "zones", zone.error().detail);
    } else if (std::find(source.zones.begin(), source.zones.end(), *zone) != source.zones.end()) {
      section.refuse(setting, "zones", zone->name() + " is there twice; keep one");
    } else {
      source.zones.push_back(*zone);
    }
  }
}

/// The token itself, where a variable holds it.
void read_token(Section& section, SourceConfig& source) {
  section.read_path("tokenFile", source.token_file);
  section.read("tokenVariable", source.token_variable, parse_name);
  if (source.token_variable.empty()) return;
  const Settings& environment = section.reading().sources().environment;
  const auto variable = environment.find(source.token_variable);
  if (variable == environment.end() || variable->second.empty()) {
    section.reading().refuse(section.place(), section.full("tokenVariable"),
                             "the variable " + source.token_variable + " is not set");
    return;
  }
  source.token = connectors::Secret{variable->second};
}

void check_source(Section& section, const SourceConfig& source) {
  const auto refuse = [&](const char* key, const std::string& what) {
    section.reading().refuse(section.place(), section.full(key), what);
  };
  const bool needs_token = source.kind == "electricity-maps" || source.kind == "esios";
  const bool token = !source.token_file.empty() || !source.token_variable.empty();
  if (needs_token && !token) {
    refuse("tokenFile",
           "is missing; write it like tokenFile: /run/secrets/" + source.kind + ", or tokenVariable: NAME");
  }
  if (!source.token_file.empty() && !source.token_variable.empty())
    refuse("tokenVariable", "give either this or tokenFile");
  if (!needs_token && token) refuse("tokenFile", source.kind + " takes no token");
  const bool files = source.kind == "files";
  if (files && source.path.empty()) refuse("path", "is missing; write it like path: intensity/");
  if (!files && !source.path.empty()) refuse("path", "is for kind files only");
  if (!source.version.empty() && source.kind != "electricity-maps")
    refuse("version", "is for kind electricity-maps only");
  if (files && !source.base_url.empty()) refuse("baseUrl", "is not for kind files");
}

std::optional<SourceConfig> read_source(Section& section) {
  constexpr static std::array<std::string_view, 2> versions{"v3", "v4"};
  SourceConfig source;
  section.read("kind", source.kind, one_of(k_kinds));
  read_token(section, source);
  section.read("version", source.version, one_of(versions));
  section.read("baseUrl", source.base_url, parse_url);
  section.read("timeout", source.timeout,
               [](std::string_view text) -> Result<std::optional<std::chrono::milliseconds>> {
                 return parse_duration_within(text, {Duration{1}, Duration{300}});
               });
  section.read("budgetPerHour", source.budget_per_hour, [](std::string_view text) -> Result<std::optional<int>> {
    return parse_whole_within(text, 1, 100'000);
  });
  read_source_zones(section, source);
  section.read_path("path", source.path);
  section.finish();
  require_key(section, !source.kind.empty(), "kind", "kind: energy-charts");
  if (source.kind.empty()) return {};
  check_source(section, source);
  return source;
}

std::optional<KubernetesMode> mode_from_text(std::string_view text) {
  if (text == "jobs") return KubernetesMode::jobs;
  if (text == "kueue") return KubernetesMode::kueue;
  if (text == "volcano") return KubernetesMode::volcano;
  return {};
}

}  // namespace

std::span<const std::string_view> source_kinds() { return k_kinds; }

void read_sites(Section& root, Config& config) {
  std::set<std::string> names;
  for (Section& section : root.entries("sites", k_most_sites)) {
    std::optional<SiteConfig> site = read_site(section);
    if (!site) continue;
    if (!names.insert(lower(site->name)).second) {
      root.reading().refuse(section.place(), section.full("name"),
                            site->name + " is there twice; names differ without regard to case");
    }
    config.sites.push_back(std::move(*site));
  }
}

void read_sources(Section& root, Config& config) {
  for (Section& section : root.entries("sources", k_most_sources)) {
    if (std::optional<SourceConfig> source = read_source(section)) config.sources.push_back(std::move(*source));
  }
}

/// Standard deviations.
scheduler::Result<scheduler::Ratio> parse_risk(std::string_view text) {
  const auto number = parse_number_within(text, {0, 3});
  if (!number) return tl::unexpected{number.error()};
  return scheduler::ratio_from_number(*number);
}

void read_planning(Section& root, Config& config) {
  using std::chrono::days;
  using std::chrono::hours;
  constexpr static std::array<std::string_view, 2> choices{"run", "reject"};
  constexpr int most_slots = 10'000;
  PlanningConfig& planning = config.planning;
  Section section = root.inner("planning");
  section.read("horizon", planning.horizon, within(Duration{1}, days{60}));
  section.read("slot", planning.slot, within(Duration{1}, hours{24}));
  section.read("every", planning.every, within(Duration{1}, hours{24}));
  section.read("minGainPercent", planning.min_gain, parse_percent);
  section.read("minSavingPercent", planning.min_saving, parse_percent);
  section.read("risk", planning.risk, parse_risk);
  std::string on_infeasible = "run";
  section.read("onInfeasible", on_infeasible, one_of(choices));
  planning.on_infeasible = on_infeasible == "run" ? OnInfeasible::run : OnInfeasible::reject;
  section.read("maxWait", planning.max_wait, within(Duration{0}, days{366}));
  section.finish();
  if (planning.horizon < planning.slot || planning.horizon / planning.slot > most_slots) {
    root.reading().refuse("", "planning.slot",
                          "must go into planning.horizon 1 to " + std::to_string(most_slots) + " times");
  }
}

void read_kubernetes(Section& root, Config& config) {
  constexpr static std::array<std::string_view, 4> words{"none", "jobs", "kueue", "volcano"};
  Section section = root.inner("kubernetes");
  std::vector<Setting> modes;
  if (section.is_list("mode")) {
    modes = section.texts("mode", 3);
  } else if (const auto mode = section.find("mode")) {
    modes.push_back(*mode);
  }
  for (const Setting& mode : modes) {
    const auto word = one_of(words)(mode.text);
    if (!word) {
      section.refuse(mode, "mode", word.error().detail);
    } else if (const auto known = mode_from_text(*word)) {
      config.kubernetes.modes.push_back(*known);
    } else if (modes.size() > 1) {
      section.refuse(mode, "mode", "none stands alone");
    }
  }
  section.read_path("kubeconfig", config.kubernetes.kubeconfig);
  Section lease = section.inner("lease");
  lease.read("namespace", config.kubernetes.lease_namespace, parse_name);
  lease.read("name", config.kubernetes.lease_name, parse_name);
  lease.read("duration", config.kubernetes.lease_duration, within(Duration{1}, std::chrono::minutes{10}));
  lease.read("renewDeadline", config.kubernetes.lease_renew_deadline, within(Duration{1}, std::chrono::minutes{10}));
  lease.read("retryPeriod", config.kubernetes.lease_retry, within(Duration{1}, std::chrono::minutes{10}));
  lease.finish();
  section.read("defaultDuration", config.kubernetes.default_duration, within(Duration{1}, std::chrono::days{30}));
  section.read("finishMargin", config.kubernetes.finish_margin, within(Duration{0}, std::chrono::days{7}));
  section.finish();
  const auto& kubernetes = config.kubernetes;
  // The rule of client-go: a holder must have given up before others may take over.
  if (kubernetes.lease_duration <= kubernetes.lease_renew_deadline ||
      kubernetes.lease_renew_deadline * 5 <= kubernetes.lease_retry * 6) {
    root.reading().refuse("", "kubernetes.lease", "must have duration > renewDeadline > 1.2 times retryPeriod");
  }
  if (kubernetes.modes.empty()) return;
  if (config.sites.empty()) {
    root.reading().refuse("", "kubernetes.mode",
                          "needs sites: with their regions, so that jobs are sent to places that exist");
  } else if (config.sites.size() > 1) {
    for (const SiteConfig& site : config.sites) {
      if (!site.region.empty() || !site.queue.empty()) continue;
      root.reading().refuse("", "sites",
                            site.name + " needs a region (or a queue): with several sites a job is sent to one");
    }
  }
}

namespace {

/// DNS names and IP addresses for the certificate.
void read_webhook_names(Section& section, WebhookConfig& webhook) {
  for (const Setting& setting : section.texts("names", k_most_webhook_names)) {
    const auto name = parse_host(setting.text);
    if (!name) {
      section.refuse(setting, "names", name.error().detail);
    } else {
      webhook.names.push_back(*name);
    }
  }
}

void check_self_managed(Section& section, const WebhookConfig& webhook, const Config& config) {
  const auto refuse = [&](const char* key, const std::string& what) {
    section.reading().refuse(section.place(), section.full(key), what);
  };
  if (webhook.self_managed && config.kubernetes.modes.empty()) {
    refuse("selfManaged", "needs kubernetes.mode: the certificate is kept in a Secret of the cluster");
  }
  if (!webhook.self_managed && (!webhook.names.empty() || webhook.service != WebhookConfig{}.service)) {
    refuse("names", "and service are for selfManaged: true only");
  }
}

}  // namespace

void read_webhook(Section& root, Config& config) {
  Section section = root.inner("webhook");
  if (!section.present({"listen", "certFile", "keyFile", "selfManaged"})) return;
  WebhookConfig webhook;
  section.read("listen", webhook.listen, parse_endpoint);
  section.read_path("certFile", webhook.cert_file);
  section.read_path("keyFile", webhook.key_file);
  section.read("selfManaged", webhook.self_managed, parse_switch);
  section.read("service", webhook.service, parse_host);
  read_webhook_names(section, webhook);
  section.finish();
  const bool both = !webhook.cert_file.empty() && !webhook.key_file.empty();
  const bool none = webhook.cert_file.empty() && webhook.key_file.empty();
  if (webhook.self_managed ? !none : !both) {
    root.reading().refuse(section.place(), "webhook", "give certFile and keyFile, or selfManaged: true alone");
  }
  check_self_managed(section, webhook, config);
  config.webhook = webhook;
}

void read_tls_and_auth(Section& root, Config& config) {
  Section tls_section = root.inner("tls");
  if (tls_section.present({"certFile", "keyFile", "clientCaFile"})) {
    TlsConfig tls;
    tls_section.read_path("certFile", tls.cert_file);
    tls_section.read_path("keyFile", tls.key_file);
    tls_section.read_path("clientCaFile", tls.client_ca_file);
    tls_section.finish();
    require_key(tls_section, !tls.cert_file.empty(), "certFile", "certFile: tls.crt");
    require_key(tls_section, !tls.key_file.empty(), "keyFile", "keyFile: tls.key");
    config.tls = tls;
  }
  Section auth_section = root.inner("auth");
  if (auth_section.present({"tokensFile", "tokenReview"})) {
    AuthConfig auth;
    auth_section.read_path("tokensFile", auth.tokens_file);
    auth_section.read("tokenReview", auth.token_review, parse_switch);
    auth_section.finish();
    require_key(auth_section, !auth.tokens_file.empty() || auth.token_review, "tokensFile", "tokensFile: tokens");
    config.auth = auth;
  }
}

void read_plausible(Section& root, Config& config) {
  Section section = root.inner("plausibleGramsPerKwh");
  for (const std::string& name : section.names()) {
    const auto zone = parse_zone(name);
    if (!zone) section.reading().refuse(section.place(), section.full(name), zone.error().detail);
    std::vector<double> bounds;
    for (const Setting& setting : section.texts_of_name(name, 2)) {
      const auto bound = parse_number_within(setting.text, {0.001, 100'000});
      if (!bound) section.refuse(setting, name, bound.error().detail);
      bounds.push_back(bound.value_or(0));
    }
    if (!zone || section.reading().problem()) return;
    if (bounds.size() != 2 || bounds[0] >= bounds[1]) {
      return section.reading().refuse(section.place(), section.full(name),
                                      "must be [lowest, highest], as in [1, 2500]");
    }
    config.plausible[*zone] = {scheduler::intensity_from_grams_per_kwh(bounds[0]),
                               scheduler::intensity_from_grams_per_kwh(bounds[1])};
  }
}

}  // namespace valle::service::runtime
