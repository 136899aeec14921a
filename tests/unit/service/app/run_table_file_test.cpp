// SPDX-License-Identifier: Apache-2.0
#include "service/app/run_table_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/readings.hpp"

namespace valle::service::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Read {
  std::vector<scheduler::Run> runs;
  std::vector<std::string> refused;  ///< `3: why`
  std::optional<scheduler::Error> error;
};

Read read(const std::string& text) {
  const std::vector<runtime::SiteConfig> sites{{.name = "es", .zone = scheduler::Zone::of("ES")},
                                               {.name = "fr", .zone = scheduler::Zone::of("FR")}};
  std::istringstream stream{text};
  Read result;
  const auto done = RunTable::read(
      stream, sites, tests::at("2027-06-21T00:00:00Z"),
      [&](std::size_t, scheduler::Run run) { result.runs.push_back(std::move(run)); },
      [&](const RefusedLine& line) { result.refused.push_back(std::to_string(line.line) + ": " + line.why); });
  if (!done) result.error = done.error();
  return result;
}

constexpr auto k_head = "id,submitted_at,started_at,finished_at,site,energy_kwh\n";
constexpr auto k_good = "r1,2027-06-14T08:00:00Z,2027-06-14T09:00:00Z,2027-06-14T10:00:00Z,es,1.5\n";

TEST(RunTable, columns_are_found_by_name_in_any_order_and_either_spelling) {
  const auto result = read(
      "energyKwh,site,finishedAt,startedAt,submittedAt,id,owner,homeSite,outcome\n"
      "1.5,fr,2027-06-14T12:00:00+02:00,2027-06-14T09:00:00Z,2027-06-14T08:00:00Z,r1,\"lab, west\",es,failed\n");
  ASSERT_EQ(result.runs.size(), 1u);
  const auto& run = result.runs.front();
  EXPECT_EQ(run.id, "r1");
  EXPECT_EQ(run.owner, "lab, west");
  EXPECT_EQ(run.home_site, "es");
  EXPECT_EQ(run.attempts.front().site, "fr");
  EXPECT_EQ(run.finished, tests::at("2027-06-14T10:00:00Z"));
  EXPECT_EQ(run.attempts.front().outcome, scheduler::AttemptOutcome::failed);
  EXPECT_EQ(run.attempts.front().figures.front().energy, scheduler::energy_from_kwh(1.5));
}

TEST(RunTable, a_byte_order_mark_windows_ends_and_empty_lines_are_no_content) {
  const auto result = read(std::string{"\xEF\xBB\xBF"} +
                           "id,submitted_at,started_at,finished_at,site,energy_kwh\r\n"
                           "r1,2027-06-14T08:00:00Z,2027-06-14T09:00:00Z,2027-06-14T10:00:00Z,es,\r\n\r\n");
  ASSERT_EQ(result.runs.size(), 1u);
  EXPECT_THAT(result.runs.front().attempts.front().figures, IsEmpty()) << "an empty field is unknown, not zero";
  EXPECT_THAT(result.refused, IsEmpty());
}

TEST(RunTable, lines_of_another_width_are_refused_and_the_rest_is_kept) {
  const auto result = read(std::string{k_head} + k_good +
                           "r2,2027-06-14T08:00:00Z,2027-06-14T09:00:00Z,es,1.5\n"
                           "r3,2027-06-14T08:00:00Z,2027-06-14T09:00:00Z,2027-06-14T10:00:00Z,es,1,5\n"
                           "r4,2027-06-14T08:00:00Z,2027-06-14T09:00:00Z,2027-06-14T10:00:00Z,es,2\n");
  EXPECT_EQ(result.runs.size(), 2u);
  EXPECT_THAT(result.refused, ElementsAre(HasSubstr("3: has 5 fields, the header 6"), HasSubstr("4: has 7 fields")));
}

TEST(RunTable, values_that_are_none_are_refused_with_their_column) {
  const auto line = [](const std::string& started, const std::string& site, const std::string& kwh) {
    return "r,2027-06-14T08:00:00Z," + started + ",2027-06-14T10:00:00Z," + site + "," + kwh + "\n";
  };
  const std::string good = "2027-06-14T09:00:00Z";
  const auto result = read(k_head + line(good, "es", "\"1,5\"") + line(good, "es", "NaN") + line(good, "es", "0") +
                           line(good, "es", "1e10") + line("2027-06-14 09:00:00", "es", "1") + line(good, "mars", "1") +
                           line("2027-06-14T07:00:00Z", "es", "1") + ",x,x,x,es,1\n");
  EXPECT_THAT(result.runs, IsEmpty());
  EXPECT_THAT(result.refused,
              ElementsAre(HasSubstr("energy_kwh: '1,5' is no number"), HasSubstr("energy_kwh"), HasSubstr("energy_kwh"),
                          HasSubstr("energy_kwh"), HasSubstr("started_at: "), HasSubstr("site: site mars is not known"),
                          HasSubstr("started_at: startedAt lies before"), HasSubstr("submitted_at")));
}

TEST(RunTable, a_header_that_does_not_say_what_is_needed_ends_it) {
  EXPECT_THAT(read("").error->detail, HasSubstr("empty"));
  EXPECT_THAT(read("id,site\n").error->detail, HasSubstr("submitted_at is missing"));
  EXPECT_THAT(read("id,id,submitted_at\n").error->detail, HasSubstr("there twice"));
  EXPECT_THAT(read("id;submitted_at;started_at\n").error->detail, HasSubstr("no column is called"));
  EXPECT_THAT(read("{\"id\":1}\n").error->detail, HasSubstr("no column is called"));
}

}  // namespace
}  // namespace valle::service::app
