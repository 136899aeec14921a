// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

namespace valle::tests {

/// A fresh key with a certificate of its own name, signed by itself, valid for an hour; for tests of TLS.
class Certificate final {
 public:
  explicit Certificate(const std::string& name) : key_{EVP_EC_gen("P-256")}, certificate_{X509_new()} {
    X509_set_version(certificate_.get(), 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate_.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate_.get()), -60);
    X509_gmtime_adj(X509_getm_notAfter(certificate_.get()), 3600);
    X509_set_pubkey(certificate_.get(), key_.get());
    X509_NAME* subject = X509_get_subject_name(certificate_.get());
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>(name.c_str()), -1,
                               -1, 0);
    X509_set_issuer_name(certificate_.get(), subject);
    if (X509_sign(certificate_.get(), key_.get(), EVP_sha256()) == 0) throw std::runtime_error{"cannot sign"};
  }

  void write_certificate(const std::string& path) const {
    write(path, [&](std::FILE* file) { return PEM_write_X509(file, certificate_.get()); });
  }
  void write_key(const std::string& path, const char* passphrase = nullptr) const {
    write(path, [&](std::FILE* file) {
      return PEM_write_PrivateKey(file, key_.get(), passphrase ? EVP_aes_128_cbc() : nullptr,
                                  reinterpret_cast<const unsigned char*>(passphrase),
                                  passphrase ? static_cast<int>(std::string{passphrase}.size()) : 0, nullptr, nullptr);
    });
  }
  [[nodiscard]] X509* x509() const { return certificate_.get(); }
  [[nodiscard]] EVP_PKEY* key() const { return key_.get(); }

 private:
  template <class Write>
  static void write(const std::string& path, Write write_pem) {
    std::FILE* file = std::fopen(path.c_str(), "w");
    if (!file) throw std::runtime_error{"cannot write " + path};
    const bool written = write_pem(file) == 1;
    if (std::fclose(file) != 0 || !written) throw std::runtime_error{"cannot write " + path};
  }
  struct Free {
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
    void operator()(X509* certificate) const { X509_free(certificate); }
  };
  std::unique_ptr<EVP_PKEY, Free> key_;
  std::unique_ptr<X509, Free> certificate_;
};

}  // namespace valle::tests
