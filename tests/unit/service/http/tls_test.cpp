// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "service/http/server.hpp"
#include "service/runtime/log.hpp"
#include "tests/support/http/certificates.hpp"
#include "tests/support/http/client.hpp"

namespace valle::service::http {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using tests::Certificate;
using tests::Client;

struct FreeContext {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
using ClientContext = std::unique_ptr<SSL_CTX, FreeContext>;

/// A client's settings: trusts exactly `authority`, and shows `own` where given.
ClientContext trusting(const Certificate& authority, const Certificate* own = nullptr) {
  ClientContext context{SSL_CTX_new(TLS_client_method())};
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  X509_STORE_add_cert(SSL_CTX_get_cert_store(context.get()), authority.x509());
  if (own) {
    SSL_CTX_use_certificate(context.get(), own->x509());
    SSL_CTX_use_PrivateKey(context.get(), own->key());
  }
  return context;
}

class TlsTest : public testing::Test {
 protected:
  TlsTest() {
    std::filesystem::create_directories(folder_);
    install(server_certificate_);
    options_.port = 0;
    options_.tls = TlsFiles{folder_ / "tls.crt", folder_ / "tls.key"};
    router_.add("GET", "/constant", [](const Request&, const Respond& respond) { respond({.body = "{}"}); });
    router_.add("POST", "/echo",
                [](Request request, const Respond& respond) { respond({.body = std::move(request.body)}); },
                {.largest_body = k_array_body});
    runtime::log::set_sink([this](std::string_view line) {
      const std::scoped_lock lock{mutex_};
      lines_.emplace_back(line);
    });
  }
  ~TlsTest() override {
    server_.reset();
    runtime::log::set_sink({});
    std::filesystem::remove_all(folder_);
  }

  void install(const Certificate& certificate) const {
    certificate.write_certificate(folder_ / "tls.crt");
    certificate.write_key(folder_ / "tls.key");
  }
  void start() {
    auto started = Server::start(io_, clock_, router_, options_);
    ASSERT_TRUE(started) << started.error().detail;
    server_ = *std::move(started);
  }
  scheduler::Error refusal() { return Server::start(io_, clock_, router_, options_).error(); }
  std::string log() {
    const std::scoped_lock lock{mutex_};
    std::string text;
    for (const std::string& line : lines_) text += line + '\n';
    return text;
  }

  const std::filesystem::path folder_ = testing::TempDir() + "valle_tls_" + std::to_string(getpid()) + "_" +
                                        testing::UnitTest::GetInstance()->current_test_info()->name();
  const Certificate server_certificate_{"valle"};
  std::mutex mutex_;
  std::vector<std::string> lines_;
  const runtime::SystemClock clock_;
  runtime::Io io_;
  Router router_;
  ServerOptions options_;
  std::unique_ptr<Server> server_;
};

TEST_F(TlsTest, answers_over_tls) {
  start();
  EXPECT_THAT(server_->url(), testing::StartsWith("https://127.0.0.1:"));
  const ClientContext context = trusting(server_certificate_);
  Client client{server_->port(), context.get()};
  EXPECT_EQ(client.ask("GET", "/constant").body, "{}");
  const std::string large(3'000'000, 'x');
  EXPECT_TRUE(client.ask("POST", "/echo", large).body == large);
  EXPECT_EQ(client.ask("GET", "/constant", {}, "Connection: close\r\n").status, 200);
  EXPECT_TRUE(client.ends());
}

TEST_F(TlsTest, plain_http_on_a_tls_port_is_told_so) {
  start();
  Client plain{server_->port()};
  const tests::Reply reply = plain.ask("GET", "/constant");
  EXPECT_EQ(reply.status, 400);
  EXPECT_THAT(reply.body, HasSubstr("HTTPS"));
  EXPECT_TRUE(plain.ends());
  Client garbage{server_->port()};
  garbage.send(std::string(100, '\xff'));
  garbage.receive();
  const ClientContext context = trusting(server_certificate_);
  EXPECT_EQ(Client(server_->port(), context.get()).ask("GET", "/constant").status, 200);
}

TEST_F(TlsTest, a_handshake_that_does_not_come_is_cut_off) {
  options_.limits.header_time = 40ms;
  start();
  Client silent{server_->port()};
  EXPECT_TRUE(silent.ends());
}

TEST_F(TlsTest, old_versions_are_refused) {
  start();
  const ClientContext context = trusting(server_certificate_);
  SSL_CTX_set_security_level(context.get(), 0);
  SSL_CTX_set_max_proto_version(context.get(), TLS1_1_VERSION);
  EXPECT_THROW(Client(server_->port(), context.get()), std::runtime_error);
  SSL_CTX_set_max_proto_version(context.get(), TLS1_2_VERSION);
  EXPECT_EQ(Client(server_->port(), context.get()).ask("GET", "/constant").status, 200);
}

TEST_F(TlsTest, changed_files_are_used_for_new_connections) {
  options_.tls_check_every = 5ms;
  start();
  const ClientContext old_context = trusting(server_certificate_);
  Client old_client{server_->port(), old_context.get()};
  const Certificate renewed{"renewed"};
  install(renewed);
  const ClientContext new_context = trusting(renewed);
  std::unique_ptr<Client> client;
  while (!client) {
    try {
      client = std::make_unique<Client>(server_->port(), new_context.get());
    } catch (const std::runtime_error&) {
      std::this_thread::yield();
    }
  }
  EXPECT_EQ(client->ask("GET", "/constant").status, 200);
  EXPECT_EQ(old_client.ask("GET", "/constant").status, 200) << "the old connection lives on";
  EXPECT_THAT(log(), HasSubstr("event=tls_files_reloaded"));
}

TEST_F(TlsTest, files_that_do_not_fit_leave_the_old_ones_in_use) {
  start();
  const Certificate other{"other"};
  other.write_key(folder_ / "tls.key");
  const auto reloaded = server_->reload_tls();
  ASSERT_FALSE(reloaded);
  EXPECT_THAT(reloaded.error().pointer, HasSubstr("tls.key"));
  const ClientContext context = trusting(server_certificate_);
  EXPECT_EQ(Client(server_->port(), context.get()).ask("GET", "/constant").status, 200);
  other.write_certificate(folder_ / "tls.crt");
  EXPECT_TRUE(server_->reload_tls());
  const ClientContext new_context = trusting(other);
  EXPECT_EQ(Client(server_->port(), new_context.get()).ask("GET", "/constant").status, 200);
}

TEST_F(TlsTest, unusable_files_are_refused_at_the_start) {
  options_.tls->certificate = folder_ / "missing.crt";
  EXPECT_THAT(refusal().pointer, HasSubstr("missing.crt"));
  EXPECT_THAT(refusal().detail, HasSubstr("No such file"));
  options_.tls->certificate = folder_ / "tls.crt";
  server_certificate_.write_key(folder_ / "tls.key", "a passphrase");
  EXPECT_THAT(refusal().pointer, HasSubstr("tls.key")) << "and nobody is asked for the passphrase";
  install(server_certificate_);
  options_.tls->client_ca = folder_ / "missing-ca.crt";
  EXPECT_THAT(refusal().pointer, HasSubstr("missing-ca.crt"));
}

TEST_F(TlsTest, clients_show_a_certificate_where_an_authority_is_given) {
  const Certificate ana{"ana"};
  ana.write_certificate(folder_ / "ca.crt");
  options_.tls->client_ca = folder_ / "ca.crt";
  start();
  const ClientContext known = trusting(server_certificate_, &ana);
  EXPECT_EQ(Client(server_->port(), known.get()).ask("GET", "/constant").status, 200);
  const Certificate stranger{"stranger"};
  for (const Certificate* shown : {static_cast<const Certificate*>(nullptr), &stranger}) {
    const ClientContext context = trusting(server_certificate_, shown);
    SSL_CTX_set_max_proto_version(context.get(), TLS1_2_VERSION);  // 1.3 tells the client only after its handshake
    EXPECT_THROW(Client(server_->port(), context.get()), std::runtime_error);
  }
}

TEST_F(TlsTest, stopping_closes_idle_connections) {
  start();
  const ClientContext context = trusting(server_certificate_);
  Client client{server_->port(), context.get()};
  EXPECT_EQ(client.ask("GET", "/constant").status, 200);
  EXPECT_TRUE(server_->stop(10s));
  EXPECT_TRUE(client.ends());
}

}  // namespace
}  // namespace valle::service::http
