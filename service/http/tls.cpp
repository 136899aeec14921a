// SPDX-License-Identifier: Apache-2.0
#include "service/http/tls.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/stat.h>

#include <boost/asio/ssl/context.hpp>
#include <optional>
#include <utility>

#include "service/runtime/log.hpp"

namespace valle::service::http {

namespace ssl = boost::asio::ssl;
using scheduler::Errc;
using scheduler::refuse;
using scheduler::Result;

namespace {

/// Changes whenever a file is written, replaced, or its symbolic link is turned (as mounted Secrets are).
std::string fingerprint(const TlsFiles& files) {
  std::string text;
  for (const auto& file : {files.certificate, files.key, files.client_ca}) {
    struct stat found {};
    if (file.empty() || stat(file.c_str(), &found) != 0) {
      text += "-;";
      continue;
    }
    for (const auto part :
         {static_cast<long long>(found.st_ino), static_cast<long long>(found.st_size),
          static_cast<long long>(found.st_mtim.tv_sec), static_cast<long long>(found.st_mtim.tv_nsec)}) {
      text += std::to_string(part) + ',';
    }
    text += ';';
  }
  return text;
}

/// OpenSSL's own words for a file that can't be opened are no help.
Result<void> readable(const char* what, const std::filesystem::path& file) {
  if (access(file.c_str(), R_OK) == 0) return {};
  const std::string reason = std::generic_category().message(errno);
  return refuse(Errc::invalid_request, std::string{what} + " cannot be read: " + reason, file.string());
}

Result<void> outcome(const boost::system::error_code& ec, const char* what, const std::filesystem::path& file) {
  if (!ec) return {};
  return refuse(Errc::invalid_request, std::string{what} + " cannot be used: " + ec.message(), file.string());
}

constexpr const char* k_certificate = "the certificate";
constexpr const char* k_key = "the key";
constexpr const char* k_client_authority = "the client authority's certificate";

Result<void> all_readable(const TlsFiles& files) {
  return readable(k_certificate, files.certificate).and_then([&] { return readable(k_key, files.key); }).and_then([&] {
    return files.client_ca.empty() ? Result<void>{} : readable(k_client_authority, files.client_ca);
  });
}

void allow_modern_only(SSL_CTX* native) {
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_options(native, SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_NO_COMPRESSION);
  constexpr unsigned char k_session_context[] = "valle";  // needed for resumption where clients show certificates
  SSL_CTX_set_session_id_context(native, k_session_context, sizeof k_session_context - 1);
  // A key with a passphrase is refused; without this OpenSSL would ask the terminal for it.
  SSL_CTX_set_default_passwd_cb(native, [](char*, int, int, void*) { return 0; });
}

Result<void> use_certificate_and_key(ssl::context& context, const TlsFiles& files) {
  boost::system::error_code ec;
  context.use_certificate_chain_file(files.certificate.string(), ec);
  if (ec) return outcome(ec, k_certificate, files.certificate);
  context.use_private_key_file(files.key.string(), ssl::context::pem, ec);
  if (ec) return outcome(ec, k_key, files.key);
  if (SSL_CTX_check_private_key(context.native_handle()) == 1) return {};
  ERR_clear_error();
  return refuse(Errc::invalid_request, "the key is not the certificate's", files.key.string());
}

Result<void> require_client_certificates(ssl::context& context, const std::filesystem::path& authority) {
  if (authority.empty()) return {};
  boost::system::error_code ec;
  context.load_verify_file(authority.string(), ec);
  if (!ec) context.set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert, ec);
  if (!ec) SSL_CTX_set_client_CA_list(context.native_handle(), SSL_load_client_CA_file(authority.c_str()));
  return outcome(ec, k_client_authority, authority);
}

Result<std::shared_ptr<ssl::context>> make_context(const TlsFiles& files) {
  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  allow_modern_only(context->native_handle());
  return all_readable(files)
      .and_then([&] { return use_certificate_and_key(*context, files); })
      .and_then([&] { return require_client_certificates(*context, files.client_ca); })
      .map([&] { return context; });
}

}  // namespace

Result<std::unique_ptr<TlsSettings>> TlsSettings::load(TlsFiles files) {
  std::unique_ptr<TlsSettings> settings{new TlsSettings{std::move(files)}};
  if (auto done = settings->reload(); !done) return tl::unexpected{done.error()};
  return settings;
}

std::shared_ptr<ssl::context> TlsSettings::current() const {
  const std::scoped_lock lock{mutex_};
  return current_;
}

Result<void> TlsSettings::reload() {
  std::string now = fingerprint(files_);
  auto context = make_context(files_);
  const std::scoped_lock lock{mutex_};
  seen_ = std::move(now);
  if (!context) return tl::unexpected{context.error()};
  current_ = *std::move(context);
  return {};
}

void TlsSettings::reload_if_changed() {
  {
    const std::scoped_lock lock{mutex_};
    if (fingerprint(files_) == seen_) return;
  }
  if (auto done = reload(); !done) {
    runtime::log::warning("tls_files_refused", {{"file", done.error().pointer}, {"detail", done.error().detail}});
  } else {
    runtime::log::info("tls_files_reloaded", {{"certificate", files_.certificate.string()}});
  }
}

}  // namespace valle::service::http
