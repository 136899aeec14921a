// SPDX-License-Identifier: Apache-2.0
// Client, cache and leader election against an API server on loopback over real TLS that misbehaves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <mutex>
#include <string>
#include <vector>

#include "k8s/client/discovery.hpp"
#include "k8s/client/retry.hpp"
#include "k8s/client/tls_transport.hpp"
#include "k8s/lease/lease_keeper.hpp"
#include "k8s/watch/informer.hpp"
#include "tests/support/k8s/scripted_api.hpp"
#include "tests/support/k8s/scripted_api_server.hpp"
#include "tests/support/k8s/watch_lines.hpp"
#include "tests/support/temporary_folder.hpp"

namespace valle::k8s {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using tests::added;
using tests::ApiRequest;
using tests::Conversation;
using tests::deleted;
using tests::error_event;
using tests::initial_end;
using tests::modified;
using tests::ScriptedApi;
using tests::ScriptedApiServer;

class WholeStack : public ::testing::Test {
 protected:
  std::shared_ptr<Client> serve(ScriptedApiServer::Handler handler, std::shared_ptr<TokenSource> token = nullptr) {
    server_ = std::make_unique<ScriptedApiServer>(authority_.issue("server", "IP:127.0.0.1"), std::move(handler));
    auto transport = make_tls_transport(
        {.host = "127.0.0.1", .port = server_->port(), .authority = {.text = authority_.certificate()}});
    EXPECT_TRUE(transport);
    return std::make_shared<Client>(*transport, std::move(token), clock_, ClientOptions{.rate = {10'000, 10'000}});
  }
  Call call() const { return {.deadline = clock_->now() + seconds{60}}; }
  std::shared_ptr<Clock> clock_ = monotonic_clock();
  tests::TestAuthority authority_;
  std::unique_ptr<ScriptedApiServer> server_;
  const ObjectPath job_{resources::k_jobs, "lab", "nightly"};
};

TEST_F(WholeStack, a_rotated_token_is_picked_up_at_the_first_refusal) {
  tests::TemporaryFolder folder;
  std::ofstream{folder / "token"} << "old";
  std::atomic<bool> rotated{false};
  const auto client = serve(
      [&](const ApiRequest& request, Conversation& conversation) {
        const bool good = request.header("authorization") == (rotated ? "Bearer new" : "Bearer old");
        conversation.answer(good ? 200 : 401, good ? "{}" : ScriptedApi::status(401, "Unauthorized"));
      },
      token_from_file(folder / "token"));
  EXPECT_TRUE(client->get(job_, call()));
  rotated = true;
  EXPECT_EQ(client->get(job_, call()).error().kind, ApiError::Kind::unauthorized);
  // Written in place and of the same size: only the refusal makes us look again.
  const auto time = std::filesystem::last_write_time(folder / "token");
  std::ofstream{folder / "token"} << "new";
  std::filesystem::last_write_time(folder / "token", time);
  EXPECT_TRUE(client->get(job_, call()));
  server_.reset();  // its threads use what is above
}

TEST_F(WholeStack, a_patch_gets_through_overload_failing_webhooks_and_cut_connections) {
  std::atomic<int> tries{0};
  const auto client = serve([&](const ApiRequest&, Conversation& conversation) {
    switch (++tries) {
      case 1: return conversation.answer(429, ScriptedApi::status(429, "TooManyRequests"), {"Retry-After: 0"});
      case 2:
        return conversation.answer(500,
                                   ScriptedApi::status(500, "InternalError", "failed calling webhook \"vjob.kb.io\""));
      case 3: return conversation.cut();
      case 4: return conversation.answer(503, "not even JSON");
      default: return conversation.answer(200, "{\"done\":true}");
    }
  });
  const Call patient = call();
  const auto answer = with_retries(*clock_, {.first_pause = milliseconds{1}}, patient, 1, [&] {
    return client->patch(job_, {Patch::Type::merge, {{"a", 1}}}, patient);
  });
  ASSERT_TRUE(answer) << text_of(answer.error());
  EXPECT_EQ(answer->object["done"], true);
  server_.reset();  // its threads use what is above
  EXPECT_EQ(tries, 5);
}

TEST_F(WholeStack, a_cache_lives_through_cuts_expiry_duplicates_and_a_server_that_goes_silent) {
  std::atomic<int> streams{0};
  const auto client = serve([&](const ApiRequest& request, Conversation& conversation) {
    const auto say = [&](std::initializer_list<std::string> lines) {
      conversation.begin_stream();
      for (const auto& line : lines) conversation.line(line);
    };
    switch (++streams) {
      case 1: say({added("a", 1), added("b", 2), initial_end(2)}); break;
      case 2:
        EXPECT_TRUE(request.asks("resourceVersion=2&"));
        say({added("c", 3), added("c", 3)});
        return conversation.cut();
      case 3:
        EXPECT_TRUE(request.asks("resourceVersion=3&"));
        say({modified("a", 5), modified("a", 4), error_event(410, "Expired")});
        break;
      case 4: say({added("a", 5), added("d", 7), initial_end(9)}); break;
      case 5: say({deleted("a", 10)}); break;
      default: say({added("last", 11)}); return conversation.wait_until_gone();  // until the cache is stopped
    }
    if (!conversation.gone()) conversation.end_stream();
  });
  std::mutex mutex;
  std::vector<std::string> changes;
  std::stop_source last_seen;
  Informer<std::string> informer{
      client,
      {.collection = {resources::k_jobs, "lab"}, .first_pause = milliseconds{1}, .longest_pause = milliseconds{2}},
      [](const Json& json) -> scheduler::Result<std::string> {
        return json["metadata"]["name"].get<std::string>() + json["metadata"]["resourceVersion"].get<std::string>();
      },
      [&](const auto& before, const auto& now) {
        const std::scoped_lock lock{mutex};
        changes.push_back((before ? *before : "-") + ">" + (now ? *now : "-"));
        if (now && *now == "last11") last_seen.request_stop();
      }};
  informer.start();
  std::mutex waiting;
  std::condition_variable_any never;
  std::unique_lock lock{waiting};
  never.wait(lock, last_seen.get_token(), [] { return false; });
  informer.stop();
  server_.reset();  // its threads use what is above
  EXPECT_THAT(changes, ElementsAre("->a1", "->b2", "->c3", "a1>a5", "->d7", "b2>-", "c3>-", "a5>-", "->last11"));
  EXPECT_EQ(informer.size(), 2U);
  EXPECT_EQ(informer.state().lists, 2U);
  EXPECT_EQ(informer.state().stale_events, 2U);
}

TEST_F(WholeStack, an_election_is_won_renewed_and_given_back) {
  std::mutex mutex;
  Json lease;
  int writes = 0;
  const auto client = serve([&](const ApiRequest& request, Conversation& conversation) {
    const std::scoped_lock lock{mutex};
    if (request.method == "GET") {
      return conversation.answer(lease.is_null() ? 404 : 200,
                                 lease.is_null() ? ScriptedApi::status(404, "NotFound") : lease.dump());
    }
    lease = Json::parse(request.body);
    lease["metadata"]["resourceVersion"] = std::to_string(++writes);
    conversation.answer(200, lease.dump());
  });
  const auto made =
      LeaseKeeper::make(client, [] { return WallTime{}; },
                        {.space = "valle", .identity = "me", .times = {seconds{60}, seconds{50}, milliseconds{5}}});
  ASSERT_TRUE(made);
  (*made)->start();
  server_->wait_for_requests(5);  // read, claim, three renewals
  EXPECT_TRUE((*made)->leading());
  (*made)->stop();
  EXPECT_FALSE((*made)->leading());
  server_.reset();  // its threads use what is above
  EXPECT_EQ(lease["spec"]["holderIdentity"], "");
}

}  // namespace
}  // namespace valle::k8s
