// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "connectors/secret/secret.hpp"
#include "scheduler/energy/calibration.hpp"
#include "scheduler/model/error.hpp"
#include "scheduler/model/problem.hpp"
#include "service/store/intensity_repository.hpp"

namespace valle::service::runtime {

/// An address to listen on. Port 0: any free one.
struct Endpoint {
  std::string host = "127.0.0.1";
  std::uint16_t port = 8080;
  [[nodiscard]] bool loopback() const;
  /// `127.0.0.1:8080`, `[::1]:8080`
  [[nodiscard]] std::string text() const;
  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};
[[nodiscard]] scheduler::Result<Endpoint> parse_endpoint(std::string_view text);

struct SiteConfig {
  std::string name;
  scheduler::Zone zone;
  scheduler::Ratio pue = scheduler::k_one;
  std::string region = {};                                 ///< topology.kubernetes.io/region; empty if not given
  std::map<std::string, scheduler::Amount> capacity = {};  ///< a resource without an entry is unlimited
  std::string queue = {};                                  ///< LocalQueue to move to; empty if not given
  friend bool operator==(const SiteConfig&, const SiteConfig&) = default;
};

struct SourceConfig {
  std::string kind;  ///< electricity-maps, esios, energy-charts, rte, files
  std::filesystem::path token_file = {};
  std::string token_variable = {};                        ///< the name of the variable that holds the token
  std::optional<connectors::Secret> token = {};           ///< from that variable
  std::string version = {};                               ///< of the provider's API; empty: the connector's default
  std::string base_url = {};                              ///< a proxy, a test server; empty: the provider's own
  std::optional<std::chrono::milliseconds> timeout = {};  ///< for one request; nothing: the connector's default
  std::optional<int> budget_per_hour = {};  ///< most requests in an hour; nothing: the connector's default
  std::vector<scheduler::Zone> zones = {};  ///< only these; empty: all that it offers
  std::filesystem::path path = {};          ///< files: a folder or a file
  /// Is the source to serve this zone?
  [[nodiscard]] bool takes(const scheduler::Zone& zone) const;
};

enum class OnInfeasible { run, reject };

struct PlanningConfig {
  scheduler::Duration horizon = std::chrono::days{7};
  scheduler::Duration slot = std::chrono::hours{1};
  scheduler::Duration every = std::chrono::minutes{5};
  scheduler::Ratio min_gain = scheduler::Ratio::of_base(10'000);  ///< for moving planned jobs; 1 %
  scheduler::Ratio risk{};        ///< standard deviations of own forecasts that planning adds to their means
  scheduler::Ratio min_saving{};  ///< what waiting must save, against the earliest start
  OnInfeasible on_infeasible = OnInfeasible::run;
  scheduler::Duration max_wait = std::chrono::days{7};
  friend bool operator==(const PlanningConfig&, const PlanningConfig&) = default;
};

enum class KubernetesMode { jobs, kueue, volcano };

struct KubernetesConfig {
  std::vector<KubernetesMode> modes = {};  ///< empty: none
  std::filesystem::path kubeconfig = {};   ///< empty: in the cluster
  std::string lease_namespace = "valle";
  std::string lease_name = "valle";
  scheduler::Duration lease_duration = std::chrono::seconds{15};        ///< after which another replica takes over
  scheduler::Duration lease_renew_deadline = std::chrono::seconds{10};  ///< a leader that can't renew stops acting
  scheduler::Duration lease_retry = std::chrono::seconds{2};
  scheduler::Duration default_duration = std::chrono::hours{1};  ///< of a job that says nothing of its run time
  scheduler::Duration finish_margin{0};                          ///< that valle.sh/finish-by is met with
  friend bool operator==(const KubernetesConfig&, const KubernetesConfig&) = default;
};

struct WebhookConfig {
  Endpoint listen{"0.0.0.0", 9443};
  std::filesystem::path cert_file = {};
  std::filesystem::path key_file = {};
  bool self_managed = false;            ///< certificates are made, renewed and kept in a Secret
  std::string service = "valle";        ///< that the API server calls; names the certificate, as do `names`
  std::vector<std::string> names = {};  ///< further DNS names and IP addresses
  friend bool operator==(const WebhookConfig&, const WebhookConfig&) = default;
};

struct TlsConfig {
  std::filesystem::path cert_file;
  std::filesystem::path key_file;
  std::filesystem::path client_ca_file = {};
  friend bool operator==(const TlsConfig&, const TlsConfig&) = default;
};

struct AuthConfig {
  std::filesystem::path tokens_file = {};
  bool token_review = false;
  friend bool operator==(const AuthConfig&, const AuthConfig&) = default;
};

/// Where energy is read from. Only what Prometheus can't tell is asked for.
struct EnergyConfig {
  std::vector<std::string> prometheus = {};  ///< replicas that scrape the same exporters, each read apart
  std::vector<std::string> sources = {};     ///< kepler, dcgm, scaphandre; empty: all that are found
  std::filesystem::path token_file = {};
  scheduler::Duration every = std::chrono::minutes{5};         ///< between two rounds of measuring
  scheduler::Duration give_up_after = std::chrono::hours{24};  ///< of asking for an attempt that nobody has seen
  scheduler::Duration scrape_interval = std::chrono::seconds{15};
  std::optional<scheduler::Duration> collect_interval = {};  ///< of dcgm-exporter, where it is set
  double node_limit_watts = 1'000;
  double board_limit_watts = 700;
  std::optional<double> board_idle_watts = {};
  std::vector<std::string> domains = {"package", "dram"};  ///< of Kepler's counters
  /// By type of machine. `node_type` is a node's name or, with a `*` at its end, how names begin.
  std::vector<scheduler::Calibration> calibration = {};
  friend bool operator==(const EnergyConfig&, const EnergyConfig&) = default;
};

/// What stands in for hours of a zone without realised intensity; each row that it touches says so.
struct YearlyFactor {
  scheduler::CarbonIntensity value;
  std::string source = {};
  int year = 0;
  friend bool operator==(const YearlyFactor&, const YearlyFactor&) = default;
};

/// The market-based factor of a site, as its contracts give it.
struct MarketFactor {
  scheduler::CarbonIntensity value;
  std::string instrument = {};  ///< guarantee of origin, power purchase agreement, supplier's mix, residual mix
  std::string source = {};
  int year = 0;
  friend bool operator==(const MarketFactor&, const MarketFactor&) = default;
};

/// Where finished weeks are sent by themselves.
struct ReportSchedule {
  std::filesystem::path folder = {};  ///< empty: no files
  std::string webhook = {};           ///< empty: none; gets the JSON by POST
  std::vector<std::string> formats = {"json", "html"};
  std::string language = "en";
  scheduler::Duration after = std::chrono::hours{24};  ///< the week's end, so that late numbers are in
  friend bool operator==(const ReportSchedule&, const ReportSchedule&) = default;
};

struct ReportConfig {
  std::string time_zone = "UTC";
  std::string owner = "namespace";
  std::map<scheduler::Zone, YearlyFactor> fallback = {};
  std::map<std::string, MarketFactor> market = {};     ///< by site
  std::map<std::string, std::string> paragraphs = {};  ///< of standards, by the export's own words
  std::optional<ReportSchedule> schedule = {};
  friend bool operator==(const ReportConfig&, const ReportConfig&) = default;
};

/// What a value must lie in to be taken, in one zone.
struct PlausibleRange {
  scheduler::CarbonIntensity least = scheduler::CarbonIntensity::of_base(1'000);
  scheduler::CarbonIntensity most = scheduler::CarbonIntensity::of_base(2'000'000);
  friend bool operator==(const PlausibleRange&, const PlausibleRange&) = default;
};

/// Where a setting came from, for `check-config`.
enum class Origin { fallback, file, variable, flag };

/// Every setting (contract section 6), valid and with paths resolved. Plain data: read once at start, then handed in
/// parts to those who need them.
struct Config {
  Endpoint listen;
  bool insecure = false;  ///< another address than loopback without tls and auth
  std::filesystem::path database = "valle.db";
  store::Retention retention;
  std::vector<SiteConfig> sites;      ///< empty: each known zone is a site
  std::vector<SourceConfig> sources;  ///< in the order of trying; empty: the bundled sample
  PlanningConfig planning;
  KubernetesConfig kubernetes;
  std::optional<WebhookConfig> webhook;
  std::optional<TlsConfig> tls;
  std::optional<AuthConfig> auth;
  std::optional<EnergyConfig> energy;
  ReportConfig report;
  std::map<scheduler::Zone, PlausibleRange> plausible;  ///< `plausibleGramsPerKwh: {ZA: [1, 2500]}`
  std::map<std::string, Origin, std::less<>> origins;   ///< by dotted key; a key that is not there has its default

  /// The kinds of the configured sources in order, each once.
  [[nodiscard]] std::vector<std::string> source_order() const;
  /// Zones of sites and of sources' `zones:`, each once, in the order of mention: what is fetched.
  [[nodiscard]] std::vector<scheduler::Zone> wanted_zones() const;
  /// The configured sites; without any, one for each of `known`: lower-case name, PUE 1, no limit.
  [[nodiscard]] std::vector<SiteConfig> sites_or_one_per(std::span<const scheduler::Zone> known) const;
};

/// By dotted key: {"listen", "127.0.0.1:0"}, {"database", "x.db"}.
using Settings = std::map<std::string, std::string, std::less<>>;

/// Where settings come from, strongest last in the file: flag, then variable, then file, then default.
struct ConfigSources {
  std::optional<std::filesystem::path> file = {};  ///< must exist if given
  Settings environment = {};                       ///< all variables of the process: `VALLE_PLANNING_SLOT` counts
  Settings flags = {};
};

/// Reads, merges and checks. Refused with `Errc::invalid_request` and `file:line: key: what would be right` (for a
/// variable its name, for a flag `--name`) are unknown keys, doubled keys, wrong types, bad values, an open address
/// without tls and auth.
[[nodiscard]] scheduler::Result<Config> load_config(const ConfigSources& sources);

/// The same from a text, for tests: `name` stands in messages, paths are relative to `folder`.
[[nodiscard]] scheduler::Result<Config> parse_config(std::string_view yaml, const std::string& name,
                                                     const std::filesystem::path& folder,
                                                     const ConfigSources& sources = {});

/// The effective configuration as YAML, with `# default` (or the variable, the flag) beside each value that is not from
/// the file. Never shows a secret.
[[nodiscard]] std::string render_config(const Config& config);

}  // namespace valle::service::runtime

namespace valle {
namespace runtime = service::runtime;
}  // namespace valle
