// SPDX-License-Identifier: Apache-2.0
#include "service/cluster/certificate_maker.hpp"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <ctime>
#include <memory>
#include <utility>

#include "scheduler/units/require.hpp"

namespace valle::service::cluster {
namespace {

using scheduler::Errc;
using scheduler::Instant;
using scheduler::refuse;
using scheduler::require;
using scheduler::Result;

template <auto free>
struct Freed {
  template <class T>
  void operator()(T* held) const {
    free(held);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;
using Memory = std::unique_ptr<BIO, Freed<BIO_free_all>>;
using Number = std::unique_ptr<BIGNUM, Freed<BN_free>>;
using Names = std::unique_ptr<GENERAL_NAMES, Freed<GENERAL_NAMES_free>>;

constexpr int k_serial_bits = 127;  // positive, and at most 20 octets (RFC 5280, 4.1.2.2)

template <class Write>
std::string pem(Write write) {
  const Memory memory{BIO_new(BIO_s_mem())};
  require(memory && write(memory.get()) == 1, "PEM can be written");
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

Identity pem_of(X509* certificate, EVP_PKEY* key) {
  return {pem([&](BIO* out) { return PEM_write_bio_X509(out, certificate); }), connectors::Secret{pem([&](BIO* out) {
            return PEM_write_bio_PrivateKey(out, key, nullptr, nullptr, 0, nullptr, nullptr);
          })}};
}

Memory reader_of(const std::string& text) {
  return Memory{BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))};
}

/// The first certificate; null where there is none.
Certificate certificate_in(const std::string& text) {
  Certificate found{PEM_read_bio_X509(reader_of(text).get(), nullptr, nullptr, nullptr)};
  ERR_clear_error();
  return found;
}

Key key_in(const connectors::Secret& text) {
  // A key with a passphrase is refused; without this OpenSSL would ask the terminal for it.
  const auto no_passphrase = [](char*, int, int, void*) { return 0; };
  Key found{PEM_read_bio_PrivateKey(reader_of(text.reveal()).get(), nullptr, no_passphrase, nullptr)};
  ERR_clear_error();
  return found;
}

bool belong_together(X509* certificate, EVP_PKEY* key) {
  const bool fits = certificate && key && X509_check_private_key(certificate, key) == 1;
  ERR_clear_error();
  return fits;
}

Instant end_of(const X509* certificate) {
  std::tm end{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &end) != 1) return Instant{};
  return Instant{std::chrono::seconds{timegm(&end)}};
}

/// With everything but its extensions and its signature.
Certificate unsigned_certificate(EVP_PKEY* key, const std::string& name, Instant now, std::chrono::seconds life) {
  Certificate made{X509_new()};
  const Number serial{BN_new()};
  require(made && serial && BN_rand(serial.get(), k_serial_bits, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) == 1,
          "OpenSSL has random numbers");
  require(X509_set_version(made.get(), X509_VERSION_3) == 1 &&
              BN_to_ASN1_INTEGER(serial.get(), X509_get_serialNumber(made.get())) != nullptr &&
              ASN1_TIME_set(X509_getm_notBefore(made.get()), (now - k_begun_before).time_since_epoch().count()) &&
              ASN1_TIME_set(X509_getm_notAfter(made.get()), (now + life).time_since_epoch().count()) &&
              X509_set_pubkey(made.get(), key) == 1 &&
              X509_NAME_add_entry_by_txt(X509_get_subject_name(made.get()), "CN", MBSTRING_ASC,
                                         reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0) == 1,
          "a certificate takes its fields");
  return made;
}

void extend(X509* certificate, X509* issuer, int nid, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value);
  const bool done = extension && X509_add_ext(certificate, extension, -1) == 1;
  X509_EXTENSION_free(extension);
  require(done, "a certificate can be extended");
}

/// As subjectAltName: what reads as an IP address is one, all else a DNS name.
void name_it(X509* certificate, const std::vector<std::string>& names) {
  const Names list{GENERAL_NAMES_new()};
  for (const std::string& name : names) {
    GENERAL_NAME* entry = GENERAL_NAME_new();
    if (ASN1_OCTET_STRING* address = a2i_IPADDRESS(name.c_str())) {
      GENERAL_NAME_set0_value(entry, GEN_IPADD, address);
    } else {
      ASN1_IA5STRING* text = ASN1_IA5STRING_new();
      require(ASN1_STRING_set(text, name.data(), static_cast<int>(name.size())) == 1, "a name fits a certificate");
      GENERAL_NAME_set0_value(entry, GEN_DNS, text);
    }
    require(sk_GENERAL_NAME_push(list.get(), entry) > 0, "a certificate takes its names");
  }
  ERR_clear_error();
  require(X509_add1_ext_i2d(certificate, NID_subject_alt_name, list.get(), 0, X509V3_ADD_DEFAULT) == 1,
          "a certificate takes its names");
}

bool has_name(X509* certificate, const std::string& name) {
  return X509_check_ip_asc(certificate, name.c_str(), 0) == 1 ||
         X509_check_host(certificate, name.data(), name.size(), X509_CHECK_FLAG_NEVER_CHECK_SUBJECT, nullptr) == 1;
}

bool signed_by(X509* certificate, X509* authority) {
  const bool signed_so = X509_check_issued(authority, certificate) == X509_V_OK &&
                         X509_verify(certificate, X509_get0_pubkey(authority)) == 1;
  ERR_clear_error();
  return signed_so;
}

}  // namespace

Identity make_authority(Instant now) {
  const Key key{EVP_EC_gen("P-256")};
  require(key != nullptr, "OpenSSL can make a key");
  const Certificate made = unsigned_certificate(key.get(), "valle webhook authority", now, k_authority_life);
  X509_set_issuer_name(made.get(), X509_get_subject_name(made.get()));
  extend(made.get(), made.get(), NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
  extend(made.get(), made.get(), NID_key_usage, "critical,keyCertSign,cRLSign");
  extend(made.get(), made.get(), NID_subject_key_identifier, "hash");
  require(X509_sign(made.get(), key.get(), EVP_sha256()) != 0, "an authority signs itself");
  return pem_of(made.get(), key.get());
}

Result<Identity> issue_leaf(const Identity& authority, const std::vector<std::string>& names, Instant now) {
  const Certificate issuer = certificate_in(authority.certificate);
  const Key signer = key_in(authority.key);
  if (!belong_together(issuer.get(), signer.get())) {
    return refuse(Errc::invalid_request, "the authority's certificate and key are not a pair");
  }
  const Key key{EVP_EC_gen("P-256")};
  require(key != nullptr, "OpenSSL can make a key");
  const Certificate made = unsigned_certificate(key.get(), "valle webhook", now, k_leaf_life);
  X509_set_issuer_name(made.get(), X509_get_subject_name(issuer.get()));
  extend(made.get(), issuer.get(), NID_basic_constraints, "critical,CA:FALSE");
  extend(made.get(), issuer.get(), NID_key_usage, "critical,digitalSignature");
  extend(made.get(), issuer.get(), NID_ext_key_usage, "serverAuth");
  extend(made.get(), issuer.get(), NID_subject_key_identifier, "hash");
  extend(made.get(), issuer.get(), NID_authority_key_identifier, "keyid:always");
  name_it(made.get(), names);
  require(X509_sign(made.get(), signer.get(), EVP_sha256()) != 0, "an authority signs");
  return pem_of(made.get(), key.get());
}

Renewal renewal_of(const WebhookCertificates& found, const std::vector<std::string>& names, Instant now) {
  const Certificate authority = certificate_in(found.authority.certificate);
  const Key signer = key_in(found.authority.key);
  // A leaf made today must not outlive its authority.
  if (!belong_together(authority.get(), signer.get()) || end_of(authority.get()) < now + k_leaf_life) {
    return Renewal::authority;
  }
  const Certificate leaf = certificate_in(found.leaf.certificate);
  const Key key = key_in(found.leaf.key);
  if (!belong_together(leaf.get(), key.get()) || !signed_by(leaf.get(), authority.get())) return Renewal::leaf;
  if (end_of(leaf.get()) <= now + k_renewed_before) return Renewal::leaf;
  const bool named =
      std::all_of(names.begin(), names.end(), [&](const auto& name) { return has_name(leaf.get(), name); });
  return named ? Renewal::nothing : Renewal::leaf;
}

Result<WebhookCertificates> renewed(const WebhookCertificates& found, const std::vector<std::string>& names,
                                    Instant now) {
  const Renewal wanted = renewal_of(found, names, now);
  if (wanted == Renewal::nothing) return found;
  Identity authority = found.authority;
  if (wanted == Renewal::authority) {
    authority = make_authority(now);
    const Certificate before = certificate_in(found.authority.certificate);
    if (before && end_of(before.get()) > now) {
      authority.certificate += pem([&](BIO* out) { return PEM_write_bio_X509(out, before.get()); });
    }
  }
  auto leaf = issue_leaf(authority, names, now);
  if (!leaf) return tl::unexpected{leaf.error()};
  return WebhookCertificates{*std::move(leaf), std::move(authority)};
}

bool usable(const Identity& identity) {
  return belong_together(certificate_in(identity.certificate).get(), key_in(identity.key).get());
}

Result<Instant> end_of_certificate(const std::string& pem) {
  const Certificate certificate = certificate_in(pem);
  if (!certificate) return refuse(Errc::invalid_request, "is no certificate in PEM");
  return end_of(certificate.get());
}

}  // namespace valle::service::cluster
