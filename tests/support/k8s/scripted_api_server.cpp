// SPDX-License-Identifier: Apache-2.0
#include "tests/support/k8s/scripted_api_server.hpp"

#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "scheduler/units/require.hpp"

namespace valle::tests {
namespace {

using scheduler::require;

template <class T, class Free>
std::unique_ptr<T, Free> owned(T* object, Free free) {
  return {object, free};
}

auto bio_of(const std::string& pem) {
  return owned(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free);
}

void use_identity(SSL_CTX* context, const PemPair& identity) {
  const auto certificate_text = bio_of(identity.certificate);
  const auto key_text = bio_of(identity.key);
  const auto certificate = owned(PEM_read_bio_X509(certificate_text.get(), nullptr, nullptr, nullptr), X509_free);
  const auto key = owned(PEM_read_bio_PrivateKey(key_text.get(), nullptr, nullptr, nullptr), EVP_PKEY_free);
  require(SSL_CTX_use_certificate(context, certificate.get()) == 1 && SSL_CTX_use_PrivateKey(context, key.get()) == 1,
          "the server has an identity");
}

void demand_certificates(SSL_CTX* context, const std::string& authority) {
  const auto text = bio_of(authority);
  const auto certificate = owned(PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr), X509_free);
  X509_STORE_add_cert(SSL_CTX_get_cert_store(context), certificate.get());
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
}

std::string common_name_of_peer(SSL* tls) {
  const auto certificate = owned(SSL_get1_peer_certificate(tls), X509_free);
  if (!certificate) return {};
  char name[256] = {};
  X509_NAME_get_text_by_NID(X509_get_subject_name(certificate.get()), NID_commonName, name, sizeof name);
  return name;
}

/// The next request; nothing once the client is gone.
std::optional<ApiRequest> read_request(SSL* tls, std::string& buffer) {
  const auto more = [&] {
    char chunk[16384];
    const int got = SSL_read(tls, chunk, sizeof chunk);
    if (got > 0) buffer.append(chunk, static_cast<std::size_t>(got));
    return got > 0;
  };
  std::size_t end = 0;
  while ((end = buffer.find("\r\n\r\n")) == std::string::npos) {
    if (!more()) return std::nullopt;
  }
  ApiRequest request;
  const std::string head = buffer.substr(0, end + 2);
  buffer.erase(0, end + 4);
  const auto first = head.find(' ');
  request.method = head.substr(0, first);
  request.target = head.substr(first + 1, head.find(' ', first + 1) - first - 1);
  for (std::size_t at = head.find("\r\n") + 2; at < head.size();) {
    const auto line_end = head.find("\r\n", at);
    const std::string line = head.substr(at, line_end - at);
    at = line_end + 2;
    const auto colon = line.find(':');
    std::string name = line.substr(0, colon);
    std::transform(name.begin(), name.end(), name.begin(), [](char c) { return static_cast<char>(std::tolower(c)); });
    request.headers[name] = line.substr(std::min(colon + 2, line.size()));
  }
  const auto length = request.headers.find("content-length");
  const std::size_t size = length == request.headers.end() ? 0 : std::strtoul(length->second.c_str(), nullptr, 10);
  while (buffer.size() < size) {
    if (!more()) return std::nullopt;
  }
  request.body = buffer.substr(0, size);
  buffer.erase(0, size);
  return request;
}

}  // namespace

void Conversation::raw(std::string_view bytes) {
  if (cut_ || gone_ || bytes.empty()) return;
  gone_ = SSL_write(tls_, bytes.data(), static_cast<int>(bytes.size())) <= 0;
}

void Conversation::answer(int status, std::string_view body, const std::vector<std::string>& headers) {
  std::string text = "HTTP/1.1 " + std::to_string(status) + " Scripted\r\nContent-Type: application/json\r\n";
  for (const auto& line : headers) text += line + "\r\n";
  raw(text + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string{body});
}

void Conversation::begin_stream() {
  raw("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
}

void Conversation::chunk(std::string_view bytes) {
  char size[32];
  std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
  raw(size + std::string{bytes} + "\r\n");
}

void Conversation::cut() {
  cut_ = true;
  ::shutdown(socket_, SHUT_RDWR);
}

void Conversation::wait_until_gone() {
  char byte;
  while (SSL_read(tls_, &byte, 1) > 0) {
  }
  cut();
}

ScriptedApiServer::ScriptedApiServer(PemPair identity, Handler handler, ApiServerOptions options)
    : context_{SSL_CTX_new(TLS_server_method()), SSL_CTX_free},
      handler_{std::move(handler)},
      listener_{[this](int socket, std::size_t number) { serve(socket, number); }} {
  ::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes to sockets that clients have left
  use_identity(context_.get(), identity);
  if (!options.client_authority.empty()) demand_certificates(context_.get(), options.client_authority);
}

void ScriptedApiServer::serve(int socket, std::size_t number) {
  const auto tls = owned(SSL_new(context_.get()), SSL_free);
  SSL_set_fd(tls.get(), socket);
  if (SSL_accept(tls.get()) == 1) converse(tls.get(), socket, number);
}

void ScriptedApiServer::converse(SSL* tls, int socket, std::size_t number) {
  std::string buffer;
  while (auto request = read_request(tls, buffer)) {
    request->client = common_name_of_peer(tls);
    request->connection = number;
    {
      const std::scoped_lock lock{mutex_};
      seen_.push_back(*request);
      came_.notify_all();
    }
    Conversation conversation{tls, socket};
    handler_(*request, conversation);
    if (conversation.is_cut() || conversation.gone()) return;
  }
}

std::vector<ApiRequest> ScriptedApiServer::seen() const {
  const std::scoped_lock lock{mutex_};
  return seen_;
}

void ScriptedApiServer::wait_for_requests(std::size_t count) const {
  std::unique_lock lock{mutex_};
  came_.wait(lock, [&] { return seen_.size() >= count; });
}

}  // namespace valle::tests
