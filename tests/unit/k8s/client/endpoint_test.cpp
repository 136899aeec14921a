// SPDX-License-Identifier: Apache-2.0
#include "k8s/client/endpoint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "k8s/client/file_text.hpp"
#include "k8s/client/server_address.hpp"
#include "tests/support/temporary_folder.hpp"

namespace valle::k8s {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

class Kubeconfig : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& text) {
    std::ofstream{folder_ / name} << text;
    return folder_ / name;
  }
  /// A whole file with one cluster and one user, whose members are given.
  scheduler::Result<Endpoint> read(const std::string& cluster, const std::string& user,
                                   const std::string& context = {}) {
    return endpoint_from_kubeconfig(
        write("config",
              "apiVersion: v1\nkind: Config\ncurrent-context: prod\n"
              "contexts:\n- name: prod\n  context: {cluster: c, user: u, namespace: carbon}\n"
              "clusters:\n- name: c\n  cluster: {" +
                  cluster + "}\nusers:\n- name: u\n  user: {" + user + "}\n"),
        context);
  }
  scheduler::Error error_of(const std::string& cluster, const std::string& user) {
    const auto endpoint = read(cluster, user);
    EXPECT_FALSE(endpoint.has_value());
    return endpoint ? scheduler::Error{} : endpoint.error();
  }
  tests::TemporaryFolder folder_;
};

constexpr const char* k_server = "server: 'https://10.0.0.1:6443'";

TEST_F(Kubeconfig, gives_address_token_and_namespace) {
  const auto endpoint = read(k_server, "token: abc");
  ASSERT_TRUE(endpoint) << endpoint.error().detail;
  EXPECT_EQ(endpoint->host, "10.0.0.1");
  EXPECT_EQ(endpoint->port, 6443);
  EXPECT_EQ(endpoint->default_namespace, "carbon");
  EXPECT_EQ(endpoint->token->current()->reveal(), "abc");
  EXPECT_FALSE(endpoint->authority.given());
  EXPECT_THAT(endpoint->origin, EndsWith("config, context prod"));
}

TEST_F(Kubeconfig, data_in_the_file_is_decoded_and_wins_over_a_path) {
  const auto endpoint =
      read(std::string{k_server} + ", certificate-authority-data: aGVsbG8=, certificate-authority: nope",
           "client-certificate-data: Y2VydA==, client-key-data: a2V5IQ==");
  ASSERT_TRUE(endpoint) << endpoint.error().detail;
  EXPECT_EQ(endpoint->authority.text, "hello");
  EXPECT_EQ(endpoint->client_certificate.text, "cert");
  EXPECT_EQ(endpoint->client_key.text, "key!");
}

TEST_F(Kubeconfig, paths_are_relative_to_the_file) {
  write("ca.pem", "x");
  write("token", " abc\n");
  const auto endpoint =
      read(std::string{k_server} + ", certificate-authority: ca.pem, tls-server-name: api", "tokenFile: token");
  ASSERT_TRUE(endpoint) << endpoint.error().detail;
  EXPECT_EQ(endpoint->authority.file, folder_ / "ca.pem");
  EXPECT_EQ(endpoint->token->current()->reveal(), "abc");
  EXPECT_EQ(endpoint->server_name, "api");
}

TEST_F(Kubeconfig, each_thing_that_cannot_be_honoured_is_refused_by_its_place) {
  struct Case {
    std::string cluster, user, member, says;
  };
  const std::string server = k_server;
  const std::vector<Case> cases{
      {server + ", insecure-skip-tls-verify: true", "token: a", "clusters[c].cluster.insecure-skip-tls-verify",
       "refused"},
      {server + ", proxy-url: 'http://p'", "token: a", "clusters[c].cluster.proxy-url", "not supported"},
      {"server: 'http://10.0.0.1'", "token: a", "clusters[c].cluster.server", "https://"},
      {"server: 'https://h:0'", "token: a", "clusters[c].cluster.server", "port"},
      {"x: y", "token: a", "clusters[c].cluster.server", "https://"},
      {server, "exec: {command: aws}", "users[u].user.exec", "plug-ins"},
      {server, "auth-provider: {name: gcp}", "users[u].user.auth-provider", "not supported"},
      {server, "username: me, password: pw", "users[u].user.username", "passwords"},
      {server, "token: a, as: root", "users[u].user.as", "impersonation"},
      {server, "client-certificate-data: Y2VydA==", "users[u].user.client-key", "go together"},
      {server, "client-key-data: Y2VydA==", "users[u].user.client-certificate", "go together"},
      {server, "client-certificate-data: '*', client-key-data: a2V5IQ==", "users[u].user.client-certificate-data",
       "base64"},
      {server, "tokenFile: nowhere", "users[u].user.tokenFile", "nowhere"},
      {server, "token: \"a\\nb\"", "users[u].user.token", "characters"},
      {server, "token: [a]", "users[u].user.token", "text"},
      {server, "x: y", "users[u].user", "neither token"},
      {server + ", certificate-authority: nowhere.pem", "token: a", "clusters[c].cluster.certificate-authority",
       "nowhere.pem"},
  };
  for (const auto& [cluster, user, member, says] : cases) {
    const auto error = error_of(cluster, user);
    EXPECT_THAT(error.pointer, EndsWith("config: " + member));
    EXPECT_THAT(error.detail, HasSubstr(says)) << member;
  }
}

TEST_F(Kubeconfig, a_secret_never_stands_in_an_error) {
  EXPECT_THAT(error_of(k_server, "token: \"s3cret\\nx\"").detail, ::testing::Not(HasSubstr("s3cret")));
}

TEST_F(Kubeconfig, another_context_can_be_chosen_and_must_exist) {
  const auto endpoint = read(k_server, "token: a", "dev");
  ASSERT_FALSE(endpoint);
  EXPECT_THAT(endpoint.error().pointer, EndsWith(": contexts"));
  EXPECT_THAT(endpoint.error().detail, HasSubstr("\"dev\""));
}

TEST_F(Kubeconfig, what_is_no_kubeconfig_is_said) {
  for (const auto& [text, says] : std::vector<std::pair<std::string, std::string>>{
           {"[1, 2]", "not a mapping"}, {"a: [", "YAML"}, {"", "not a mapping"}, {"a: b", "current-context"}}) {
    const auto endpoint = endpoint_from_kubeconfig(write("odd", text));
    ASSERT_FALSE(endpoint);
    EXPECT_THAT(endpoint.error().detail + endpoint.error().pointer, HasSubstr(says)) << text;
  }
  const auto absent = endpoint_from_kubeconfig(folder_ / "absent");
  ASSERT_FALSE(absent);
  EXPECT_THAT(absent.error().pointer, EndsWith("absent"));
}

TEST_F(Kubeconfig, broken_lists_are_refused) {
  const auto endpoint = endpoint_from_kubeconfig(write("odd", "current-context: a\ncontexts: {}\n"));
  ASSERT_FALSE(endpoint);
  EXPECT_THAT(endpoint.error().pointer, EndsWith(": contexts"));
}

TEST_F(Kubeconfig, a_file_of_more_than_a_megabyte_is_not_read) {
  EXPECT_TRUE(text_of_file(write("just", std::string(k_largest_small_file, ' '))));
  const auto text = text_of_file(write("more", std::string(k_largest_small_file + 1, ' ')));
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().detail, HasSubstr("1 MB"));
}

TEST_F(Kubeconfig, in_a_pod_the_service_account_says_all) {
  write("token", "t0\n");
  write("ca.crt", "pem");
  write("namespace", "valle\n");
  const auto endpoint = endpoint_in_cluster({.host = "fd00::1", .port = "443", .folder = folder_.path()});
  ASSERT_TRUE(endpoint) << endpoint.error().detail;
  EXPECT_EQ(endpoint->host, "fd00::1");
  EXPECT_EQ(endpoint->default_namespace, "valle");
  EXPECT_EQ(endpoint->authority.file, folder_ / "ca.crt");
  EXPECT_EQ(endpoint->token->current()->reveal(), "t0");
}

TEST_F(Kubeconfig, outside_a_pod_the_variable_or_file_that_is_missing_is_named) {
  EXPECT_EQ(endpoint_in_cluster({.host = "", .port = "443"}).error().pointer, "KUBERNETES_SERVICE_HOST");
  EXPECT_EQ(endpoint_in_cluster({.host = "h", .port = ""}).error().pointer, "KUBERNETES_SERVICE_PORT");
  EXPECT_EQ(endpoint_in_cluster({.host = "h", .port = "x"}).error().pointer, "KUBERNETES_SERVICE_PORT");
  const InCluster given{.host = "h", .port = "443", .folder = folder_.path()};
  EXPECT_THAT(endpoint_in_cluster(given).error().pointer, EndsWith("token"));
  write("token", "t");
  EXPECT_THAT(endpoint_in_cluster(given).error().pointer, EndsWith("ca.crt"));
  write("ca.crt", "pem");
  EXPECT_THAT(endpoint_in_cluster(given).error().pointer, EndsWith("namespace"));
  write("namespace", "\n");
  EXPECT_THAT(endpoint_in_cluster(given).error().detail, HasSubstr("empty"));
}

TEST_F(Kubeconfig, a_token_file_is_read_again_when_it_changes) {
  const auto token = token_from_file(write("token", "one"));
  EXPECT_EQ(token->current()->reveal(), "one");
  write("next", "number-two");
  std::filesystem::rename(folder_ / "next", folder_ / "token");  // as a mounted volume does
  EXPECT_EQ(token->current()->reveal(), "number-two");
  std::filesystem::remove(folder_ / "token");
  EXPECT_EQ(token->current()->reveal(), "number-two") << "between two versions the old one is better than none";
}

TEST_F(Kubeconfig, a_refused_token_file_is_read_again_even_if_it_looks_the_same) {
  const auto file = write("token", "one");
  const auto token = token_from_file(file);
  EXPECT_EQ(token->current()->reveal(), "one");
  const auto time = std::filesystem::last_write_time(file);
  std::ofstream{file} << "two";                  // in place: same inode, same size …
  std::filesystem::last_write_time(file, time);  // … and same time
  EXPECT_EQ(token->current()->reveal(), "one");
  token->was_refused();
  EXPECT_EQ(token->current()->reveal(), "two");
}

TEST_F(Kubeconfig, a_token_that_would_break_a_header_is_refused) {
  for (const std::string& text :
       {std::string{"a b"}, std::string{"a\nb"}, std::string{"  \n"}, std::string{"\xC3\xA9"}}) {
    const auto token = token_from_file(write("token", text))->current();
    ASSERT_FALSE(token);
    EXPECT_EQ(token.error().code, scheduler::Errc::unauthorized);
  }
}

TEST(ServerAddress, host_port_and_path_are_taken_apart) {
  EXPECT_EQ(*parse_server_address("https://api.example.org"), (ServerAddress{"api.example.org", 443, ""}));
  EXPECT_EQ(*parse_server_address("https://h:8443/k8s/clusters/c-1/"), (ServerAddress{"h", 8443, "/k8s/clusters/c-1"}));
  EXPECT_EQ(*parse_server_address("https://[fd00::1]:6443"), (ServerAddress{"fd00::1", 6443, ""}));
  EXPECT_EQ(*parse_server_address("https://[::1]"), (ServerAddress{"::1", 443, ""}));
  EXPECT_EQ(*parse_server_address("https://10.0.0.1/"), (ServerAddress{"10.0.0.1", 443, ""}));
}

TEST(ServerAddress, what_is_none_is_refused) {
  for (const auto* url :
       {"", "https://", "http://h", "h:443", "https://h:", "https://h:65536", "https://h:-1", "https://[::1",
        "https://[]", "https://a b", "https://user@h", "https://h/a?b", "https://h/#x", "https://:443"}) {
    EXPECT_FALSE(parse_server_address(url)) << url;
  }
}

}  // namespace
}  // namespace valle::k8s
