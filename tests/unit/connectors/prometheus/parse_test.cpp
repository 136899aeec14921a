// SPDX-License-Identifier: Apache-2.0
#include "connectors/prometheus/parse.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "connectors/prometheus/queries.hpp"

namespace valle::connectors::prometheus {
namespace {

using scheduler::Moment;
using scheduler::Sample;

std::string answer(const std::string& result, const std::string& type = "matrix") {
  return R"({"status":"success","data":{"resultType":")" + type + R"(","result":)" + result + "}}";
}

std::string detail(const scheduler::Result<Envelope>& parsed) { return parsed ? "" : parsed.error().detail; }

Moment at(std::int64_t milliseconds) { return Moment{std::chrono::milliseconds{milliseconds}}; }

TEST(PrometheusAnswer, is_series_of_labels_and_samples) {
  const auto parsed = parse_answer(answer(
      R"([{"metric":{"__name__":"m","pod_id":"u1"},"values":[[1802246415,"6"],[1802246430.125,"4.2421665e+07"]]},
          {"metric":{},"values":[[1802246415.5,"-1"]]}])"));
  ASSERT_TRUE(parsed) << detail(parsed);
  EXPECT_TRUE(parsed->success);
  EXPECT_EQ(parsed->result_type, "matrix");
  ASSERT_EQ(parsed->series.size(), 2U);
  EXPECT_EQ(parsed->series[0].label("pod_id"), "u1");
  EXPECT_EQ(parsed->series[0].label("nothing"), "");
  EXPECT_EQ(parsed->series[0].samples, (scheduler::Samples{{at(1802246415000), 6}, {at(1802246430125), 42421665}}));
  EXPECT_EQ(parsed->series[1].samples, (scheduler::Samples{{at(1802246415500), -1}}));
}

TEST(PrometheusAnswer, may_be_a_vector_or_a_scalar) {
  const auto vector = parse_answer(answer(R"([{"metric":{"a":"b"},"value":[1.5,"3"]}])", "vector"));
  ASSERT_TRUE(vector) << detail(vector);
  EXPECT_EQ(vector->series[0].samples, (scheduler::Samples{{at(1500), 3}}));
  const auto scalar = parse_answer(answer(R"([1796040000,"1796040000"])", "scalar"));
  ASSERT_TRUE(scalar) << detail(scalar);
  ASSERT_EQ(scalar->series.size(), 1U);
  EXPECT_EQ(scalar->series[0].samples, (scheduler::Samples{{at(1796040000000), 1796040000}}));
}

TEST(PrometheusAnswer, without_series_is_empty_and_no_error) {
  const auto parsed = parse_answer(answer("[]"));
  ASSERT_TRUE(parsed);
  EXPECT_TRUE(parsed->series.empty());
}

TEST(PrometheusAnswer, keeps_what_is_no_number_as_such) {
  const auto parsed = parse_answer(answer(R"([{"metric":{},"values":[[1,"NaN"],[2,"+Inf"],[3,"-Inf"],[4,"1e999"]]}])"));
  ASSERT_TRUE(parsed);
  const auto& samples = parsed->series[0].samples;
  EXPECT_TRUE(std::isnan(samples[0].value));
  for (std::size_t i = 1; i < 4; ++i) EXPECT_TRUE(std::isinf(samples[i].value)) << i;
}

TEST(PrometheusAnswer, of_an_error_keeps_its_kind_and_words) {
  const auto parsed = parse_answer(
      R"({"status":"error","errorType":"execution","error":"query processing would load too many samples into memory in query execution"})");
  ASSERT_TRUE(parsed);
  EXPECT_FALSE(parsed->success);
  EXPECT_EQ(parsed->error_type, "execution");
  EXPECT_NE(parsed->error.find("too many samples"), std::string::npos);
}

TEST(PrometheusAnswer, carries_warnings_wherever_they_stand) {
  const auto parsed = parse_answer(
      R"({"warnings":["one store did not answer"],"infos":["x"],"status":"success","data":{"resultType":"matrix","result":[]}})");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->warnings, std::vector<std::string>{"one store did not answer"});
}

TEST(PrometheusAnswer, skips_what_it_does_not_know) {
  const auto parsed = parse_answer(
      R"({"status":"success","data":{"resultType":"matrix","stats":{"result":[[1,2]]},"result":[
         {"metric":{"a":"b"},"values":[[1,"2"]],"histograms":[[1,{"count":"3","buckets":[[0,"1","2","3"]]}]]}]}})");
  ASSERT_TRUE(parsed) << detail(parsed);
  EXPECT_EQ(parsed->series[0].samples.size(), 1U);
}

TEST(PrometheusAnswer, that_is_something_else_is_refused) {
  for (const char* bytes : {"", "<html>Bad Gateway</html>", "[]", "{}", R"({"status":17})", R"({"status":"success")",
                            R"({"status":"maybe"})"}) {
    EXPECT_FALSE(parse_answer(bytes)) << bytes;
  }
}

TEST(PrometheusAnswer, with_samples_of_another_shape_is_refused) {
  for (const char* sample : {R"([1,2])", R"(["1","2"])", R"([1])", R"([])", R"([1,"2","3"])", R"([1,"two"])",
                             R"([1,""])", R"([1,null])", R"([1e300,"2"])", R"(["a"])", R"([1,2,"3"])"}) {
    EXPECT_FALSE(parse_answer(answer(R"([{"metric":{},"values":[)" + std::string{sample} + "]}]"))) << sample;
  }
  EXPECT_FALSE(parse_answer(answer(R"([{"metric":{},"values":[[2,"1"],[1,"2"]]}])"))) << "backwards in time";
}

TEST(PrometheusAnswer, is_taken_up_to_its_limits_and_not_beyond) {
  const std::string two =
      answer(R"([{"metric":{"a":"b","c":"d"},"values":[[1,"1"],[2,"2"]]},{"metric":{},"values":[]}])");
  EXPECT_TRUE(parse_answer(two, {.series = 2, .samples = 2, .labels = 2, .text_bytes = 10}));
  EXPECT_FALSE(parse_answer(two, {.series = 1}));
  EXPECT_FALSE(parse_answer(two, {.samples = 1}));
  EXPECT_FALSE(parse_answer(two, {.labels = 1}));
  EXPECT_FALSE(parse_answer(answer(R"([{"metric":{"a":"bcdef"},"values":[]}])"), {.text_bytes = 4}));
}

TEST(PrometheusAnswer, nested_without_end_is_refused) {
  EXPECT_FALSE(parse_answer(R"({"status":"success","data":)" + std::string(100'000, '[')));
}

TEST(PrometheusAnswer, cut_anywhere_is_refused_and_never_more_than_the_whole) {
  const std::string whole = answer(R"([{"metric":{"a":"b"},"values":[[1,"1"],[2,"2"]]}])");
  for (std::size_t length = 0; length < whole.size(); ++length) EXPECT_FALSE(parse_answer(whole.substr(0, length)));
}

TEST(PrometheusQuery, quotes_what_stands_in_texts) {
  EXPECT_EQ(quoted(R"(a"b\c)"), R"("a\"b\\c")");
  EXPECT_EQ(quoted("a\nb"), R"("a\nb")");
}

TEST(PrometheusQuery, matches_regex_characters_as_themselves) {
  EXPECT_EQ(is_one_of("pod", std::vector<std::string>{"fit.1"}), R"(pod="fit.1")");
  EXPECT_EQ(is_one_of("pod", std::vector<std::string>{"fit.1", "a|b", "x-2"}), R"(pod=~"fit\\.1|a\\|b|x-2")");
  EXPECT_EQ(is_one_of("pod", std::vector<std::string>{"q\"", "(*)"}), "pod=~\"q\\\"|\\\\(\\\\*\\\\)\"");
}

TEST(PrometheusQuery, writes_ranges_in_whole_numbers) {
  EXPECT_EQ(range_text(std::chrono::seconds{1860}), "1860s");
  EXPECT_EQ(range_text(std::chrono::milliseconds{1'800'500}), "1800500ms");
  EXPECT_EQ(range_selector("m", {R"(a="b")", R"(c=~"d|e")"}, std::chrono::minutes{1}), R"(m{a="b",c=~"d|e"}[60s])");
}

}  // namespace
}  // namespace valle::connectors::prometheus
