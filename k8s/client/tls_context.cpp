// SPDX-License-Identifier: Apache-2.0
#include "k8s/client/tls_context.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/context.hpp>
#include <utility>

#include "k8s/client/file_text.hpp"

namespace valle::k8s {

namespace ssl = boost::asio::ssl;
using scheduler::Errc;
using scheduler::refuse;
using scheduler::Result;

namespace {

Result<std::string> text_of(const Pem& pem) {
  if (pem.file.empty()) return pem.text;
  return text_of_file(pem.file);
}

Result<void> outcome(const boost::system::error_code& error, const char* what, const Pem& pem) {
  if (!error) return {};
  return refuse(Errc::invalid_request, std::string{what} + " cannot be used: " + error.message(), pem.file.string());
}

void allow_modern_only(SSL_CTX* native) {
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_options(native, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  // We speak HTTP/1.1; a server that could not would otherwise choose HTTP/2.
  static constexpr unsigned char k_protocols[] = "\x08http/1.1";
  SSL_CTX_set_alpn_protos(native, k_protocols, sizeof k_protocols - 1);
  // A key with a passphrase is refused; without this OpenSSL would ask the terminal for it.
  SSL_CTX_set_default_passwd_cb(native, [](char*, int, int, void*) { return 0; });
}

Result<void> trust(ssl::context& context, const Pem& authority) {
  boost::system::error_code error;
  if (!authority.given()) {
    context.set_default_verify_paths(error);
    return outcome(error, "the system's list of authorities", authority);
  }
  const auto text = text_of(authority);
  if (!text) return tl::unexpected{text.error()};
  context.add_certificate_authority(boost::asio::buffer(*text), error);
  return outcome(error, "the authority's certificate", authority);
}

Result<void> show(ssl::context& context, const Pem& certificate, const Pem& key) {
  if (!certificate.given()) return {};
  const auto chain = text_of(certificate);
  if (!chain) return tl::unexpected{chain.error()};
  const auto secret = text_of(key);
  if (!secret) return tl::unexpected{secret.error()};
  boost::system::error_code error;
  context.use_certificate_chain(boost::asio::buffer(*chain), error);
  if (error) return outcome(error, "the client certificate", certificate);
  context.use_private_key(boost::asio::buffer(*secret), ssl::context::pem, error);
  if (error) return outcome(error, "the client key", key);
  if (SSL_CTX_check_private_key(context.native_handle()) == 1) return {};
  ERR_clear_error();
  return refuse(Errc::invalid_request, "the client key is not the certificate's", key.file.string());
}

Result<std::shared_ptr<ssl::context>> make_context(const Pem& authority, const Pem& certificate, const Pem& key) {
  auto context = std::make_shared<ssl::context>(ssl::context::tls_client);
  allow_modern_only(context->native_handle());
  context->set_verify_mode(ssl::verify_peer);
  return trust(*context, authority).and_then([&] { return show(*context, certificate, key); }).map([&] {
    return context;
  });
}

}  // namespace

TlsContext::TlsContext(Pem authority, Pem certificate, Pem key)
    : authority_{std::move(authority)}, certificate_{std::move(certificate)}, key_{std::move(key)} {}

std::string TlsContext::fingerprint() const {
  return fingerprint_of(authority_.file) + ';' + fingerprint_of(certificate_.file) + ';' + fingerprint_of(key_.file);
}

Result<std::unique_ptr<TlsContext>> TlsContext::make(const Endpoint& endpoint) {
  std::unique_ptr<TlsContext> made{
      new TlsContext{endpoint.authority, endpoint.client_certificate, endpoint.client_key}};
  made->seen_ = made->fingerprint();
  auto context = make_context(made->authority_, made->certificate_, made->key_);
  if (!context) return tl::unexpected{context.error()};
  made->current_ = *std::move(context);
  return made;
}

std::shared_ptr<ssl::context> TlsContext::current() {
  const std::scoped_lock lock{mutex_};
  if (std::string now = fingerprint(); now != seen_) {
    seen_ = std::move(now);
    if (auto context = make_context(authority_, certificate_, key_)) current_ = *std::move(context);
  }
  return current_;
}

}  // namespace valle::k8s
