// SPDX-License-Identifier: Apache-2.0
#include "service/cluster/certificate_maker.hpp"

#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>

namespace valle::service::cluster {
namespace {

using namespace std::chrono_literals;
using scheduler::Instant;
using std::chrono::days;

const Instant k_now = scheduler::parse_instant("2027-03-01T12:00:00Z").value();
const std::vector<std::string> k_names{"valle.lab.svc", "valle.lab.svc.cluster.local", "127.0.0.1", "2001:db8::1"};

std::shared_ptr<X509> parsed(const std::string& pem) {
  const std::unique_ptr<BIO, int (*)(BIO*)> memory{BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free};
  return {PEM_read_bio_X509(memory.get(), nullptr, nullptr, nullptr), X509_free};
}

/// As a TLS client verifies a server, at an instant: X509_V_OK or why not.
int verdict(const std::string& leaf, const std::string& authority, Instant at, const char* name) {
  const std::unique_ptr<X509_STORE, void (*)(X509_STORE*)> store{X509_STORE_new(), X509_STORE_free};
  const auto trusted = parsed(authority);
  const auto shown = parsed(leaf);
  X509_STORE_add_cert(store.get(), trusted.get());
  const std::unique_ptr<X509_STORE_CTX, void (*)(X509_STORE_CTX*)> context{X509_STORE_CTX_new(), X509_STORE_CTX_free};
  X509_STORE_CTX_init(context.get(), store.get(), shown.get(), nullptr);
  X509_VERIFY_PARAM* wanted = X509_STORE_CTX_get0_param(context.get());
  X509_VERIFY_PARAM_set_purpose(wanted, X509_PURPOSE_SSL_SERVER);
  X509_VERIFY_PARAM_set_flags(wanted, X509_V_FLAG_X509_STRICT);
  X509_VERIFY_PARAM_set_time(wanted, at.time_since_epoch().count());
  if (X509_VERIFY_PARAM_set1_ip_asc(wanted, name) != 1) X509_VERIFY_PARAM_set1_host(wanted, name, 0);
  X509_verify_cert(context.get());
  return X509_STORE_CTX_get_error(context.get());
}

WebhookCertificates made(Instant at) {
  Identity authority = make_authority(at);
  Identity leaf = issue_leaf(authority, k_names, at).value();
  return {std::move(leaf), std::move(authority)};
}

TEST(CertificateMaker, a_client_that_trusts_the_authority_accepts_the_leaf_by_each_of_its_names) {
  const auto [leaf, authority] = made(k_now);
  for (const auto& name : k_names) {
    EXPECT_EQ(verdict(leaf.certificate, authority.certificate, k_now, name.c_str()), X509_V_OK) << name;
  }
  EXPECT_EQ(verdict(leaf.certificate, authority.certificate, k_now, "other.lab.svc"), X509_V_ERR_HOSTNAME_MISMATCH);
  EXPECT_EQ(verdict(leaf.certificate, authority.certificate, k_now, "127.0.0.2"), X509_V_ERR_IP_ADDRESS_MISMATCH);
  EXPECT_NE(verdict(leaf.certificate, make_authority(k_now).certificate, k_now, "valle.lab.svc"), X509_V_OK);
  EXPECT_TRUE(usable(leaf));
}

TEST(CertificateMaker, a_leaf_lasts_a_year_and_an_authority_ten_and_both_allow_for_clocks_that_are_behind) {
  const auto [leaf, authority] = made(k_now);
  const auto at = [&](Instant instant) {
    return verdict(leaf.certificate, authority.certificate, instant, "valle.lab.svc");
  };
  EXPECT_EQ(at(k_now - 59min), X509_V_OK);
  EXPECT_EQ(at(k_now - 61min), X509_V_ERR_CERT_NOT_YET_VALID);
  EXPECT_EQ(at(k_now + days{365} - 1s), X509_V_OK);
  EXPECT_EQ(at(k_now + days{365} + 1s), X509_V_ERR_CERT_HAS_EXPIRED);
  EXPECT_EQ(end_of_certificate(leaf.certificate), k_now + days{365});
  EXPECT_EQ(end_of_certificate(authority.certificate), k_now + days{3650});
  EXPECT_FALSE(end_of_certificate("no certificate"));
}

TEST(CertificateMaker, keys_are_p256_and_no_two_are_alike) {
  const auto one = made(k_now);
  const auto other = made(k_now);
  EXPECT_NE(one.leaf.key.reveal(), other.leaf.key.reveal());
  EXPECT_NE(one.leaf.key.reveal(), one.authority.key.reveal());
  const auto leaf = parsed(one.leaf.certificate);
  EVP_PKEY* key = X509_get0_pubkey(leaf.get());
  EXPECT_EQ(EVP_PKEY_get_base_id(key), EVP_PKEY_EC);
  EXPECT_EQ(EVP_PKEY_get_bits(key), 256);
  EXPECT_FALSE(usable({one.leaf.certificate, other.leaf.key}));
  EXPECT_FALSE(usable({one.leaf.certificate, connectors::Secret{""}}));
}

TEST(CertificateMaker, a_leaf_is_no_authority) {
  const auto first = made(k_now);
  const auto under_leaf = issue_leaf(first.leaf, k_names, k_now).value();
  EXPECT_NE(verdict(under_leaf.certificate, first.authority.certificate, k_now, "valle.lab.svc"), X509_V_OK);
}

TEST(CertificateMaker, an_authority_without_its_own_key_cannot_sign) {
  const auto refused = issue_leaf({make_authority(k_now).certificate, make_authority(k_now).key}, k_names, k_now);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().detail, "the authority's certificate and key are not a pair");
}

TEST(Renewal, is_due_ninety_days_before_the_leaf_ends) {
  const auto found = made(k_now);
  const Instant due = k_now + days{365 - 90};
  EXPECT_EQ(renewal_of(found, k_names, k_now), Renewal::nothing);
  EXPECT_EQ(renewal_of(found, k_names, due - 1s), Renewal::nothing);
  EXPECT_EQ(renewal_of(found, k_names, due), Renewal::leaf);
  const auto next = renewed(found, k_names, due).value();
  EXPECT_EQ(next.authority.certificate, found.authority.certificate);
  EXPECT_EQ(end_of_certificate(next.leaf.certificate), due + days{365});
  EXPECT_EQ(renewal_of(next, k_names, due), Renewal::nothing);
}

TEST(Renewal, is_due_where_a_name_is_missing) {
  const auto found = made(k_now);
  EXPECT_EQ(renewal_of(found, {"valle.lab.svc"}, k_now), Renewal::nothing);
  EXPECT_EQ(renewal_of(found, {"valle.lab.svc", "10.0.0.1"}, k_now), Renewal::leaf);
  EXPECT_EQ(renewal_of(found, {"carbon.lab.svc"}, k_now), Renewal::leaf);
}

TEST(Renewal, makes_all_anew_from_nothing_and_from_what_makes_no_sense) {
  const WebhookCertificates nothing{{"", connectors::Secret{""}}, {"", connectors::Secret{""}}};
  EXPECT_EQ(renewal_of(nothing, k_names, k_now), Renewal::authority);
  const auto first = renewed(nothing, k_names, k_now).value();
  EXPECT_EQ(renewal_of(first, k_names, k_now), Renewal::nothing);
  auto broken = first;
  broken.authority.key = connectors::Secret{"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"};
  EXPECT_EQ(renewal_of(broken, k_names, k_now), Renewal::authority);
  auto foreign = first;
  foreign.leaf = made(k_now).leaf;
  EXPECT_EQ(renewal_of(foreign, k_names, k_now), Renewal::leaf);
  auto torn = first;
  torn.leaf.certificate.resize(100);
  EXPECT_EQ(renewal_of(torn, k_names, k_now), Renewal::leaf);
}

TEST(Renewal, replaces_an_authority_before_a_leaf_would_outlive_it_and_trusts_the_old_one_until_its_end) {
  const auto found = made(k_now);
  const Instant late = k_now + days{3650 - 365} + 1s;
  EXPECT_NE(renewal_of(found, k_names, late - 1s), Renewal::authority);
  EXPECT_EQ(renewal_of(found, k_names, late), Renewal::authority);
  const auto next = renewed(found, k_names, late).value();
  EXPECT_EQ(verdict(next.leaf.certificate, next.authority.certificate, late, "valle.lab.svc"), X509_V_OK);
  EXPECT_TRUE(next.authority.certificate.ends_with(found.authority.certificate));
  const auto much_later = renewed(found, k_names, k_now + days{3650}).value();
  EXPECT_EQ(much_later.authority.certificate.find(found.authority.certificate), std::string::npos);
}

}  // namespace
}  // namespace valle::service::cluster
