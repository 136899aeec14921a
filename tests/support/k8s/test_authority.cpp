// SPDX-License-Identifier: Apache-2.0
#include "tests/support/k8s/test_authority.hpp"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "scheduler/units/require.hpp"

namespace valle::tests {
namespace {

using scheduler::require;
using Key = std::shared_ptr<EVP_PKEY>;
using Certificate = std::shared_ptr<X509>;

Key new_key() { return {EVP_EC_gen("P-256"), EVP_PKEY_free}; }

Certificate new_certificate(EVP_PKEY* key, const std::string& name) {
  static long serial = 1;
  Certificate made{X509_new(), X509_free};
  X509_set_version(made.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(made.get()), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(made.get()), -60);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), 3600);
  X509_set_pubkey(made.get(), key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(made.get()), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  return made;
}

void extend(X509* certificate, int nid, const std::string& value) {
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, nid, value.c_str());
  require(extension && X509_add_ext(certificate, extension, -1) == 1, "a certificate can be extended");
  X509_EXTENSION_free(extension);
}

template <class Write>
std::string pem(Write write) {
  const std::unique_ptr<BIO, int (*)(BIO*)> memory{BIO_new(BIO_s_mem()), BIO_free};
  require(write(memory.get()) == 1, "PEM can be written");
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

std::string pem_of(X509* certificate) {
  return pem([&](BIO* out) { return PEM_write_bio_X509(out, certificate); });
}

}  // namespace

TestAuthority::TestAuthority() : key_{new_key()}, certificate_{new_certificate(key_.get(), "valle test authority")} {
  X509_set_issuer_name(certificate_.get(), X509_get_subject_name(certificate_.get()));
  extend(certificate_.get(), NID_basic_constraints, "critical,CA:TRUE");
  extend(certificate_.get(), NID_key_usage, "critical,keyCertSign");
  require(X509_sign(certificate_.get(), key_.get(), EVP_sha256()) != 0, "the authority signs itself");
  certificate_pem_ = pem_of(certificate_.get());
}

PemPair TestAuthority::issue(const std::string& common_name, const std::string& names) const {
  const Key key = new_key();
  const Certificate leaf = new_certificate(key.get(), common_name);
  X509_set_issuer_name(leaf.get(), X509_get_subject_name(certificate_.get()));
  if (!names.empty()) extend(leaf.get(), NID_subject_alt_name, names);
  require(X509_sign(leaf.get(), key_.get(), EVP_sha256()) != 0, "the authority signs");
  return {pem_of(leaf.get()), pem([&](BIO* out) {
            return PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
          })};
}

}  // namespace valle::tests
