// SPDX-License-Identifier: Apache-2.0
#include "service/api/json_reader.hpp"

#include <gtest/gtest.h>

namespace valle::service::api {
namespace {

using scheduler::Errc;

TEST(JsonReader, reads_what_is_right) {
  const auto json = parse_json(R"( {"a":[1,-2.5e3,true,null,"é€😀"],"b":{}} )", k_request_limits);
  ASSERT_TRUE(json);
  EXPECT_EQ((*json)["a"].size(), 5U);
  EXPECT_EQ((*json)["a"][1], -2500.0);
  EXPECT_EQ((*json)["a"][4], "é€😀");
}

TEST(JsonReader, keeps_whole_numbers_exact) {
  const auto json = parse_json("9007199254740993", k_request_limits);
  ASSERT_TRUE(json);
  EXPECT_EQ(json->get<std::int64_t>(), 9007199254740993);
}

TEST(JsonReader, names_line_and_column_of_broken_text) {
  struct Row {
    std::string_view text;
    std::string_view place;
  };
  for (const auto& [text, place] : {
           Row{"{\"a\":1,}", "line 1, column 8"},
           Row{"{\n  \"a\": 1\n  \"b\": 2\n}", "line 3, column 5"},
           Row{"{\"a\":NaN}", "line 1, column 6"},
           Row{"[Infinity]", "line 1, column 2"},
           Row{"{'a':1}", "line 1, column 2"},
           Row{"[1] x", "line 1, column 5"},
           Row{"{\"a\":\"\xff\"}", "line 1, column 7"},
           Row{"[1e999]", "line 1, column 6"},
           Row{"{\"a\":", "ends too early"},
           Row{"\"a", "ends too early"},
           Row{"[01]", "line 1, column 3"},
       }) {
    const auto json = parse_json(text, k_request_limits);
    ASSERT_FALSE(json) << text;
    EXPECT_EQ(json.error().code, Errc::invalid_request) << text;
    EXPECT_NE(json.error().detail.find("malformed JSON near line"), std::string::npos) << json.error().detail;
    EXPECT_NE(json.error().detail.find(place), std::string::npos) << text << ": " << json.error().detail;
  }
}

TEST(JsonReader, refuses_an_empty_body) {
  for (const auto text : {"", "  \n\t"}) {
    const auto json = parse_json(text, k_request_limits);
    ASSERT_FALSE(json);
    EXPECT_NE(json.error().detail.find("empty"), std::string::npos);
  }
}

TEST(JsonReader, refuses_a_repeated_member_with_its_place) {
  struct Row {
    std::string_view text;
    std::string_view pointer;
  };
  for (const auto& [text, pointer] : {
           Row{R"({"a":1,"a":1})", "/a"},
           Row{R"({"x":[0,{"b":{"c":1,"c":2}}]})", "/x/1/b/c"},
           Row{R"([{"a":1},{"a":1,"a":2}])", "/1/a"},
           Row{R"({"a~/b":{"k":1,"k":1}})", "/a~0~1b/k"},
       }) {
    const auto json = parse_json(text, k_request_limits);
    ASSERT_FALSE(json) << text;
    EXPECT_EQ(json.error().pointer, pointer);
  }
}

TEST(JsonReader, bounds_nesting_bytes_and_values) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_TRUE(parse_json(nested(32), k_request_limits));
  EXPECT_FALSE(parse_json(nested(33), k_request_limits));
  EXPECT_FALSE(parse_json(std::string(60'000, '['), k_request_limits));

  const JsonLimits small{.largest_bytes = 8, .deepest = 4, .most_values = 3};
  EXPECT_TRUE(parse_json("[1,2]   ", small));
  EXPECT_EQ(parse_json("[1,2]    ", small).error().code, Errc::too_large);
  EXPECT_EQ(parse_json("[1,2,3]", small).error().code, Errc::invalid_request);
}

}  // namespace
}  // namespace valle::service::api
