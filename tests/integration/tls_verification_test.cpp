// SPDX-License-Identifier: Apache-2.0
// A certificate that nobody vouches for must end the exchange before the key is sent.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <thread>

#include "connectors/transport/cpprest_transport.hpp"
#include "tests/support/http/certificates.hpp"
#include "tests/support/temporary_folder.hpp"

namespace valle::connectors {
namespace {

/// Serves one TLS connection with a fixed answer; remembers what it was sent.
class OneTlsAnswer {
 public:
  explicit OneTlsAnswer(const tests::Certificate& certificate) : context_{SSL_CTX_new(TLS_server_method())} {
    SSL_CTX_use_certificate(context_.get(), certificate.x509());
    SSL_CTX_use_PrivateKey(context_.get(), certificate.key());
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* raw = reinterpret_cast<sockaddr*>(&address);
    scheduler::require(
        ::bind(listener_, raw, size) == 0 && ::listen(listener_, 4) == 0 && ::getsockname(listener_, raw, &size) == 0,
        "a free port");
    port_ = ntohs(address.sin_port);
    worker_ = std::jthread{[this] { serve(); }};
  }
  ~OneTlsAnswer() {
    ::shutdown(listener_, SHUT_RDWR);
    worker_.join();
    ::close(listener_);
  }
  [[nodiscard]] std::string base_url() const { return "https://localhost:" + std::to_string(port_); }
  /// Everything that came in, once the connection is over.
  std::string received() {
    worker_.join();
    worker_ = std::jthread{[] {}};
    return received_;
  }

 private:
  void serve() {
    const int connection = ::accept(listener_, nullptr, nullptr);
    if (connection < 0) return;
    const std::unique_ptr<SSL, decltype(&SSL_free)> tls{SSL_new(context_.get()), SSL_free};
    SSL_set_fd(tls.get(), connection);
    if (SSL_accept(tls.get()) == 1) {
      char buffer[4096];
      const int got = SSL_read(tls.get(), buffer, sizeof buffer);
      if (got > 0) {
        received_.assign(buffer, static_cast<std::size_t>(got));
        constexpr std::string_view k_answer =
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}";
        SSL_write(tls.get(), k_answer.data(), static_cast<int>(k_answer.size()));
        SSL_shutdown(tls.get());
      }
    }
    ::close(connection);
  }
  struct Free {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };
  std::unique_ptr<SSL_CTX, Free> context_;
  int listener_ = -1;
  unsigned port_ = 0;
  std::string received_;
  std::jthread worker_;
};

HttpTransport::Result ask(const std::string& base_url, const std::filesystem::path& trusted = {}) {
  const auto transport = make_cpprest_transport({.user_agent = "valle/test", .extra_ca_file = trusted});
  return transport->get(
      {.base_url = base_url, .path = "/", .headers = {{"auth-token", "t0k3n"}}, .timeout = std::chrono::seconds{5}});
}

TEST(TlsVerification, refuses_a_certificate_that_signed_itself_and_keeps_the_key) {
  const tests::Certificate certificate{"localhost"};
  OneTlsAnswer server{certificate};
  const auto result = ask(server.base_url());
  ASSERT_TRUE(result.failure.has_value());
  EXPECT_EQ(result.failure->kind, TransportFailure::Kind::tls) << result.failure->detail;
  EXPECT_EQ(server.received(), "");
}

TEST(TlsVerification, accepts_the_same_certificate_where_it_is_trusted) {
  const tests::TemporaryFolder folder;
  const tests::Certificate certificate{"localhost"};
  certificate.write_certificate((folder / "ca.pem").string());
  OneTlsAnswer server{certificate};
  const auto result = ask(server.base_url(), folder / "ca.pem");
  ASSERT_TRUE(result.reply.has_value()) << result.failure->detail;
  EXPECT_EQ(result.reply->body, "{}");
  EXPECT_NE(server.received().find("t0k3n"), std::string::npos);
}

TEST(TlsVerification, refuses_a_trusted_certificate_of_another_name) {
  const tests::TemporaryFolder folder;
  const tests::Certificate certificate{"elsewhere.test"};
  certificate.write_certificate((folder / "ca.pem").string());
  OneTlsAnswer server{certificate};
  const auto result = ask(server.base_url(), folder / "ca.pem");
  ASSERT_TRUE(result.failure.has_value());
  EXPECT_EQ(result.failure->kind, TransportFailure::Kind::tls) << result.failure->detail;
}

}  // namespace
}  // namespace valle::connectors
