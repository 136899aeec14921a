// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "k8s/client/client.hpp"
#include "service/cluster/certificate_maker.hpp"
#include "service/cluster/identity_file.hpp"
#include "service/runtime/clock.hpp"
#include "service/runtime/config.hpp"

namespace valle::service::cluster {

constexpr const char* k_certificate_secret = "valle-webhook";
/// Of both webhook configurations whose caBundle is kept.
constexpr const char* k_webhook_configuration = "valle";
/// How often the Secret, and as leader the webhook configurations, are looked at; until there is a certificate to show,
/// every second.
constexpr std::chrono::seconds k_look_for_certificates{10};
constexpr std::chrono::seconds k_look_for_first_certificate{1};

/// The webhook's certificate without foreign tools. The leader keeps authority and leaf in the Secret `valle-webhook`,
/// renews the leaf 90 days before its end, and keeps the authority in caBundle of the webhook configurations `valle`.
/// Every replica shows what the Secret holds. Level-triggered: whatever is deleted or overwritten is right again after
/// the next look.
class Certificates final {
 public:
  struct Services {
    std::shared_ptr<k8s::Client> client;
    const runtime::Clock& clock;
    std::string space;               ///< namespace of the Secret
    std::vector<std::string> names;  ///< of the certificate: DNS names and IP addresses
    std::function<bool()> leading;
    /// Show this PEM file (certificate and key) from now on; the same path each time. Called again at the next look
    /// where it was refused. In this class's thread.
    std::function<scheduler::Result<void>(const std::filesystem::path&)> show;
  };
  explicit Certificates(Services services);
  ~Certificates();  ///< stop()
  Certificates(const Certificates&) = delete;
  Certificates& operator=(const Certificates&) = delete;

  void start();
  /// `show` is not called afterwards.
  void stop();

  /// One look; `start` makes it again and again. For tests, without `start`.
  void look(const std::stop_token& stop);

 private:
  struct Stored {
    WebhookCertificates certificates;
    std::string resource_version = {};  ///< empty: there is no Secret
  };

  void run(const std::stop_token& stop);
  [[nodiscard]] k8s::ApiResult<Stored> read(const k8s::Call& call);
  [[nodiscard]] k8s::ApiResult<Stored> write(const WebhookCertificates& wanted, const std::string& resource_version,
                                             const k8s::Call& call);
  [[nodiscard]] k8s::ApiResult<Stored> as_leader(Stored stored, const k8s::Call& call);
  [[nodiscard]] k8s::ApiResult<void> keep_bundle(const k8s::Resource& kind, const std::string& authority,
                                                 const k8s::Call& call);
  void show(const Identity& leaf);
  void note(const std::string& problem);
  void report();

  Services services_;
  IdentityFile file_;
  std::string shown_;          ///< the certificate that is shown; empty: none yet
  std::string problems_;       ///< of this look
  std::string last_problems_;  ///< of the look before: what stays the same is logged once
  std::jthread thread_;
};

/// `valle.lab.svc`, `valle.lab.svc.cluster.local`, and those that the configuration adds.
[[nodiscard]] std::vector<std::string> certificate_names(const runtime::WebhookConfig& webhook,
                                                         const std::string& space);

}  // namespace valle::service::cluster
