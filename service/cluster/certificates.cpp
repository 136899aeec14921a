// SPDX-License-Identifier: Apache-2.0
#include "service/cluster/certificates.hpp"

#include <exception>
#include <utility>

#include "k8s/api/json_access.hpp"
#include "k8s/client/base64.hpp"
#include "k8s/client/discovery.hpp"
#include "service/runtime/log.hpp"

namespace valle::service::cluster {
namespace {

namespace log = runtime::log;
using k8s::ApiError;
using k8s::ApiResult;
using k8s::Json;
namespace resources = k8s::resources;

constexpr std::chrono::seconds k_longest_look{20};  // all calls of one together

/// A member of the Secret's `data`; empty where it is absent or no base64, which makes the pair unusable.
std::string decoded(const Json& data, std::string_view name) {
  return k8s::decoded_base64(k8s::text_member(data, name)).value_or("");
}

Json secret_data(const WebhookCertificates& certificates) {
  return {{"tls.crt", k8s::encoded_base64(certificates.leaf.certificate)},
          {"tls.key", k8s::encoded_base64(certificates.leaf.key.reveal())},
          {"ca.crt", k8s::encoded_base64(certificates.authority.certificate)},
          {"ca.key", k8s::encoded_base64(certificates.authority.key.reveal())}};
}

/// The patch that gives each webhook of a configuration this caBundle; empty where all have it. A webhook's place in
/// the list is guarded by the version.
Json bundle_patch(const Json& configuration, const std::string& bundle) {
  Json patch = Json::array();
  const Json& hooks = k8s::inner(configuration, "webhooks");
  for (std::size_t i = 0; i < hooks.size() && hooks.is_array(); ++i) {
    if (k8s::text_member(k8s::inner(hooks[i], "clientConfig"), "caBundle") == bundle) continue;
    patch.push_back(
        {{"op", "add"}, {"path", "/webhooks/" + std::to_string(i) + "/clientConfig/caBundle"}, {"value", bundle}});
  }
  if (patch.empty()) return patch;
  const std::string version = k8s::text_member(k8s::inner(configuration, "metadata"), "resourceVersion");
  patch.insert(patch.begin(), Json{{"op", "test"}, {"path", "/metadata/resourceVersion"}, {"value", version}});
  return patch;
}

std::string end_text(const std::string& certificate) {
  const auto end = end_of_certificate(certificate);
  return end ? scheduler::format_instant(*end) : std::string{};
}

}  // namespace

std::vector<std::string> certificate_names(const runtime::WebhookConfig& webhook, const std::string& space) {
  const std::string name = webhook.service + "." + space + ".svc";
  std::vector<std::string> names{name, name + ".cluster.local"};
  names.insert(names.end(), webhook.names.begin(), webhook.names.end());
  return names;
}

Certificates::Certificates(Services services) : services_{std::move(services)} {}

Certificates::~Certificates() { stop(); }

void Certificates::start() {
  thread_ = std::jthread{[this](const std::stop_token& stop) { run(stop); }};
}

void Certificates::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void Certificates::run(const std::stop_token& stop) {
  k8s::Clock& clock = services_.client->clock();
  do {
    try {
      look(stop);
    } catch (const std::exception& thrown) {
      note(thrown.what());
    }
    if (!stop.stop_requested()) report();
  } while (
      clock.wait_until(clock.now() + (shown_.empty() ? k_look_for_first_certificate : k_look_for_certificates), stop));
}

void Certificates::look(const std::stop_token& stop) {
  const k8s::Call call{.deadline = services_.client->clock().now() + k_longest_look, .stop = stop};
  auto stored = read(call);
  if (stored && services_.leading()) stored = as_leader(*std::move(stored), call);
  if (!stored) return note(k8s::text_of(stored.error()));
  if (stored->resource_version.empty()) return note("the leader has not made it yet");
  show(stored->certificates.leaf);
}

ApiResult<Certificates::Stored> Certificates::read(const k8s::Call& call) {
  const auto found = services_.client->get({resources::k_secrets, services_.space, k_certificate_secret}, call);
  if (!found && found.error().kind == ApiError::Kind::not_found) {
    return Stored{{{"", connectors::Secret{""}}, {"", connectors::Secret{""}}}};
  }
  if (!found) return tl::unexpected{found.error()};
  const Json& data = k8s::inner(found->object, "data");
  return Stored{{{decoded(data, "tls.crt"), connectors::Secret{decoded(data, "tls.key")}},
                 {decoded(data, "ca.crt"), connectors::Secret{decoded(data, "ca.key")}}},
                k8s::text_member(k8s::inner(found->object, "metadata"), "resourceVersion")};
}

ApiResult<Certificates::Stored> Certificates::write(const WebhookCertificates& wanted,
                                                    const std::string& resource_version, const k8s::Call& call) {
  Json content{{"apiVersion", "v1"},
               {"kind", "Secret"},
               {"metadata", {{"name", k_certificate_secret}, {"namespace", services_.space}}},
               {"data", secret_data(wanted)}};
  if (resource_version.empty()) content["type"] = "kubernetes.io/tls";
  // The version in a patch makes it a conflict where another leader was quicker; the next look sees what that one made.
  if (!resource_version.empty()) content["metadata"]["resourceVersion"] = resource_version;
  const auto written = resource_version.empty()
                           ? services_.client->create({resources::k_secrets, services_.space}, content, call)
                           : services_.client->patch({resources::k_secrets, services_.space, k_certificate_secret},
                                                     {.type = k8s::Patch::Type::merge, .body = content}, call);
  if (!written) return tl::unexpected{written.error()};
  return Stored{wanted, k8s::text_member(k8s::inner(written->object, "metadata"), "resourceVersion")};
}

ApiResult<Certificates::Stored> Certificates::as_leader(Stored stored, const k8s::Call& call) {
  const scheduler::Instant now = services_.clock.now();
  if (const Renewal needed = renewal_of(stored.certificates, services_.names, now); needed != Renewal::nothing) {
    const auto wanted = renewed(stored.certificates, services_.names, now);
    if (!wanted) return tl::unexpected{ApiError{ApiError::Kind::invalid, 0, {}, wanted.error().detail}};
    auto written = write(*wanted, stored.resource_version, call);
    if (!written) return written;
    stored = *std::move(written);
    log::info("webhook_certificate_made", {{"authority_too", needed == Renewal::authority},
                                           {"ends", end_text(stored.certificates.leaf.certificate)}});
  }
  // Before the new leaf is shown. Where a bundle can't be written, the leaf is shown all the same: an authority that
  // the API server knows already may have signed it.
  for (const auto* kind : {&resources::k_mutating_webhooks, &resources::k_validating_webhooks}) {
    const auto kept = keep_bundle(*kind, stored.certificates.authority.certificate, call);
    if (!kept) note(kind->plural + ": " + k8s::text_of(kept.error()));
  }
  return stored;
}

ApiResult<void> Certificates::keep_bundle(const k8s::Resource& kind, const std::string& authority,
                                          const k8s::Call& call) {
  const k8s::ObjectPath path{kind, "", k_webhook_configuration};
  const auto found = services_.client->get(path, call);
  // Not applied yet, or a policy does its work.
  if (!found && found.error().kind == ApiError::Kind::not_found) return {};
  if (!found) return tl::unexpected{found.error()};
  const Json patch = bundle_patch(found->object, k8s::encoded_base64(authority));
  if (patch.empty()) return {};
  const auto patched = services_.client->patch(path, {.type = k8s::Patch::Type::json, .body = patch}, call);
  if (!patched) return tl::unexpected{patched.error()};
  log::info("webhook_authority_written", {{"kind", kind.plural}, {"webhooks", patch.size() - 1}});
  return {};
}

void Certificates::show(const Identity& leaf) {
  if (leaf.certificate == shown_) return;
  // What was shown before is better than what can't be.
  if (!usable(leaf)) return note(std::string{"Secret "} + k_certificate_secret + " holds no certificate with its key");
  file_.put(leaf);
  if (const auto done = services_.show(file_.path()); !done) return note(done.error().detail);
  shown_ = leaf.certificate;
  log::info("webhook_certificate_shown", {{"ends", end_text(shown_)}});
}

void Certificates::note(const std::string& problem) {
  if (!problems_.empty()) problems_ += "; ";
  problems_ += problem;
}

void Certificates::report() {
  if (!problems_.empty() && problems_ != last_problems_) {
    log::warning("webhook_certificate_problem", {{"detail", problems_}});
  }
  last_problems_ = std::exchange(problems_, {});
}

}  // namespace valle::service::cluster
