// SPDX-License-Identifier: Apache-2.0
#include "connectors/files/files.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/connectors/rows.hpp"
#include "tests/support/temporary_folder.hpp"

namespace valle::connectors {
namespace {

using tests::at;
using tests::table_of;

const scheduler::Instant k_much_later = at("2030-01-01T00:00:00Z");

scheduler::Harvest read(const std::string& name, std::string_view text, scheduler::Instant now = k_much_later) {
  auto zone = read_intensity_text(name, text, now);
  EXPECT_TRUE(zone.has_value()) << zone.error().pointer << ": " << zone.error().detail;
  return zone ? std::move(zone->harvest) : scheduler::Harvest{};
}

TEST(Files, read_the_night_of_the_spring_change_without_a_hole) {
  const auto harvest = read("FR.csv",
                            "datetime,gco2_kwh_lifecycle\n"
                            "2027-03-28T00:00:00+01:00,96.5\n"
                            "2027-03-28T01:00:00+01:00,92.0\n"
                            "2027-03-28T03:00:00+02:00,88.25\n"
                            "2027-03-28T04:00:00+02:00,85.0\n");
  EXPECT_EQ(table_of(harvest.intensity),
            "2027-03-27T23:00:00Z PT1H 96500 measured\n"
            "2027-03-28T00:00:00Z PT1H 92000 measured\n"
            "2027-03-28T01:00:00Z PT1H 88250 measured\n"
            "2027-03-28T02:00:00Z PT1H 85000 measured\n");
}

TEST(Files, read_the_night_of_the_autumn_change_with_both_second_hours) {
  const auto harvest = read("FR.csv",
                            "timestamp,gco2_kwh\n"
                            "2027-10-31T02:00:00+02:00,60\n"
                            "2027-10-31T02:00:00+01:00,61\n"
                            "2027-10-31T03:00:00+01:00,62\n");
  EXPECT_EQ(table_of(harvest.intensity),
            "2027-10-31T00:00:00Z PT1H 60000 measured\n"
            "2027-10-31T01:00:00Z PT1H 61000 measured\n"
            "2027-10-31T02:00:00Z PT1H 62000 measured\n");
}

TEST(Files, apply_each_offset_once) {
  const auto harvest = read("FR.csv",
                            "timestamp,carbon_intensity\n"
                            "2027-01-14T00:00:00+01:00,71.5\n"
                            "2027-07-14T00:00:00+02:00,38.25\n"
                            "2027-07-14T00:00:00Z,40.5\n");
  EXPECT_EQ(table_of(harvest.intensity),
            "2027-01-13T23:00:00Z PT1H 71500 measured\n"
            "2027-07-13T22:00:00Z PT1H 38250 measured\n"
            "2027-07-14T00:00:00Z PT1H 40500 measured\n");
  EXPECT_TRUE(harvest.rejected.empty());
}

TEST(Files, read_columns_by_name_in_any_order_with_byte_order_mark_crlf_quotes_and_blank_lines) {
  const auto harvest =
      read("es.2021.csv",
           "\xEF\xBB\xBF\"Comment\", estimated ,gco2_kwh_direct,GCO2_KWH_LIFECYCLE,price_eur_mwh,datetime_utc\r\n"
           "\"a, \"\"quoted\"\" word\",1,103.42,143.06,-48.19,2021-01-01T00:00:00Z\r\n"
           "\r\n"
           "x,false,\"100.86\",139.96,,2021-01-01 01:00\r\n");
  ASSERT_EQ(harvest.intensity.size(), 4U);
  EXPECT_EQ(table_of(harvest.intensity),
            "2021-01-01T00:00:00Z PT1H 143060 measured estimated\n"
            "2021-01-01T01:00:00Z PT1H 139960 measured\n"
            "2021-01-01T00:00:00Z PT1H 103420 measured estimated\n"
            "2021-01-01T01:00:00Z PT1H 100860 measured\n");
  EXPECT_EQ(harvest.intensity[0].identity, (scheduler::SeriesIdentity{scheduler::Zone::of("ES"), {}}));
  EXPECT_EQ(harvest.intensity[2].identity.accounting.scope, scheduler::Scope::direct);
  EXPECT_EQ(table_of(harvest.prices), "2021-01-01T00:00:00Z PT1H -48190000\n");
  EXPECT_TRUE(harvest.rejected.empty());
}

TEST(Files, read_the_downloads_of_electricity_maps) {
  const auto harvest =
      read("FR.csv",
           "Datetime (UTC),Country,Zone name,Zone id,Carbon intensity gCO₂eq/kWh (direct),"
           "Carbon intensity gCO₂eq/kWh (Life cycle),Data source,Data estimated,Data estimation method\n"
           "2024-01-01 00:00:00,France,France,FR,14.9,29.17,opendata.reseaux-energies.fr,false,\n"
           "2024-01-01 01:00:00,France,France,FR,15.6,29.87,x,true,TIME_SLICER_AVERAGE\n");
  EXPECT_EQ(table_of(harvest.intensity),
            "2024-01-01T00:00:00Z PT1H 29170 measured\n"
            "2024-01-01T01:00:00Z PT1H 29870 measured estimated\n"
            "2024-01-01T00:00:00Z PT1H 14900 measured\n"
            "2024-01-01T01:00:00Z PT1H 15600 measured estimated\n");
  EXPECT_EQ(harvest.intensity[1].estimation_method, "TIME_SLICER_AVERAGE");
  const auto older = read("FR.csv",
                          "Datetime (UTC),Carbon Intensity gCO₂eq/kWh (LCA),Data Estimated\n"
                          "2021-01-01 00:00:00,60.7,\n");
  EXPECT_EQ(table_of(older.intensity), "2021-01-01T00:00:00Z PT1H 60700 measured\n");
}

TEST(Files, split_rows_at_now_into_measured_and_forecast) {
  const std::string text = "datetime_utc,gco2_kwh\n2027-05-01T00:00Z,10\n2027-05-01T01:00Z,20\n2027-05-01T02:00Z,30\n";
  EXPECT_EQ(table_of(read("FR.csv", text, at("2027-05-01T01:59:59Z")).intensity),
            "2027-05-01T00:00:00Z PT1H 10000 measured\n"
            "2027-05-01T01:00:00Z PT1H 20000 forecast\n"
            "2027-05-01T02:00:00Z PT1H 30000 forecast\n");
  EXPECT_EQ(read("FR.csv", text, at("2027-05-01T02:00:00Z")).intensity[1].kind, scheduler::ReadingKind::measured);
  EXPECT_EQ(read("FR.csv", text, at("2027-05-01T02:00:00Z")).intensity[2].updated_at, at("2027-05-01T02:00:00Z"));
}

TEST(Files, take_the_smallest_step_where_it_is_below_an_hour_and_never_stretch_a_row_over_a_hole) {
  const auto harvest = read("DE.csv",
                            "datetime_utc,gco2_kwh\n"
                            "2027-05-01T00:00:00Z,10\n"
                            "2027-05-01T00:00:05Z,20\n"
                            "2027-05-01T00:00:15Z,30\n");
  EXPECT_EQ(table_of(harvest.intensity),
            "2027-05-01T00:00:00Z PT5S 10000 measured\n"
            "2027-05-01T00:00:05Z PT5S 20000 measured\n"
            "2027-05-01T00:00:15Z PT5S 30000 measured\n");
  const auto daily = read("DE.csv", "datetime_utc,gco2_kwh\n2027-05-01T00:00Z,10\n2027-05-02T00:00Z,20\n");
  EXPECT_EQ(daily.intensity[0].interval.length(), std::chrono::hours{1});
  const auto with_end = read("DE.csv", "datetime_utc,end,gco2_kwh\n2027-05-01T00:00Z,2027-05-01T06:00Z,10\n");
  EXPECT_EQ(with_end.intensity[0].interval.length(), std::chrono::hours{6});
}

TEST(Files, count_empty_zero_and_implausible_values_and_leave_their_hours_open) {
  const auto harvest = read("DE.csv",
                            "datetime_utc,gco2_kwh\n"
                            "2027-05-01T00:00Z,\n2027-05-01T01:00Z,0\n2027-05-01T02:00Z,-3\n2027-05-01T03:00Z,NaN\n"
                            "2027-05-01T04:00Z,400\n2027-05-01T05:00Z,null\n");
  EXPECT_EQ(table_of(harvest.intensity), "2027-05-01T04:00:00Z PT1H 400000 measured\n");
  EXPECT_EQ(table_of(harvest.rejected),
            "2027-05-01T00:00:00Z missing\n"
            "2027-05-01T01:00:00Z zero\n"
            "2027-05-01T02:00:00Z implausible\n"
            "2027-05-01T03:00:00Z not-a-number\n"
            "2027-05-01T05:00:00Z missing\n");
}

TEST(Files, sort_rows_and_drop_exact_repetitions) {
  const auto harvest = read("DE.csv",
                            "datetime_utc,gco2_kwh\n"
                            "2027-05-01T02:00Z,30\n2027-05-01T00:00Z,10\n2027-05-01T02:00Z,30\n2027-05-01T01:00Z,20\n");
  EXPECT_EQ(table_of(harvest.intensity),
            "2027-05-01T00:00:00Z PT1H 10000 measured\n"
            "2027-05-01T01:00:00Z PT1H 20000 measured\n"
            "2027-05-01T02:00:00Z PT1H 30000 measured\n");
  EXPECT_EQ(harvest.duplicates, 1U);
}

TEST(Files, read_the_json_of_the_carbon_aware_sdk_with_zero_as_unknown) {
  const auto harvest = read("DE.json", R"({"GeneratedAt":"2027-03-24T00:00:00+00:00","Emissions":[
      {"Time":"2027-03-24T00:00:00+00:00","Rating":185.3,"Duration":"00:15:00"},
      {"Time":"2027-03-24T00:15:00+00:00","Rating":0,"Duration":"00:15:00"},
      {"Time":"2027-03-24T01:30:00+01:00","Rating":184.5,"Duration":"00:15:00"}]})");
  EXPECT_EQ(table_of(harvest.intensity),
            "2027-03-24T00:00:00Z PT15M 185300 measured\n"
            "2027-03-24T00:30:00Z PT15M 184500 measured\n");
  EXPECT_EQ(table_of(harvest.rejected), "2027-03-24T00:15:00Z zero\n");
  const auto bare =
      read("DE.json", R"([{"location":"DE","time":"2027-03-24T00:00:00Z","rating":90,"duration":"1.00:00:00"},
      {"location":"DE","time":"2027-03-25T00:00:00Z","rating":91,"duration":"PT8H"}])");
  EXPECT_EQ(table_of(bare.intensity),
            "2027-03-24T00:00:00Z P1D 90000 measured\n"
            "2027-03-25T00:00:00Z PT8H 91000 measured\n");
}

class FilesInFolder : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) { std::ofstream{folder_ / name} << text; }
  scheduler::Result<std::vector<ZoneFiles>> read_all() {
    const std::vector<std::filesystem::path> paths{folder_.path()};
    return read_intensity_files(paths, k_much_later);
  }
  tests::TemporaryFolder folder_;
};

TEST_F(FilesInFolder, of_one_zone_are_merged_and_the_later_named_wins_on_the_same_instant) {
  write(
      "FR.2021.csv",
      "datetime_utc,gco2_kwh,price_eur_mwh\n2021-01-01T00:00Z,10,1\n2021-01-01T01:00Z,20,2\n2021-01-01T02:00Z,30,3\n");
  write("fr.2022.csv", "datetime_utc,gco2_kwh\n2021-01-01T01:30Z,99\n2021-01-01T01:45Z,98\n2021-01-01T04:00Z,40\n");
  write("DE.json", R"({"Emissions":[{"Time":"2021-01-01T00:00:00Z","Rating":500,"Duration":"01:00:00"}]})");
  write("notes.txt", "not read");
  write(".hidden.csv", "not read");
  const auto zones = read_all();
  ASSERT_TRUE(zones.has_value()) << zones.error().detail;
  ASSERT_EQ(zones->size(), 2U);
  EXPECT_EQ(zones->at(0).zone.name(), "DE");
  EXPECT_EQ(zones->at(1).zone.name(), "FR");
  EXPECT_EQ(zones->at(1).files.size(), 2U);
  EXPECT_EQ(table_of(zones->at(1).harvest.intensity),
            "2021-01-01T00:00:00Z PT1H 10000 measured\n"
            "2021-01-01T01:00:00Z PT30M 20000 measured\n"
            "2021-01-01T01:30:00Z PT15M 99000 measured\n"
            "2021-01-01T01:45:00Z PT15M 98000 measured\n"
            "2021-01-01T02:00:00Z PT1H 30000 measured\n"
            "2021-01-01T04:00:00Z PT15M 40000 measured\n");
  EXPECT_EQ(zones->at(1).harvest.prices.size(), 3U);
}

TEST_F(FilesInFolder, are_laid_over_each_other_like_a_list_of_seconds) {
  // Three files with steps of 7, 5 and 3 seconds and holes, compared with an array that the later file overwrites.
  std::vector<int> expected(120, 0);
  const auto put = [&](const std::string& name, int first, int step, int count, int value) {
    std::string text = "datetime_utc,end,gco2_kwh\n";
    for (int i = 0; i < count; ++i) {
      if (i % 4 == 2) continue;  // a hole
      const auto start = at("2027-01-01T00:00:00Z") + std::chrono::seconds{first + i * step};
      text += scheduler::format_instant(start) + "," + scheduler::format_instant(start + std::chrono::seconds{step}) +
              "," + std::to_string(value + i) + "\n";
      for (int s = 0; s < step; ++s) expected[static_cast<std::size_t>(first + i * step + s)] = value + i;
    }
    write(name, text);
  };
  put("DE.1.csv", 4, 7, 15, 100);
  put("DE.2.csv", 11, 5, 12, 200);
  put("DE.3.csv", 30, 3, 20, 300);
  std::vector<int> found(120, 0);
  const auto zones = read_all();
  ASSERT_TRUE(zones.has_value()) << zones.error().detail;
  scheduler::Instant known_until{};
  for (const auto& row : zones->front().harvest.intensity) {
    EXPECT_GE(row.interval.begin, known_until);
    known_until = row.interval.end;
    for (auto t = row.interval.begin; t < row.interval.end; t += std::chrono::seconds{1}) {
      found[static_cast<std::size_t>((t - at("2027-01-01T00:00:00Z")).count())] =
          static_cast<int>(row.value.base() / 1000);
    }
  }
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace valle::connectors
