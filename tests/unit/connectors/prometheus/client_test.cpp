// SPDX-License-Identifier: Apache-2.0
#include "connectors/prometheus/client.hpp"

#include <gtest/gtest.h>

#include "connectors/prometheus/capabilities.hpp"
#include "connectors/prometheus/replicas.hpp"
#include "tests/support/connectors/scripted_transport.hpp"

namespace valle::connectors::prometheus {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using tests::query_value;
using tests::ScriptedTransport;
using tests::VirtualWaiter;

constexpr const char* k_empty = R"({"status":"success","data":{"resultType":"matrix","result":[]}})";

std::string one_series(const std::string& label, const std::string& values) {
  return R"({"status":"success","data":{"resultType":"matrix","result":[{"metric":{"pod_id":")" + label +
         R"("},"values":)" + values + "}]}}";
}

std::string error(const std::string& type, const std::string& text) {
  return R"({"status":"error","errorType":")" + type + R"(","error":")" + text + R"("})";
}

class PrometheusClient : public ::testing::Test {
 protected:
  ScriptedTransport transport;
  VirtualWaiter waiter;
  Client client{{.base_url = "http://prometheus:9090"}, {.transport = transport, .waiter = waiter}};
  QueryPatience patience{.now = {}, .deadline = minutes{1}};

  QueryAnswer ask() { return client.query("up", scheduler::Moment{milliseconds{1'796'040'030'250}}, patience); }
};

TEST_F(PrometheusClient, posts_the_query_with_the_time_in_seconds) {
  transport.then_json(one_series("u", R"([[1,"2"]])"));
  const QueryAnswer answer = ask();
  EXPECT_EQ(answer.outcome, QueryOutcome::data);
  ASSERT_EQ(answer.series.size(), 1U);
  const auto& request = transport.requests().at(0);
  EXPECT_EQ(request.path, "/api/v1/query");
  EXPECT_EQ(query_value(request, "query"), "up");
  EXPECT_EQ(query_value(request, "time"), "1796040030.250");
}

TEST_F(PrometheusClient, tells_nothing_known_from_every_failure) {
  const struct {
    int status;
    const char* type;
    std::string body;
    QueryOutcome outcome;
  } replies[] = {
      {200, "application/json", k_empty, QueryOutcome::empty},
      {200, "text/html", "<html>Log in</html>", QueryOutcome::bad_answer},
      {200, "application/json", "<html>Log in</html>", QueryOutcome::bad_answer},
      {200, "application/json", "", QueryOutcome::bad_answer},
      {400, "application/json", error("bad_data", "invalid parameter: parse error"), QueryOutcome::rejected},
      {422, "application/json",
       error("execution", "query processing would load too many samples into memory in query execution"),
       QueryOutcome::too_much},
      {422, "application/json", error("execution", "many-to-many matching not allowed"), QueryOutcome::rejected},
      {503, "application/json", error("timeout", "query timed out in query execution"), QueryOutcome::timed_out},
      {413, "text/html", "<html>Too large</html>", QueryOutcome::too_much},
      {401, "text/plain", "who are you", QueryOutcome::unauthorized},
      {403, "text/html", "<html></html>", QueryOutcome::unauthorized},
      {404, "text/plain", "404 page not found", QueryOutcome::rejected},
  };
  for (const auto& reply : replies) {
    ScriptedTransport scripted;
    scripted.then(reply.status, reply.type, reply.body);
    Client asking{{.base_url = "http://prometheus:9090"}, {.transport = scripted, .waiter = waiter}};
    const QueryAnswer answer = asking.query("up", {}, patience);
    EXPECT_EQ(to_text(answer.outcome), to_text(reply.outcome)) << reply.status << reply.body;
    EXPECT_EQ(scripted.requests().size(), 1U) << "asking again would not help: " << reply.status << reply.body;
  }
}

TEST_F(PrometheusClient, asks_again_when_a_proxy_answers_and_gives_up_in_the_end) {
  for (int i = 0; i < 3; ++i) transport.then(502, "text/html", "<html>Bad Gateway</html>");
  const QueryAnswer answer = ask();
  EXPECT_EQ(answer.outcome, QueryOutcome::unavailable);
  EXPECT_EQ(transport.requests().size(), 3U);
  EXPECT_NE(answer.detail.find("502"), std::string::npos);
}

TEST_F(PrometheusClient, takes_the_answer_of_a_repetition) {
  transport.then(502, "text/html", "<html></html>").then_failure(TransportFailure::Kind::refused).then_json(k_empty);
  EXPECT_EQ(ask().outcome, QueryOutcome::empty);
  EXPECT_EQ(waiter.pauses().size(), 2U);
}

TEST_F(PrometheusClient, asks_no_longer_than_there_is_time) {
  patience.deadline = milliseconds{0};
  EXPECT_EQ(ask().outcome, QueryOutcome::unavailable);
  EXPECT_TRUE(transport.requests().empty());
}

TEST_F(PrometheusClient, reads_silence_as_a_query_that_was_too_slow) {
  transport.then_failure(TransportFailure::Kind::timed_out);
  EXPECT_EQ(ask().outcome, QueryOutcome::timed_out);
}

TEST_F(PrometheusClient, hands_on_warnings) {
  transport.then_json(
      R"({"status":"success","warnings":["one store did not answer"],"data":{"resultType":"matrix","result":[]}})");
  EXPECT_EQ(ask().warnings.size(), 1U);
}

TEST_F(PrometheusClient, sends_a_token_and_never_tells_it) {
  Client with_token{{.base_url = "http://prometheus:9090", .token = fixed_token(Secret{"s3cret"})},
                    {.transport = transport, .waiter = waiter}};
  transport.then(401, "text/plain", "no");
  const QueryAnswer answer = with_token.query("up", {}, patience);
  EXPECT_EQ(tests::header_value(transport.requests().at(0), "Authorization"), "Bearer s3cret");
  EXPECT_EQ(answer.detail.find("s3cret"), std::string::npos);
}

TEST_F(PrometheusClient, learns_what_there_is_from_names) {
  transport.then_json(R"({"status":"success","data":["kepler_pod_cpu_joules_total","vllm:generation_tokens_total"]})");
  const auto names = client.metric_names("{}", {}, patience);
  ASSERT_EQ(names.outcome, QueryOutcome::data);
  const Capabilities found = capabilities_of(names.names, {});
  EXPECT_TRUE(found.kepler);
  EXPECT_FALSE(found.kepler_legacy);
  EXPECT_FALSE(found.dcgm_energy);
  EXPECT_EQ(found.vllm_tokens, "vllm:generation_tokens_total");
  EXPECT_EQ(found.text(), "kepler from 0.10 on, vllm tokens");
}

TEST(Capabilities, are_only_of_the_sources_that_are_wanted) {
  const std::vector<std::string> names{
      "kepler_container_joules_total",        "DCGM_FI_DEV_POWER_USAGE",
      "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "scaph_process_power_consumption_microwatts",
      "ipmi_dcmi_power_consumption_watts",    "vllm_generation_tokens_total"};
  const std::vector<std::string> dcgm{"dcgm"};
  const Capabilities found = capabilities_of(names, dcgm);
  EXPECT_TRUE(found.dcgm_energy && found.dcgm_power);
  EXPECT_FALSE(found.kepler_legacy || found.scaphandre);
  const Capabilities all = capabilities_of(names, {});
  EXPECT_TRUE(all.kepler_legacy && all.scaphandre);
  EXPECT_EQ(all.vllm_tokens, "vllm_generation_tokens_total");
  EXPECT_EQ(all.node_power, std::vector<std::string>{"ipmi_dcmi_power_consumption_watts"});
  EXPECT_EQ(capabilities_of({}, {}).text(), "nothing");
}

class PrometheusReplicas : public PrometheusClient {
 protected:
  ScriptedTransport other;

  Replicas one() { return Replicas{{client}}; }
  Replicas two() {
    return Replicas{{client, Client{{.base_url = "http://other:9090"}, {.transport = other, .waiter = waiter}}}};
  }
  static Wanted wanted(std::vector<std::string> uids, milliseconds window = minutes{5}) {
    return {.metric = "m", .label = "pod_id", .values = std::move(uids), .window = {{}, scheduler::Moment{} + window}};
  }
};

TEST_F(PrometheusReplicas, halve_what_a_server_finds_too_much) {
  transport.then(422, "application/json", error("execution", "would load too many samples into memory"))
      .then_json(one_series("a", R"([[1,"1"]])"))
      .then(503, "application/json", error("timeout", "query timed out"))
      .then_json(one_series("b", R"([[1,"1"]])"))
      .then_json(one_series("c", R"([[1,"1"]])"));
  const Seen seen = one().samples(wanted({"a", "b", "c"}), patience);
  EXPECT_EQ(seen.outcome, QueryOutcome::data);
  EXPECT_EQ(seen.replicas.at(0).size(), 3U);
  EXPECT_EQ(query_value(transport.requests().at(2), "query"), R"(m{pod_id=~"b|c"}[300s])");
}

TEST_F(PrometheusReplicas, halve_the_window_of_a_single_pod_and_join_its_samples) {
  transport.then(422, "application/json", error("execution", "would load too many samples into memory"))
      .then_json(one_series("a", R"([[1,"1"],[1200,"2"]])"))
      .then_json(one_series("a", R"([[1200,"2"],[2000,"3"]])"));
  const Seen seen = one().samples(wanted({"a"}, minutes{40}), patience);
  ASSERT_EQ(seen.outcome, QueryOutcome::data);
  ASSERT_EQ(seen.replicas.at(0).size(), 1U);
  EXPECT_EQ(seen.replicas[0][0].samples.size(), 3U);
  EXPECT_EQ(query_value(transport.requests().at(1), "time"), "1200.000");
}

TEST_F(PrometheusReplicas, give_up_where_nothing_is_left_to_halve) {
  transport.then(422, "application/json", error("execution", "would load too many samples into memory"));
  EXPECT_EQ(one().samples(wanted({"a"}), patience).outcome, QueryOutcome::too_much);
}

TEST_F(PrometheusReplicas, are_all_asked_and_one_that_is_silent_is_told) {
  transport.then_json(one_series("a", R"([[1,"1"]])"));
  for (int i = 0; i < 3; ++i) other.then(502, "text/html", "<html></html>");
  const Seen seen = two().samples(wanted({"a"}), patience);
  EXPECT_EQ(seen.outcome, QueryOutcome::data);
  EXPECT_FALSE(seen.complete);
  ASSERT_EQ(seen.replicas.size(), 2U);
  EXPECT_TRUE(seen.replicas[1].empty());
}

TEST_F(PrometheusReplicas, know_nothing_only_if_one_said_so) {
  transport.then_json(k_empty);
  other.then_json(k_empty);
  EXPECT_EQ(two().samples(wanted({"a"}), patience).outcome, QueryOutcome::empty);
}

TEST_F(PrometheusReplicas, fail_a_half_answered_question_whole) {
  transport.then(422, "application/json", error("execution", "would load too many samples into memory"))
      .then_json(one_series("a", R"([[1,"1"]])"))
      .then(400, "application/json", error("bad_data", "no"));
  const Seen seen = one().samples(wanted({"a", "b"}), patience);
  EXPECT_EQ(seen.outcome, QueryOutcome::rejected);
  EXPECT_TRUE(seen.replicas.at(0).empty());
}

}  // namespace
}  // namespace valle::connectors::prometheus
