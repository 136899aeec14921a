// SPDX-License-Identifier: Apache-2.0
#include "service/api/member_reader.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "service/api/nearest_name.hpp"

namespace valle::service::api {
namespace {

using namespace std::chrono_literals;
using scheduler::Errc;
using scheduler::Error;
using scheduler::Zone;

constexpr std::string_view k_known[] = {"duration", "finishBy", "zones", "energyKwh",
                                        "options",  "flag",     "inner", "rows"};

/// What reading `read` from the object leaves as the first error.
std::optional<Error> error_of(std::string_view body, const std::function<void(MemberReader&)>& read) {
  const auto json = parse_json(body, k_request_limits);
  EXPECT_TRUE(json) << body;
  FirstError first;
  auto reader = MemberReader::of_object(*json, "", k_known, first);
  read(reader);
  return first.failed() ? std::optional{first.take()} : std::nullopt;
}

std::optional<Error> error_of_query(const std::vector<MemberReader::Parameter>& query,
                                    const std::function<void(MemberReader&)>& read) {
  FirstError first;
  auto reader = MemberReader::of_query(query, k_known, first);
  read(reader);
  return first.failed() ? std::optional{first.take()} : std::nullopt;
}

void read_all(MemberReader& reader) {
  (void)reader.duration("duration", 1s, 720h);
  (void)reader.instant("finishBy");
  (void)reader.zones("zones");
  (void)reader.number("energyKwh", k_amount_range);
  (void)reader.integer("options", 1, 24);
  (void)reader.boolean("flag");
  (void)reader.object("inner");
  (void)reader.array("rows", 2);
}

TEST(MemberReader, reads_the_same_values_from_a_body_and_a_query) {
  const auto json = parse_json(R"({"duration":"PT6H","finishBy":"2026-11-30T22:00:00+02:00","zones":["fr","ES"],
                                   "energyKwh":12.5,"options":4,"flag":true,"inner":{"x":1}})",
                               k_request_limits);
  const std::vector<MemberReader::Parameter> query{{"duration", "6h"},    {"finishBy", "2026-11-30T22:00:00+02:00"},
                                                   {"zones", "FR,es"},    {"energyKwh", "12.5"},
                                                   {"options", "4"},      {"flag", "true"},
                                                   {"inner", "{\"x\":1}"}};
  FirstError first;
  auto body_reader = MemberReader::of_object(*json, "", k_known, first);
  auto query_reader = MemberReader::of_query(query, k_known, first);
  for (MemberReader* reader : {&body_reader, &query_reader}) {
    EXPECT_EQ(reader->duration("duration", 1s, 720h), 6h);
    EXPECT_EQ(reader->instant("finishBy"), scheduler::parse_instant("2026-11-30T20:00:00Z").value());
    EXPECT_EQ(reader->zones("zones"), (std::vector{Zone::of("FR"), Zone::of("ES")}));
    EXPECT_EQ(reader->number("energyKwh", k_amount_range), 12.5);
    EXPECT_EQ(reader->integer("options", 1, 24), 4);
    EXPECT_EQ(reader->boolean("flag"), true);
    const Json* inner = reader->object("inner");
    ASSERT_NE(inner, nullptr);
    EXPECT_EQ((*inner)["x"], 1);
    EXPECT_EQ(reader->array("rows", 2), nullptr);
  }
  EXPECT_FALSE(first.failed());
}

TEST(MemberReader, refuses_wrong_types_and_ranges_at_their_place) {
  struct Row {
    std::string_view body;
    std::string_view pointer;
  };
  for (const auto& [body, pointer] : {
           Row{R"({"duration":true})", "/duration"},
           Row{R"({"duration":null})", "/duration"},
           Row{R"({"duration":1.5})", "/duration"},
           Row{R"({"duration":-1})", "/duration"},
           Row{R"({"duration":1e300})", "/duration"},
           Row{R"({"duration":"1 day"})", "/duration"},
           Row{R"({"duration":0})", "/duration"},
           Row{R"({"duration":"P31D"})", "/duration"},
           Row{R"({"finishBy":1700000000})", "/finishBy"},
           Row{R"({"finishBy":"2026-11-30T22:00:00"})", "/finishBy"},
           Row{R"({"finishBy":"2026-11-30 22:00"})", "/finishBy"},
           Row{R"({"zones":"FR,ES"})", "/zones"},
           Row{R"({"zones":[]})", "/zones"},
           Row{R"({"zones":["FR",7]})", "/zones/1"},
           Row{R"({"zones":["FR","fr"]})", "/zones/1"},
           Row{R"({"zones":["F R"]})", "/zones/0"},
           Row{R"({"energyKwh":"12"})", "/energyKwh"},
           Row{R"({"energyKwh":0})", "/energyKwh"},
           Row{R"({"energyKwh":-3})", "/energyKwh"},
           Row{R"({"energyKwh":1000000000.1})", "/energyKwh"},
           Row{R"({"options":2.5})", "/options"},
           Row{R"({"options":25})", "/options"},
           Row{R"({"options":123456789012345678901234567890})", "/options"},
           Row{R"({"flag":1})", "/flag"},
           Row{R"({"inner":[]})", "/inner"},
           Row{R"({"rows":[1,2,3]})", "/rows"},
       }) {
    const auto error = error_of(body, read_all);
    ASSERT_TRUE(error) << body;
    EXPECT_EQ(error->code, Errc::invalid_request) << body;
    EXPECT_EQ(error->pointer, pointer) << body;
    EXPECT_FALSE(error->detail.empty());
  }
}

TEST(MemberReader, refuses_the_same_in_a_query) {
  struct Row {
    std::string_view name;
    std::string_view value;
    std::string_view pointer;
  };
  for (const auto& [name, value, pointer] : {
           Row{"duration", "", "/duration"},
           Row{"duration", "-6h", "/duration"},
           Row{"finishBy", "2026-11-30 22:00", "/finishBy"},
           Row{"finishBy", "tomorrow", "/finishBy"},
           Row{"zones", "", "/zones"},
           Row{"zones", "FR,,ES", "/zones/1"},
           Row{"zones", "FR,", "/zones/1"},
           Row{"zones", "FR,ES,fr", "/zones/2"},
           Row{"energyKwh", "nan", "/energyKwh"},
           Row{"energyKwh", "inf", "/energyKwh"},
           Row{"energyKwh", "1e999", "/energyKwh"},
           Row{"energyKwh", "0x10", "/energyKwh"},
           Row{"energyKwh", "+12", "/energyKwh"},
           Row{"energyKwh", "12,5", "/energyKwh"},
           Row{"energyKwh", " 12", "/energyKwh"},
           Row{"energyKwh", "", "/energyKwh"},
           Row{"energyKwh", "-", "/energyKwh"},
           Row{"energyKwh", ".5", "/energyKwh"},
           Row{"options", "three", "/options"},
           Row{"flag", "yes", "/flag"},
           Row{"inner", "{", "/inner"},
       }) {
    const auto error = error_of_query({{std::string{name}, std::string{value}}}, read_all);
    ASSERT_TRUE(error) << name << "=" << value;
    EXPECT_EQ(error->code, Errc::invalid_request);
    EXPECT_EQ(error->pointer, pointer) << name << "=" << value;
  }
}

TEST(MemberReader, takes_64_names_and_not_65) {
  const auto list = [](int count) {
    std::string names;
    for (int i = 0; i < count; ++i) names += (i == 0 ? "Z" : ",Z") + std::to_string(i);
    return names;
  };
  EXPECT_FALSE(error_of_query({{"zones", list(64)}}, read_all));
  const auto error = error_of_query({{"zones", list(65)}}, read_all);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->pointer, "/zones");
}

TEST(MemberReader, says_which_name_was_probably_meant) {
  const auto error = error_of(R"({"finish_by":"x"})", [](MemberReader&) {});
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, Errc::unknown_field);
  EXPECT_EQ(error->pointer, "/finish_by");
  EXPECT_NE(error->detail.find("did you mean \"finishBy\"?"), std::string::npos) << error->detail;
}

TEST(MemberReader, an_unknown_name_is_said_before_the_one_that_is_missing) {
  const auto error = error_of(R"({"duratoin":"6h"})", [](MemberReader& r) { r.need("duration", "how long it runs"); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, Errc::unknown_field);
}

TEST(MemberReader, refuses_a_repeated_parameter) {
  const auto error = error_of_query({{"duration", "1h"}, {"duration", "1h"}}, read_all);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->pointer, "/duration");
}

TEST(MemberReader, keeps_the_first_error_only) {
  const auto error = error_of(R"({"duration":true,"zones":[]})", read_all);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->pointer, "/duration");
}

TEST(MemberReader, refuses_a_document_that_is_no_object) {
  for (const auto body : {"[]", "3", "null", "\"x\""}) EXPECT_TRUE(error_of(body, read_all)) << body;
}

TEST(MemberReader, names_a_missing_member) {
  const auto error = error_of("{}", [](MemberReader& reader) { reader.need("duration", "how long the job runs"); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->pointer, "/duration");
  EXPECT_EQ(error->detail, "duration is required: how long the job runs");
}

TEST(NearestName, forgives_slips_and_case_and_nothing_else) {
  EXPECT_EQ(nearest_name("FINISHBY", k_known), "finishBy");
  EXPECT_EQ(nearest_name("duratoin", k_known), "duration");
  EXPECT_EQ(nearest_name("zone", k_known), "zones");
  EXPECT_EQ(nearest_name("energy", k_known), std::nullopt);
  EXPECT_EQ(nearest_name("", k_known), std::nullopt);
}

}  // namespace
}  // namespace valle::service::api
