// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "connectors/secret/secret.hpp"
#include "scheduler/model/error.hpp"
#include "scheduler/units/time.hpp"

namespace valle::service::cluster {

/// Certificate and private key, both PEM.
struct Identity {
  std::string certificate;
  connectors::Secret key;
};

/// What a webhook shows, and the authority that signed it. `authority.certificate` may hold a second certificate: of
/// the authority before, so that what it signed is trusted until every replica has the new one.
struct WebhookCertificates {
  Identity leaf;
  Identity authority;
};

constexpr std::chrono::days k_authority_life{3650};
constexpr std::chrono::days k_leaf_life{365};
constexpr std::chrono::days k_renewed_before{90};  ///< the end of the leaf
/// Certificates begin so much earlier, for clocks that are behind.
constexpr std::chrono::hours k_begun_before{1};

/// An authority of EC P-256 keys that signs nothing but leaves. Random keys and serial numbers; throws only where
/// OpenSSL itself fails.
[[nodiscard]] Identity make_authority(scheduler::Instant now);

/// A server's certificate. `names` are DNS names or IP addresses. Refused where the authority can't sign: no PEM, or a
/// key that is not the certificate's.
[[nodiscard]] scheduler::Result<Identity> issue_leaf(const Identity& authority, const std::vector<std::string>& names,
                                                     scheduler::Instant now);

/// What must be made anew.
enum class Renewal {
  nothing,
  leaf,       ///< ends within 90 days, lacks a name, is not the authority's, or makes no sense
  authority,  ///< and the leaf with it: its life is too short for another leaf, or it makes no sense
};
[[nodiscard]] Renewal renewal_of(const WebhookCertificates& found, const std::vector<std::string>& names,
                                 scheduler::Instant now);

/// Does what `renewal_of` says. An authority that is replaced before its end stays trusted beside the new one.
[[nodiscard]] scheduler::Result<WebhookCertificates> renewed(const WebhookCertificates& found,
                                                             const std::vector<std::string>& names,
                                                             scheduler::Instant now);

/// Whether a server can show this: a certificate, and the key that belongs to it.
[[nodiscard]] bool usable(const Identity& identity);

/// The end of the first certificate in the text.
[[nodiscard]] scheduler::Result<scheduler::Instant> end_of_certificate(const std::string& pem);

}  // namespace valle::service::cluster
