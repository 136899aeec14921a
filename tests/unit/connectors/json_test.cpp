// SPDX-License-Identifier: Apache-2.0
#include "connectors/json/json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace valle::connectors::json {
namespace {

TEST(Json, tells_absent_null_wrong_type_and_number_apart) {
  const auto document = parse(R"({"null":null,"text":"5","number":5.5,"whole":7,"flag":true,"list":[1]})").value();
  EXPECT_EQ(number(document, "absent").state, RawNumber::State::absent);
  EXPECT_EQ(number(document, "null").state, RawNumber::State::null);
  EXPECT_EQ(number(document, "text").state, RawNumber::State::wrong_type);
  EXPECT_EQ(number(document, "flag").state, RawNumber::State::wrong_type);
  EXPECT_EQ(number(document, "number").value, 5.5);
  EXPECT_EQ(number(document, "whole").value, 7);
  EXPECT_EQ(text(document, "text"), "5");
  EXPECT_EQ(text(document, "number"), std::nullopt);
  EXPECT_TRUE(is_true(document, "flag"));
  EXPECT_FALSE(is_true(document, "text"));
  EXPECT_EQ(list(document, "list")->size(), 1U);
  EXPECT_EQ(list(document, "text"), nullptr);
}

TEST(Json, reads_members_of_what_is_no_object_as_absent) {
  const auto document = parse("[1,2]").value();
  EXPECT_EQ(member(document, "zone"), nullptr);
  EXPECT_EQ(member_in_any_case(document, "zone"), nullptr);
  EXPECT_EQ(number(document, "zone").state, RawNumber::State::absent);
}

TEST(Json, finds_members_in_any_case_where_asked_to) {
  const auto document = parse(R"({"rATING":4})").value();
  EXPECT_EQ(member(document, "Rating"), nullptr);
  EXPECT_EQ(number(member_in_any_case(document, "Rating")).value, 4);
}

TEST(Json, says_where_a_document_breaks) {
  EXPECT_EQ(parse("{\n  \"a\": 1,\n  \"b\" 2\n}").error().pointer, "line 3, column 7");
  EXPECT_EQ(parse("").error().detail, "broken JSON");
  EXPECT_EQ(parse("<html>Request unsuccessful</html>").error().pointer, "line 1, column 1");
  EXPECT_EQ(parse("{\"a\":NaN}").error().detail, "broken JSON");
  EXPECT_EQ(parse("{\"a\":1e999}").error().detail, "JSON with a number that is too large");
  EXPECT_FALSE(parse("{\"a\":\"\xff\"}").has_value());
  EXPECT_FALSE(parse("{\"zone\":\"FR\",\"data\":[{\"carbonInt").has_value());
}

TEST(Json, takes_nesting_at_the_limit_and_refuses_one_more) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_TRUE(parse(nested(k_deepest_nesting)).has_value());
  EXPECT_EQ(parse(nested(k_deepest_nesting + 1)).error().detail, "JSON nested too deeply");
  EXPECT_EQ(parse(nested(1'000'000)).error().pointer, "line 1, column 33");
  EXPECT_TRUE(parse("\"" + std::string(100, '[') + "\\\"" + std::string(100, '{') + "\"").has_value());
}

}  // namespace
}  // namespace valle::connectors::json
