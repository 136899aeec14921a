// SPDX-License-Identifier: Apache-2.0
#include "service/cluster/certificates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <mutex>

#include "k8s/client/base64.hpp"
#include "service/runtime/log.hpp"
#include "tests/support/k8s/fake_clock.hpp"
#include "tests/support/k8s/scripted_api.hpp"

namespace valle::service::cluster {
namespace {

using k8s::Json;
using std::chrono::days;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

const std::string k_secrets = "/api/v1/namespaces/lab/secrets";
const std::string k_secret = k_secrets + "/valle-webhook";
const std::string k_mutating = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/valle";
const std::string k_validating = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/valle";

/// An API server's objects by path, with versions as far as guards go: a stale one is a conflict.
class StoredObjects final : public k8s::Transport {
 public:
  k8s::TransportResult<k8s::Response> send(const k8s::Request& request, std::stop_token) override {
    const std::string path = request.target.substr(0, request.target.find('?'));
    if (request.method != "GET") writes.push_back(request.method + " " + path);
    if (const auto refused = refusals.find(request.method + " " + path); refused != refusals.end()) {
      return status(refused->second, "Refused");
    }
    if (before_write && request.method != "GET") std::exchange(before_write, {})();
    if (request.method == "POST") return create(path, Json::parse(request.body));
    const auto found = objects.find(path);
    if (found == objects.end()) return status(404, "NotFound");
    if (request.method == "PATCH" && !change(found->second, Json::parse(request.body))) return status(409, "Conflict");
    return k8s::Response{.status = 200, .body = found->second.dump()};
  }
  k8s::TransportResult<k8s::Response> stream(const k8s::Request& request, const k8s::LineSink&,
                                             std::stop_token stop) override {
    return send(request, std::move(stop));
  }

  void put(const std::string& path, Json object) {
    object["metadata"]["resourceVersion"] = std::to_string(++version_);
    objects[path] = std::move(object);
  }
  std::string data(const std::string& name) {
    return k8s::decoded_base64(objects.at(k_secret)["data"][name].get<std::string>()).value();
  }

  std::map<std::string, Json> objects;
  std::map<std::string, int> refusals;  ///< "PATCH /path" → status
  std::function<void()> before_write;   ///< once, between what was read and the next write
  std::vector<std::string> writes;

 private:
  static k8s::Response status(int code, const std::string& reason) {
    return {.status = code, .body = tests::ScriptedApi::status(code, reason)};
  }
  k8s::Response create(const std::string& collection, const Json& object) {
    const std::string path = collection + "/" + object["metadata"]["name"].get<std::string>();
    if (objects.contains(path)) return status(409, "AlreadyExists");
    put(path, object);
    return {.status = 201, .body = objects[path].dump()};
  }
  bool change(Json& object, const Json& patch) {
    const Json version = object["metadata"]["resourceVersion"];
    try {
      if (patch.is_array()) {
        object = object.patch(patch);
      } else {
        if (patch["metadata"].value("resourceVersion", version.get<std::string>()) != version) return false;
        object.merge_patch(patch);
      }
    } catch (const Json::exception&) {  // a test that fails
      return false;
    }
    object["metadata"]["resourceVersion"] = std::to_string(++version_);
    return true;
  }
  int version_ = 0;
};

Json webhooks(int count) {
  Json hooks = Json::array();
  for (int i = 0; i < count; ++i) {
    hooks.push_back({{"name", "hook" + std::to_string(i)}, {"clientConfig", {{"service", {{"name", "valle"}}}}}});
  }
  return {{"metadata", {{"name", "valle"}}}, {"webhooks", hooks}};
}

class SetClock final : public runtime::Clock {
 public:
  [[nodiscard]] scheduler::Instant now() const override { return at; }
  [[nodiscard]] std::optional<std::chrono::milliseconds> real_time_until(scheduler::Instant) const override {
    return {};
  }
  scheduler::Instant at = scheduler::parse_instant("2027-03-01T12:00:00Z").value();
};

class CertificatesTest : public ::testing::Test {
 protected:
  CertificatesTest() {
    api_->put(k_mutating, webhooks(1));
    api_->put(k_validating, webhooks(2));
    runtime::log::set_sink([this](std::string_view line) {
      const std::scoped_lock lock{mutex_};
      log_ += std::string{line} + '\n';
    });
  }
  ~CertificatesTest() override { runtime::log::set_sink({}); }

  std::unique_ptr<Certificates> replica(bool leading = true) {
    return std::make_unique<Certificates>(Certificates::Services{
        .client = std::make_shared<k8s::Client>(api_, nullptr, std::make_shared<tests::FakeClock>()),
        .clock = clock_,
        .space = "lab",
        .names = certificate_names({.names = {"127.0.0.1"}}, "lab"),
        .leading = [leading] { return leading; },
        .show =
            [this](const std::filesystem::path& path) {
              if (!may_show_) return scheduler::Result<void>{scheduler::refuse(scheduler::Errc::invalid_request, "no")};
              std::ifstream file{path};
              shown_.emplace_back(std::istreambuf_iterator<char>{file}, std::istreambuf_iterator<char>{});
              return scheduler::Result<void>{};
            }});
  }
  static void look(Certificates& certificates) { certificates.look(std::stop_token{}); }
  std::string bundle(const std::string& path, std::size_t hook) const {
    return k8s::decoded_base64(api_->objects.at(path)["webhooks"][hook]["clientConfig"].value("caBundle", ""))
        .value_or("");
  }

  std::shared_ptr<StoredObjects> api_ = std::make_shared<StoredObjects>();
  SetClock clock_;
  bool may_show_ = true;
  std::vector<std::string> shown_;  ///< content of the PEM file at each call
  std::mutex mutex_;
  std::string log_;
};

TEST_F(CertificatesTest, names_are_those_of_the_service_and_what_the_configuration_adds) {
  EXPECT_THAT(certificate_names({.service = "carbon", .names = {"10.0.0.1"}}, "lab"),
              ElementsAre("carbon.lab.svc", "carbon.lab.svc.cluster.local", "10.0.0.1"));
}

TEST_F(CertificatesTest, a_leader_makes_the_secret_writes_every_bundle_and_shows_the_leaf) {
  look(*replica());
  EXPECT_EQ(api_->objects.at(k_secret)["type"], "kubernetes.io/tls");
  EXPECT_THAT(shown_, ElementsAre(api_->data("tls.crt") + api_->data("tls.key")));
  for (const auto& [path, hook] : {std::pair{k_mutating, 0}, {k_validating, 0}, {k_validating, 1}}) {
    EXPECT_EQ(bundle(path, static_cast<std::size_t>(hook)), api_->data("ca.crt"));
  }
  EXPECT_THAT(api_->writes, ElementsAre("POST " + k_secrets, "PATCH " + k_mutating, "PATCH " + k_validating));
  EXPECT_EQ(api_->objects.at(k_mutating)["webhooks"][0]["clientConfig"]["service"]["name"], "valle");
}

TEST_F(CertificatesTest, a_second_look_writes_and_shows_nothing) {
  const auto leader = replica();
  look(*leader);
  api_->writes.clear();
  look(*leader);
  EXPECT_THAT(api_->writes, IsEmpty());
  EXPECT_EQ(shown_.size(), 1u);
}

TEST_F(CertificatesTest, a_follower_waits_for_the_leader_and_then_shows_the_same) {
  const auto follower = replica(false);
  look(*follower);
  EXPECT_THAT(shown_, IsEmpty());
  EXPECT_THAT(api_->writes, IsEmpty());
  look(*replica());
  look(*follower);
  ASSERT_EQ(shown_.size(), 2u);
  EXPECT_EQ(shown_[0], shown_[1]);
}

TEST_F(CertificatesTest, the_leaf_is_renewed_in_time_by_the_same_authority_and_followers_turn_to_it) {
  const auto leader = replica();
  const auto follower = replica(false);
  look(*leader);
  look(*follower);
  const std::string authority = api_->data("ca.crt");
  clock_.at += days{365 - 90};
  api_->writes.clear();
  look(*leader);
  look(*follower);
  EXPECT_EQ(api_->data("ca.crt"), authority);
  EXPECT_EQ(end_of_certificate(api_->data("tls.crt")), clock_.at + days{365});
  EXPECT_THAT(api_->writes, ElementsAre("PATCH " + k_secret)) << "the bundles stay";
  ASSERT_EQ(shown_.size(), 4u);
  EXPECT_NE(shown_[2], shown_[0]);
  EXPECT_EQ(shown_[3], shown_[2]);
}

TEST_F(CertificatesTest, bundles_that_were_overwritten_or_come_late_are_right_after_the_next_look) {
  api_->objects.erase(k_validating);
  const auto leader = replica();
  look(*leader);
  EXPECT_EQ(shown_.size(), 1u) << "a configuration that is not there is no reason to wait";
  api_->put(k_validating, webhooks(2));
  api_->objects[k_mutating]["webhooks"][0]["clientConfig"]["caBundle"] = "Zm9yZWlnbg==";
  look(*leader);
  EXPECT_EQ(bundle(k_mutating, 0), api_->data("ca.crt"));
  EXPECT_EQ(bundle(k_validating, 1), api_->data("ca.crt"));
}

TEST_F(CertificatesTest, a_secret_that_was_deleted_is_made_anew) {
  const auto leader = replica();
  look(*leader);
  const std::string before = api_->data("ca.crt");
  api_->objects.erase(k_secret);
  look(*leader);
  EXPECT_NE(api_->data("ca.crt"), before);
  EXPECT_EQ(bundle(k_mutating, 0), api_->data("ca.crt"));
  EXPECT_EQ(shown_.size(), 2u);
}

TEST_F(CertificatesTest, two_leaders_end_with_what_the_quicker_one_made) {
  const auto slow = replica();
  api_->before_write = [this] { look(*replica()); };  // once the slow one has seen that there is no Secret
  look(*slow);
  const std::string quick = api_->data("tls.crt");
  ASSERT_EQ(shown_.size(), 1u) << "the slow one's certificate is not shown: nobody knows its authority";
  look(*slow);
  EXPECT_EQ(api_->data("tls.crt"), quick);
  ASSERT_EQ(shown_.size(), 2u);
  EXPECT_EQ(shown_[1], shown_[0]);
}

TEST_F(CertificatesTest, a_renewal_from_an_old_reading_is_a_conflict_not_an_overwriting) {
  const auto leader = replica();
  look(*leader);
  clock_.at += days{300};
  api_->before_write = [this] { look(*replica()); };
  look(*leader);
  const std::string quick = api_->data("tls.crt");
  look(*leader);
  EXPECT_EQ(api_->data("tls.crt"), quick);
  EXPECT_EQ(shown_.back(), quick + api_->data("tls.key"));
}

TEST_F(CertificatesTest, a_secret_without_a_pair_is_not_shown_and_the_old_one_stays) {
  const auto follower = replica(false);
  look(*replica());
  look(*follower);
  api_->objects[k_secret]["data"]["tls.key"] = "!!!";
  look(*follower);
  EXPECT_EQ(shown_.size(), 2u);
  look(*replica());
  look(*follower);
  EXPECT_EQ(shown_.size(), 4u);
}

TEST_F(CertificatesTest, what_could_not_be_shown_is_shown_at_the_next_look) {
  const auto leader = replica();
  may_show_ = false;
  look(*leader);
  EXPECT_THAT(shown_, IsEmpty());
  may_show_ = true;
  look(*leader);
  EXPECT_EQ(shown_.size(), 1u);
}

TEST_F(CertificatesTest, a_bundle_that_may_not_be_written_keeps_nothing_from_being_shown) {
  api_->refusals["PATCH " + k_mutating] = 403;
  api_->refusals["GET " + k_validating] = 403;
  look(*replica());
  EXPECT_EQ(shown_.size(), 1u);
}

TEST_F(CertificatesTest, a_secret_that_may_not_be_read_is_never_made_anew) {
  api_->refusals["GET " + k_secret] = 403;
  look(*replica());
  EXPECT_THAT(api_->writes, IsEmpty());
  EXPECT_THAT(shown_, IsEmpty());
}

TEST_F(CertificatesTest, looks_again_and_again_until_stopped_and_logs_a_lasting_problem_once_and_no_key) {
  const auto script = std::make_shared<tests::ScriptedApi>();
  for (int i = 0; i < 5; ++i) script->then_status(403, "Forbidden", "secrets is forbidden");
  const auto steady = std::make_shared<tests::FakeClock>();
  Certificates certificates{{.client = std::make_shared<k8s::Client>(script, nullptr, steady),
                             .clock = clock_,
                             .space = "lab",
                             .names = {"valle.lab.svc"},
                             .leading = [] { return true; },
                             .show = [](const auto&) { return scheduler::Result<void>{}; }}};
  certificates.start();
  script->wait_for_end();
  certificates.stop();
  certificates.stop();
  EXPECT_EQ(script->seen().size(), 5u);
  EXPECT_THAT(script->seen()[4].target, StartsWith(k_secret));
  EXPECT_THAT(steady->waits(), testing::Contains(std::chrono::milliseconds{k_look_for_first_certificate}));
  look(*replica());
  const std::scoped_lock lock{mutex_};
  const auto first = log_.find("secrets is forbidden");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(log_.find("secrets is forbidden", first + 1), std::string::npos);
  EXPECT_THAT(log_, HasSubstr("webhook_certificate_made"));
  EXPECT_EQ(log_.find("PRIVATE KEY"), std::string::npos);
}

}  // namespace
}  // namespace valle::service::cluster
