// SPDX-License-Identifier: Apache-2.0
#include "service/http/target.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "service/http/utf8.hpp"

namespace valle::service::http {
namespace {

using scheduler::Errc;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

Target read(std::string_view text) {
  auto target = parse_target(text);
  EXPECT_TRUE(target) << text << ": " << (target ? "" : target.error().detail);
  return target ? *target : Target{};
}

TEST(Target, a_path_is_split_before_it_is_decoded) {
  EXPECT_THAT(read("/v1/jobs/a%2Fb%20c").segments, ElementsAre("v1", "jobs", "a/b c"));
  EXPECT_THAT(read("/v1/jobs/a+b").segments, ElementsAre("v1", "jobs", "a+b"));
  EXPECT_THAT(read("/caf%C3%A9").segments, ElementsAre("café"));
}

TEST(Target, a_trailing_slash_leaves_nothing_and_a_double_one_an_empty_segment) {
  EXPECT_THAT(read("/").segments, IsEmpty());
  EXPECT_THAT(read("/v1/jobs/").segments, ElementsAre("v1", "jobs"));
  EXPECT_THAT(read("/v1//jobs").segments, ElementsAre("v1", "", "jobs"));
  EXPECT_THAT(read("//").segments, ElementsAre(""));
}

TEST(Target, absolute_form_counts_from_its_path) {
  EXPECT_THAT(read("http://valle.example:8080/v1/zones?x=1").segments, ElementsAre("v1", "zones"));
  EXPECT_THAT(read("http://valle.example").segments, IsEmpty());
  EXPECT_THAT(read("http://valle.example?x=1").query, ElementsAre(Pair("x", "1")));
}

TEST(Target, query_pairs_keep_their_order_and_repeats) {
  EXPECT_THAT(read("/?zones=FR,ES&duration=6h&zones=DE&flag&empty=&a=b=c&&").query,
              ElementsAre(Pair("zones", "FR,ES"), Pair("duration", "6h"), Pair("zones", "DE"), Pair("flag", ""),
                          Pair("empty", ""), Pair("a", "b=c")));
  EXPECT_THAT(read("/?na%20me=%C3%A9+x%2By").query, ElementsAre(Pair("na me", "é x+y")));
  EXPECT_THAT(read("/?").query, IsEmpty());
}

TEST(Target, an_unescaped_plus_before_an_offset_stays_a_plus) {
  const auto value = [](std::string text) { return read("/?t=" + text).query.at(0).second; };
  EXPECT_EQ(value("2021-06-10T06:00:00+02:00"), "2021-06-10T06:00:00+02:00");
  EXPECT_EQ(value("2021-06-10T06:00:00%2B02:00"), "2021-06-10T06:00:00+02:00");
  EXPECT_EQ(value("2021-06-10T06:00:00.5+02:00"), "2021-06-10T06:00:00.5+02:00");
  EXPECT_EQ(value("2021-06-10T06:00+02:00"), "2021-06-10T06:00+02:00");
  EXPECT_EQ(value("2021-06-10+06:00:00+02:00"), "2021-06-10 06:00:00+02:00");
  EXPECT_EQ(value("2021-06-10+06:00"), "2021-06-10 06:00") << "the blank between date and time";
  EXPECT_EQ(value("at+06:00"), "at 06:00");
  EXPECT_EQ(value("2021-06-10T06:00:00-02:00"), "2021-06-10T06:00:00-02:00");
}

TEST(Target, what_is_malformed_is_refused) {
  for (const std::string_view bad : {"", "v1", "*", "/%", "/%4", "/%4g", "/%zz", "/?a=%", "/?%=1", "/%00", "/?a=%0A",
                                     "/%7F", "/%C3", "/%ED%A0%80", "/?a=%FF", "/a#b", "ftp://x/", "host:80"}) {
    const auto target = parse_target(bad);
    ASSERT_FALSE(target) << bad;
    EXPECT_EQ(target.error().code, Errc::invalid_request) << bad;
  }
  EXPECT_THAT(parse_target("/v1/%4x").error().detail, HasSubstr("position 1 of '%4x'"));
  EXPECT_EQ(parse_target("/?zone=%").error().pointer, "/zone");
}

TEST(Utf8, accepts_exactly_what_unicode_calls_well_formed) {
  for (const std::string_view good : {"", "a", "é", "€", "😀", "\xED\x9F\xBF", "\xEE\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_TRUE(is_utf8(good)) << good;
  }
  for (const std::string_view bad :
       {"\x80", "\xC3", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xE2\x82", "\xE2\x82x",
        "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "a\xFE"}) {
    EXPECT_FALSE(is_utf8(bad)) << testing::PrintToString(std::string{bad});
  }
}

}  // namespace
}  // namespace valle::service::http
