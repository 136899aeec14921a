// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <fstream>

#include "connectors/files/files.hpp"
#include "tests/support/connectors/rows.hpp"
#include "tests/support/temporary_folder.hpp"

namespace valle::connectors {
namespace {

using scheduler::Outcome;
using scheduler::Signal;
using scheduler::Zone;
using tests::at;
using tests::table_of;

class FilesSourceTest : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) { std::ofstream{folder_ / name} << text; }

  scheduler::SourceAnswer ask(const std::string& zone, Signal signal) {
    return source_->fetch({.zone = Zone::of(zone),
                           .signal = signal,
                           .wanted = {at("2027-05-01T01:00:00Z"), at("2027-05-01T03:00:00Z")},
                           .now = at("2027-05-01T02:10:00Z")});
  }

  tests::TemporaryFolder folder_;
  std::unique_ptr<scheduler::IntensitySource> source_ = make_files_source({.paths = {folder_.path()}});
};

const std::string k_four_hours =
    "datetime_utc,gco2_kwh,price_eur_mwh\n2027-05-01T00:00Z,10,1\n2027-05-01T01:00Z,20,2\n"
    "2027-05-01T02:00Z,30,3\n2027-05-01T03:00Z,40,4\n";

TEST_F(FilesSourceTest, serves_measured_forecast_and_price_within_the_wanted_time) {
  write("FR.csv", k_four_hours);
  EXPECT_EQ(table_of(ask("FR", Signal::measured).harvest.intensity), "2027-05-01T01:00:00Z PT1H 20000 measured\n");
  EXPECT_EQ(table_of(ask("FR", Signal::forecast).harvest.intensity), "2027-05-01T02:00:00Z PT1H 30000 forecast\n");
  EXPECT_EQ(table_of(ask("FR", Signal::price).harvest.prices),
            "2027-05-01T01:00:00Z PT1H 2000000\n2027-05-01T02:00:00Z PT1H 3000000\n");
  EXPECT_EQ(ask("ES", Signal::measured).outcome, Outcome::not_offered);
  EXPECT_EQ(ask("FR", Signal::grid_forecast).outcome, Outcome::not_offered);
  EXPECT_EQ(source_->known_zones(), std::vector{Zone::of("FR")});
}

TEST_F(FilesSourceTest, reports_a_malformed_file_with_its_place_and_serves_the_other_zones) {
  write("FR.csv", k_four_hours);
  write("ES.csv", "datetime_utc,gco2_kwh\n2027-05-01T00:00Z,1,5\n");
  const auto answer = ask("ES", Signal::measured);
  EXPECT_EQ(answer.outcome, Outcome::misconfigured);
  EXPECT_THAT(answer.detail, testing::HasSubstr("ES.csv:2: the line has 3 fields"));
  EXPECT_EQ(ask("FR", Signal::measured).outcome, Outcome::data);
}

TEST_F(FilesSourceTest, changes_its_stamp_when_a_file_comes_goes_or_changes) {
  const auto empty = source_->stamp();
  write("FR.csv", k_four_hours);
  const auto one = source_->stamp();
  EXPECT_NE(one, empty);
  EXPECT_EQ(source_->stamp(), one);
  write("FR.csv", k_four_hours + "2027-05-01T04:00Z,50,5\n");
  const auto longer = source_->stamp();
  EXPECT_NE(longer, one);
  write("ES.csv", k_four_hours);
  const auto two = source_->stamp();
  EXPECT_NE(two, longer);
  std::filesystem::remove(folder_ / "ES.csv");
  EXPECT_EQ(source_->stamp(), longer);
}

TEST_F(FilesSourceTest, says_that_nothing_is_there_when_the_folder_is_gone) {
  EXPECT_EQ(ask("FR", Signal::measured).outcome, Outcome::misconfigured);
  EXPECT_TRUE(source_->known_zones().empty());
}

TEST_F(FilesSourceTest, can_be_limited_to_some_zones) {
  write("FR.csv", k_four_hours);
  write("ES.csv", k_four_hours);
  const auto limited = make_files_source({.paths = {folder_.path()}, .zones = {Zone::of("ES")}});
  EXPECT_EQ(limited->known_zones(), std::vector{Zone::of("ES")});
  EXPECT_FALSE(limited->offers(Zone::of("FR"), Signal::measured));
}

}  // namespace
}  // namespace valle::connectors
