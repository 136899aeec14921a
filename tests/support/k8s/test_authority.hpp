// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

typedef struct evp_pkey_st EVP_PKEY;
typedef struct x509_st X509;

namespace valle::tests {

/// A certificate and its key, both PEM.
struct PemPair {
  std::string certificate;
  std::string key;
};

/// A certificate authority made for one test; its certificates hold for an hour.
class TestAuthority final {
 public:
  TestAuthority();
  [[nodiscard]] const std::string& certificate() const { return certificate_pem_; }
  /// For a server; `names` as OpenSSL writes them: "IP:127.0.0.1,DNS:localhost". Or for a client, without names.
  [[nodiscard]] PemPair issue(const std::string& common_name, const std::string& names = {}) const;

 private:
  std::shared_ptr<EVP_PKEY> key_;
  std::shared_ptr<X509> certificate_;
  std::string certificate_pem_;
};

}  // namespace valle::tests
