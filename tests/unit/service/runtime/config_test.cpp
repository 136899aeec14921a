// SPDX-License-Identifier: Apache-2.0
#include "service/runtime/config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>

#include "tests/support/temporary_folder.hpp"

namespace valle::service::runtime {
namespace {

using scheduler::Error;
using scheduler::Zone;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

scheduler::Result<Config> parse(std::string_view yaml, const ConfigSources& sources = {}) {
  return parse_config(yaml, "valle.yaml", "/etc/valle", sources);
}

constexpr std::string_view k_example = R"(listen: 127.0.0.1:8080
database: valle.db
retention: {forecasts: 400d, rows: 5y}
sites:
  - {name: fr, zone: FR, pue: 1.2, region: eu-west-3, capacity: {gpu: 64}}
  - {name: es, zone: es, pue: 1.3, region: eu-south-2, capacity: {gpu: 64, cpu: 0.5}, queue: carbon-es}
sources:
  - {kind: electricity-maps, tokenFile: /run/secrets/electricity-maps, version: v4}
  - {kind: esios, tokenFile: /run/secrets/esios}
  - {kind: energy-charts, baseUrl: "http://127.0.0.1:9", timeout: 5s, budgetPerHour: 4, zones: [DE, FR]}
  - {kind: files, path: intensity/}
planning: {horizon: 7d, slot: 1h, every: 5m, minGainPercent: 1, onInfeasible: run, maxWait: 7d}
kubernetes: {mode: kueue, kubeconfig: null, lease: {namespace: valle, name: valle}}
webhook: {listen: 0.0.0.0:9443, certFile: tls.crt, keyFile: tls.key}
tls: {certFile: a.crt, keyFile: a.key, clientCaFile: /ca.crt}
auth: {tokensFile: tokens, tokenReview: false}
energy: {prometheus: "http://prometheus:9090", sources: [kepler, dcgm]}
report: {timeZone: Europe/Madrid, owner: namespace}
)";

TEST(Config, everything_has_a_default) {
  const Config config = parse("").value();
  EXPECT_EQ(config.listen.text(), "127.0.0.1:8080");
  EXPECT_EQ(config.database, "valle.db");
  EXPECT_EQ(config.retention.forecasts, std::chrono::days{400});
  EXPECT_EQ(config.retention.rows, std::chrono::days{1825});
  EXPECT_THAT(config.sources, IsEmpty());
  EXPECT_EQ(config.planning, PlanningConfig{});
  EXPECT_THAT(config.kubernetes.modes, IsEmpty());
  EXPECT_FALSE(config.webhook || config.tls || config.auth || config.energy);
  const std::vector<Zone> known{Zone::of("FR"), Zone::of("US-CAL-CISO")};
  EXPECT_THAT(config.sites_or_one_per(known), ElementsAre(SiteConfig{.name = "fr", .zone = known[0]},
                                                          SiteConfig{.name = "us-cal-ciso", .zone = known[1]}));
}

TEST(Config, the_example_of_the_contract_is_read) {
  const Config config = parse(k_example).value();
  EXPECT_EQ(config.database, "/etc/valle/valle.db");
  ASSERT_EQ(config.sites.size(), 2u);
  EXPECT_EQ(config.sites[0].pue, scheduler::ratio_from_number(1.2));
  EXPECT_EQ(config.sites[0].region, "eu-west-3");
  EXPECT_EQ(config.sites[0].capacity.at("gpu"), scheduler::Amount::of_base(64'000));
  EXPECT_EQ(config.sites[1].zone, Zone::of("ES"));
  EXPECT_EQ(config.sites[1].capacity.at("cpu"), scheduler::Amount::of_base(500));
  EXPECT_EQ(config.sites[1].queue, "carbon-es");
  ASSERT_EQ(config.sources.size(), 4u);
  EXPECT_EQ(config.sources[0].token_file, "/run/secrets/electricity-maps");
  EXPECT_EQ(config.sources[2].base_url, "http://127.0.0.1:9");
  EXPECT_EQ(config.sources[2].timeout, std::chrono::seconds{5});
  EXPECT_FALSE(config.sources[1].timeout);
  EXPECT_EQ(config.sources[2].budget_per_hour, 4);
  EXPECT_EQ(config.sources[3].path, "/etc/valle/intensity/");
  EXPECT_THAT(config.source_order(), ElementsAre("electricity-maps", "esios", "energy-charts", "files"));
  EXPECT_THAT(config.wanted_zones(), ElementsAre(Zone::of("FR"), Zone::of("ES"), Zone::of("DE")));
  EXPECT_THAT(config.kubernetes.modes, ElementsAre(KubernetesMode::kueue));
  EXPECT_EQ(config.webhook->listen.text(), "0.0.0.0:9443");
  EXPECT_EQ(config.webhook->cert_file, "/etc/valle/tls.crt");
  EXPECT_EQ(config.tls->client_ca_file, "/ca.crt");
  EXPECT_EQ(config.auth->tokens_file, "/etc/valle/tokens");
  EXPECT_THAT(config.energy->prometheus, ElementsAre("http://prometheus:9090"));
  EXPECT_THAT(config.energy->sources, ElementsAre("kepler", "dcgm"));
  EXPECT_THAT(config.energy->domains, ElementsAre("package", "dram"));
  EXPECT_EQ(config.report.time_zone, "Europe/Madrid");
}

TEST(Config, a_source_is_calibrated_by_the_names_of_machines) {
  const std::string head = "energy:\n  prometheus: http://p:9090\n  calibration:\n    - ";
  const std::string yaml = head +
                           "{nodes: \"gpu-*\", source: kepler, factor: 1.083, residualPercent: 2.1, meter: WT310E, "
                           "made: 2026-11-20T10:00:00Z}\n";
  const Config config = parse(yaml).value();
  ASSERT_EQ(config.energy->calibration.size(), 1u);
  const auto& calibration = config.energy->calibration[0];
  EXPECT_EQ(calibration.node_type, "gpu-*");
  EXPECT_EQ(calibration.boundary, scheduler::EnergyBoundary::pod);
  EXPECT_EQ(calibration.factor, scheduler::ratio_from_number(1.083));
  EXPECT_EQ(calibration.residual, scheduler::ratio_from_number(0.021));
  EXPECT_EQ(parse(render_config(config)).value().energy, config.energy);
  EXPECT_THAT(parse(head + "{nodes: \"*\", source: kepler, factor: 30, meter: m}\n").error().detail,
              HasSubstr("factor"));
  EXPECT_THAT(parse(head + "{nodes: \"*-gpu\", source: kepler, factor: 1, meter: m}\n").error().detail,
              HasSubstr("nodes"));
  EXPECT_THAT(parse(head + "{nodes: a, source: kepler, meter: m}\n").error().detail, HasSubstr("valle calibrate"));
}

TEST(Config, energy_is_read_from_one_or_more_replicas_on_stated_terms) {
  const std::string yaml =
      "energy:\n  prometheus: [\"http://a:9090\", \"http://b:9090\"]\n  tokenFile: token\n  every: 1m\n  giveUpAfter: "
      "2h\n"
      "  scrapeInterval: 30s\n  collectInterval: 1s\n  nodeLimitWatts: 800\n  boardLimitWatts: 350.5\n"
      "  boardIdleWatts: 40\n  domains: [psys]\n";
  const Config config = parse(yaml).value();
  ASSERT_TRUE(config.energy);
  EXPECT_THAT(config.energy->prometheus, ElementsAre("http://a:9090", "http://b:9090"));
  EXPECT_EQ(config.energy->every, std::chrono::minutes{1});
  EXPECT_EQ(config.energy->give_up_after, std::chrono::hours{2});
  EXPECT_EQ(config.energy->collect_interval, std::chrono::seconds{1});
  EXPECT_EQ(config.energy->board_limit_watts, 350.5);
  EXPECT_EQ(config.energy->board_idle_watts, 40);
  const auto again = parse_config(render_config(config), "printed", "/elsewhere", {});
  ASSERT_TRUE(again) << again.error().detail;
  EXPECT_EQ(again->energy, config.energy);
}

TEST(Config, a_self_managed_webhook_says_what_its_certificate_is_for) {
  const std::string yaml =
      "sites: [{name: fr, zone: FR}]\nkubernetes: {mode: jobs}\n"
      "webhook: {selfManaged: true, service: carbon, names: [127.0.0.1, '2001:db8::1', carbon.example.org]}\n";
  const Config config = parse(yaml).value();
  EXPECT_EQ(config.webhook->service, "carbon");
  EXPECT_THAT(config.webhook->names, ElementsAre("127.0.0.1", "2001:db8::1", "carbon.example.org"));
  EXPECT_EQ(parse(render_config(config)).value().webhook, config.webhook);
  const Config plain =
      parse("sites: [{name: fr, zone: FR}]\nkubernetes: {mode: jobs}\nwebhook: {selfManaged: true}\n").value();
  EXPECT_EQ(plain.webhook->service, "valle");
  EXPECT_THAT(render_config(plain), HasSubstr("service: valle"));
}

TEST(Config, flag_wins_over_variable_over_file_over_default) {
  const std::string_view yaml = "planning: {slot: 30m, every: 1m, maxWait: 2d}\n";
  const ConfigSources sources{
      .environment = {{"VALLE_PLANNING_SLOT", "15m"}, {"VALLE_PLANNING_EVERY", "2m"}, {"HOME", "/"}},
      .flags = {{"planning.slot", "10m"}}};
  const Config config = parse(yaml, sources).value();
  EXPECT_EQ(config.planning.slot, std::chrono::minutes{10});
  EXPECT_EQ(config.planning.every, std::chrono::minutes{2});
  EXPECT_EQ(config.planning.max_wait, std::chrono::days{2});
  EXPECT_EQ(config.planning.horizon, std::chrono::days{7});
  EXPECT_EQ(config.origins.at("planning.slot"), Origin::flag);
  EXPECT_EQ(config.origins.at("planning.every"), Origin::variable);
  EXPECT_EQ(config.origins.at("planning.maxWait"), Origin::file);
  EXPECT_FALSE(config.origins.contains("planning.horizon"));
}

TEST(Config, variables_make_whole_sections_and_words_are_joined_by_underscores) {
  const ConfigSources sources{.environment = {{"VALLE_TLS_CERT_FILE", "a.crt"},
                                              {"VALLE_TLS_KEYFILE", "a.key"},
                                              {"VALLE_PLANNING_MIN_GAIN_PERCENT", "2.5"}}};
  const Config config = parse("", sources).value();
  EXPECT_EQ(config.tls->cert_file, "a.crt");  // not from a file: relative to the working folder
  EXPECT_EQ(config.tls->key_file, "a.key");
  EXPECT_EQ(config.planning.min_gain, scheduler::Ratio::of_base(25'000));
}

TEST(Config, variables_of_a_kubernetes_service_called_valle_are_left_alone) {
  const ConfigSources sources{.environment = {{"VALLE_SERVICE_HOST", "10.0.0.1"},
                                              {"VALLE_SERVICE_PORT", "80"},
                                              {"VALLE_PORT", "tcp://10.0.0.1:80"},
                                              {"VALLE_PORT_80_TCP", "tcp://10.0.0.1:80"},
                                              {"VALLE_PORT_80_TCP_ADDR", "10.0.0.1"},
                                              {"VALLE_WEBHOOK_SERVICE_HOST", "10.0.0.2"},
                                              {"VALLE_WEBHOOK_PORT", "tcp://10.0.0.2:443"}}};
  const auto config = parse("", sources);
  ASSERT_TRUE(config) << config.error().detail;
  EXPECT_FALSE(config->webhook);
}

struct Refusal {
  std::string_view yaml;
  std::string_view place;
  std::string_view says;
};

class RefusedConfig : public ::testing::TestWithParam<Refusal> {};

TEST_P(RefusedConfig, names_place_and_remedy) {
  const auto config = parse(GetParam().yaml);
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().code, scheduler::Errc::invalid_request);
  EXPECT_EQ(config.error().pointer, GetParam().place);
  EXPECT_THAT(config.error().detail, HasSubstr(std::string{GetParam().says}));
}

INSTANTIATE_TEST_SUITE_P(
    Each, RefusedConfig,
    ::testing::Values(
        Refusal{"database: a.db\nlisen: 127.0.0.1:1\n", "valle.yaml:2", "lisen: unknown key; did you mean listen?"},
        Refusal{"planning:\n  slots: 1h\n", "valle.yaml:2", "planning.slots: unknown key; did you mean slot?"},
        Refusal{"planning:\n  colour: red\n", "valle.yaml:2", "known here are horizon, slot"},
        Refusal{"database: a\ndatabase: b\n", "valle.yaml:2", "database: is there twice"},
        Refusal{"planning: {slot: 1 day}\n", "valle.yaml:1", "planning.slot: \"1 day\" is no duration"},
        Refusal{"planning: {slot: 0}\n", "valle.yaml:1", "must lie between PT1S and P1D"},
        Refusal{"planning: {slot: 1s}\n", "", "planning.slot: must go into planning.horizon"},
        Refusal{"planning: {minGainPercent: 1,5}\n", "valle.yaml:1", "5: unknown key"},
        Refusal{"planning: {minGainPercent: \"1,5\"}\n", "valle.yaml:1", "with a dot"},
        Refusal{"planning: {minGainPercent: .nan}\n", "valle.yaml:1", "is no number"},
        Refusal{"planning: {onInfeasible: rejct}\n", "valle.yaml:1", "did you mean reject?"},
        Refusal{"planning: soon\n", "valle.yaml:1", "planning: must be a map"},
        Refusal{"- a\n- b\n", "valle.yaml:1", "must be a map"},
        Refusal{"listen: [1, 2]\n", "valle.yaml:1", "listen: must be a single value"},
        Refusal{"listen: 8080\n", "valle.yaml:1", "is no address"},
        Refusal{"listen: 127.0.0.1:99999\n", "valle.yaml:1", "0 to 65535"},
        Refusal{"listen: 0.0.0.0:8080\n", "", "needs tls: and auth:, or insecure: true"},
        Refusal{"insecure: yes\n", "valle.yaml:1", "must be true or false"},
        Refusal{"retention: {rows: 5w5}\n", "valle.yaml:1", "retention.rows"},
        Refusal{"sites:\n  - {name: fr}\n", "valle.yaml:2", "sites[0].zone: is missing"},
        Refusal{"sites:\n  - {name: fr, zone: FR, pue: 0.9}\n", "valle.yaml:2",
                "sites[0].pue: \"0.9\" must lie between 1 and 16"},
        Refusal{"sites:\n  - {name: fr, zone: FR}\n  - {name: FR, zone: DE}\n", "valle.yaml:3", "is there twice"},
        Refusal{"sites:\n  - {name: fr, zone: FR, capacity: {gpu: -1}}\n", "valle.yaml:2", "sites[0].capacity.gpu"},
        Refusal{"sites: {name: fr}\n", "valle.yaml:1", "sites: must be a list"},
        Refusal{"sites: [fr]\n", "valle.yaml:1", "sites[0]: must be a map"},
        Refusal{"sources:\n  - {kind: energy-chart}\n", "valle.yaml:2", "did you mean energy-charts?"},
        Refusal{"sources:\n  - {kind: esios}\n", "valle.yaml:2", "sources[0].tokenFile: is missing"},
        Refusal{"sources:\n  - {kind: esios, token: abc}\n", "valle.yaml:2", "sources[0].token: unknown key"},
        Refusal{"sources:\n  - {kind: esios, tokenVariable: NOT_SET}\n", "valle.yaml:2",
                "the variable NOT_SET is not set"},
        Refusal{"sources:\n  - {kind: files}\n", "valle.yaml:2", "sources[0].path: is missing"},
        Refusal{"sources:\n  - {kind: energy-charts, baseUrl: ftp://x}\n", "valle.yaml:2", "is no address"},
        Refusal{"sources:\n  - {kind: energy-charts, baseUrl: \"https://me:pw@x\"}\n", "valle.yaml:2",
                "must not hold a user"},
        Refusal{"sources:\n  - {kind: energy-charts, zones: [FR, fr]}\n", "valle.yaml:2", "FR is there twice"},
        Refusal{"sources:\n  - {kind: energy-charts, zones: []}\n", "valle.yaml:2", "must be a list of 1 to 64"},
        Refusal{"kubernetes: {mode: [none, kueue]}\n", "valle.yaml:1", "none stands alone"},
        Refusal{"kubernetes: {mode: kue}\n", "valle.yaml:1", "kubernetes.mode"},
        Refusal{"webhook: {certFile: a}\n", "valle.yaml:1", "give certFile and keyFile"},
        Refusal{"webhook: {selfManaged: true}\n", "valle.yaml:1", "webhook.selfManaged: needs kubernetes.mode"},
        Refusal{"webhook: {selfManaged: true, certFile: a, keyFile: b}\n", "valle.yaml:1", "selfManaged: true alone"},
        Refusal{"webhook: {certFile: a, keyFile: b, names: [a.example]}\n", "valle.yaml:1", "for selfManaged: true"},
        Refusal{"webhook: {certFile: a, keyFile: b, service: carbon}\n", "valle.yaml:1", "for selfManaged: true"},
        Refusal{"webhook: {selfManaged: true, names: [\"a,DNS:b\"]}\n", "valle.yaml:1", "must be a DNS name or an IP"},
        Refusal{"tls: {certFile: a}\n", "valle.yaml:1", "tls.keyFile: is missing"},
        Refusal{"auth: {}\n", "valle.yaml:1", "auth.tokensFile: is missing"},
        Refusal{"energy: {sources: [kepler]}\n", "valle.yaml:1", "energy.prometheus: is missing"},
        Refusal{"energy: {prometheus: \"http://p\", sources: [keppler]}\n", "valle.yaml:1", "did you mean kepler?"},
        Refusal{"energy: {prometheus: \"http://p\", domains: [psys, package]}\n", "valle.yaml:1",
                "energy.domains: psys contains package"},
        Refusal{"energy: {prometheus: \"http://p\", nodeLimitWatts: 0}\n", "valle.yaml:1", "energy.nodeLimitWatts"},
        Refusal{"energy: {prometheus: [\"http://p\", ftp://q]}\n", "valle.yaml:1", "is no address"},
        Refusal{"report: {timeZone: \"Madrid time\"}\n", "valle.yaml:1", "write it like Europe/Madrid"},
        Refusal{"plausibleGramsPerKwh: {ZA: [2500, 1]}\n", "valle.yaml:1", "must be [lowest, highest]"},
        Refusal{"a: [1\nb: 2\n", "valle.yaml:2", "is not YAML"}));

TEST(Config, a_bad_flag_or_variable_is_named) {
  const Error flag = parse("", {.flags = {{"listen", "nowhere"}}}).error();
  EXPECT_EQ(flag.pointer, "--listen");
  const Error variable = parse("", {.environment = {{"VALLE_PLANNING_SLOT", "soon"}}}).error();
  EXPECT_EQ(variable.pointer, "VALLE_PLANNING_SLOT");
  EXPECT_THAT(variable.detail, HasSubstr("planning.slot: \"soon\" is no duration"));
  const Error slip = parse("", {.environment = {{"VALLE_PLANING_SLOT", "1h"}}}).error();
  EXPECT_EQ(slip.pointer, "VALLE_PLANING_SLOT");
  EXPECT_THAT(slip.detail, HasSubstr("planning.slot"));
  const Error exposed = parse("", {.flags = {{"listen", "[::]:8080"}}}).error();
  EXPECT_EQ(exposed.pointer, "--listen");
}

TEST(Config, an_open_address_is_allowed_with_tls_and_auth_or_on_purpose) {
  EXPECT_TRUE(parse("listen: 0.0.0.0:80\ntls: {certFile: a, keyFile: b}\nauth: {tokenReview: true}\n"));
  EXPECT_TRUE(parse("listen: 0.0.0.0:80\ninsecure: true\n"));
  EXPECT_FALSE(parse("listen: 0.0.0.0:80\ntls: {certFile: a, keyFile: b}\n"));
  for (const char* loopback : {"127.0.0.1:0", "127.1.2.3:80", "localhost:80", "'[::1]:80'"}) {
    EXPECT_TRUE(parse(std::string{"listen: "} + loopback)) << loopback;
  }
  EXPECT_FALSE(parse("listen: 127.evil.example:80\n"));
}

TEST(Config, what_is_printed_is_read_again_as_the_same) {
  const Config config = parse(k_example).value();
  const std::string text = render_config(config);
  const auto again = parse_config(text, "printed", "/elsewhere", {});
  ASSERT_TRUE(again) << again.error().pointer << " " << again.error().detail << "\n" << text;
  EXPECT_EQ(render_config(*again), std::regex_replace(text, std::regex{"  # default"}, ""));
  EXPECT_EQ(again->sites, config.sites);
  EXPECT_EQ(again->planning, config.planning);
  EXPECT_EQ(again->kubernetes, config.kubernetes);
  EXPECT_EQ(again->webhook, config.webhook);
  EXPECT_EQ(again->tls, config.tls);
  EXPECT_EQ(again->energy, config.energy);
}

TEST(Config, what_is_printed_marks_defaults_and_never_shows_a_secret) {
  const ConfigSources sources{.environment = {{"EM_TOKEN", "k-4471-demo"}, {"VALLE_PLANNING_SLOT", "15m"}},
                              .flags = {{"listen", "127.0.0.1:0"}}};
  const Config config =
      parse("database: /a.db\nsources: [{kind: electricity-maps, tokenVariable: EM_TOKEN}]\n", sources).value();
  EXPECT_EQ(config.sources.at(0).token->reveal(), "k-4471-demo");
  const std::string text = render_config(config);
  EXPECT_THAT(text, Not(HasSubstr("k-4471-demo")));
  EXPECT_THAT(text, HasSubstr("tokenVariable: EM_TOKEN"));
  EXPECT_THAT(text, HasSubstr("listen: 127.0.0.1:0  # from a flag"));
  EXPECT_THAT(text, HasSubstr("slot: PT15M  # from a variable"));
  EXPECT_THAT(text, HasSubstr("every: PT5M  # default"));
  EXPECT_THAT(text, HasSubstr("database: /a.db\n"));
}

TEST(Config, a_file_is_read_with_paths_relative_to_it) {
  const tests::TemporaryFolder folder;
  std::ofstream{folder / "valle.yaml"} << "database: data/valle.db\n";
  EXPECT_EQ(load_config({.file = folder / "valle.yaml"}).value().database, folder.path() / "data/valle.db");
  EXPECT_THAT(load_config({.file = folder / "missing.yaml"}).error().detail, HasSubstr("cannot be read"));
  EXPECT_THAT(load_config({.file = folder.path()}).error().detail, HasSubstr("cannot be read"));
  std::ofstream{folder / "large.yaml"} << std::string((1u << 20) + 1, '#');
  EXPECT_EQ(load_config({.file = folder / "large.yaml"}).error().code, scheduler::Errc::too_large);
  EXPECT_EQ(load_config({}).value().database, "valle.db");
}

TEST(Config, deep_and_strange_yaml_is_refused_not_crashed_on) {
  EXPECT_FALSE(parse(std::string(100'000, '[')));
  EXPECT_FALSE(parse(std::string(100'000, '{')));
  EXPECT_FALSE(parse("a: &a [*a]\n"));
  EXPECT_FALSE(parse("? [1]\n: 2\n"));
  EXPECT_FALSE(parse("a: !!binary x\n"));
  EXPECT_FALSE(parse(std::string_view{"a: \0b\n", 6}));
}

}  // namespace
}  // namespace valle::service::runtime
