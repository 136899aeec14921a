// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <fstream>

#include "connectors/files/file_table.hpp"
#include "connectors/files/files.hpp"
#include "tests/support/connectors/rows.hpp"
#include "tests/support/temporary_folder.hpp"

namespace valle::connectors {
namespace {

using testing::HasSubstr;

const scheduler::Instant k_now = tests::at("2030-01-01T00:00:00Z");

/// "file:line: what is wrong", or "read" if the text was taken.
std::string said(const std::string& name, std::string_view text) {
  const auto read = read_intensity_text(name, text, k_now);
  return read ? "read" : read.error().pointer + ": " + read.error().detail;
}

TEST(FilesErrors, name_the_line) {
  const std::string header = "datetime_utc,gco2_kwh\n2027-05-01T00:00Z,10\n";
  EXPECT_THAT(said("FR.csv", header + "2027-05-01T01:00Z,83,2\n"),
              HasSubstr("FR.csv:3: the line has 3 fields, the header 2 (a decimal comma"));
  EXPECT_THAT(said("FR.csv", header + "2027-05-01T01:00Z,\"83,2\"\n"),
              HasSubstr("FR.csv:3: '83,2': the decimal mark is a dot"));
  EXPECT_THAT(said("FR.csv", header + "\n2027-05-01T01:00Z\n"),
              HasSubstr("FR.csv:4: the line has 1 fields, the header 2"));
  EXPECT_THAT(said("FR.csv", header + "2027-05-01T01:00Z,12g\n"), HasSubstr("FR.csv:3: '12g' is not a number"));
  EXPECT_THAT(said("FR.csv", header + "2027-05-01T01:00Z,1e999\n"),
              HasSubstr("FR.csv:3: '1e999': the number is too large"));
  EXPECT_THAT(said("FR.csv", header + "yesterday,12\n"),
              HasSubstr("FR.csv:3: 'yesterday': a time is written as RFC 3339"));
  EXPECT_THAT(said("FR.csv", header + "2027-02-30T01:00Z,12\n"),
              HasSubstr("FR.csv:3: '2027-02-30T01:00Z': the calendar"));
  EXPECT_THAT(said("FR.csv", header + "\"2027-05-01T01:00Z,12\n"), HasSubstr("FR.csv:3: not a line of CSV"));
  EXPECT_THAT(said("FR.csv", header + "\"2027-05-01T01:00Z\"x,12\n"), HasSubstr("FR.csv:3: not a line of CSV"));
}

TEST(FilesErrors, say_what_is_wrong_with_the_header) {
  EXPECT_EQ(said("FR.csv", ""), "FR.csv:1: the file is empty");
  EXPECT_EQ(said("FR.csv", "datetime_utc,gco2_kwh\n\n"), "FR.csv:2: the file has no rows");
  EXPECT_THAT(said("FR.csv", "time,gco2_kwh\n"), HasSubstr("FR.csv:1: no time column"));
  EXPECT_THAT(said("FR.csv", "datetime_utc;gco2_kwh\n"), HasSubstr("FR.csv:1: no time column"));
  EXPECT_THAT(said("FR.csv", "datetime_utc,power\n"), HasSubstr("FR.csv:1: no value column"));
  EXPECT_EQ(said("FR.csv", "datetime_utc,gco2_kwh,carbon_intensity\n"),
            "FR.csv:1: the columns 'gco2_kwh' and 'carbon_intensity' mean the same");
}

TEST(FilesErrors, require_an_offset_unless_the_column_says_utc) {
  EXPECT_EQ(said("FR.csv", "datetime_utc,gco2_kwh\n2027-05-01T01:00:00,12\n"), "read");
  for (const std::string column : {"datetime", "timestamp"}) {
    EXPECT_THAT(said("FR.csv", column + ",gco2_kwh\n2027-05-01T01:00:00,12\n"),
                HasSubstr("FR.csv:2: '2027-05-01T01:00:00': a time needs an offset"));
  }
}

TEST(FilesErrors, refuse_rows_that_overlap_and_name_both_instants) {
  const auto read = read_intensity_text("DE.json", R"({"GeneratedAt":"2027-04-02T00:00:00+00:00","Emissions":[
      {"Time":"2027-04-02T00:00:00+00:00","Rating":210.5,"Duration":"01:00:00"},
      {"Time":"2027-04-02T00:30:00+00:00","Rating":188.0,"Duration":"01:00:00"},
      {"Time":"2027-04-02T01:30:00+00:00","Rating":176.5,"Duration":"01:00:00"}]})",
                                        k_now);
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().code, scheduler::Errc::invalid_request);
  EXPECT_EQ(read.error().pointer, "DE.json:/Emissions/1");
  EXPECT_THAT(read.error().detail, HasSubstr("the rows at 2027-04-02T00:00:00Z and 2027-04-02T00:30:00Z overlap"));
  EXPECT_THAT(
      said("FR.csv", "datetime_utc,gco2_kwh\n2027-05-01T01:00Z,12\n2027-05-01T02:00Z,12\n2027-05-01T01:00Z,13\n"),
      HasSubstr("FR.csv:4: two rows say different things about 2027-05-01T01:00:00Z (the other is at FR.csv:2)"));
}

TEST(FilesErrors, refuse_an_end_before_the_start_a_flag_that_is_none_and_another_zone) {
  EXPECT_THAT(said("FR.csv", "datetime_utc,end,gco2_kwh\n2027-05-01T01:00Z,2027-05-01T01:00Z,12\n"),
              HasSubstr("FR.csv:2: '2027-05-01T01:00Z': a row must end after"));
  EXPECT_THAT(said("FR.csv", "datetime_utc,estimated,gco2_kwh\n2027-05-01T01:00Z,maybe,12\n"),
              HasSubstr("FR.csv:2: 'maybe' is neither 0 nor 1"));
  EXPECT_THAT(said("FR.csv", "Datetime (UTC),Zone id,gco2_kwh\n2027-05-01T01:00Z,ES,12\n"),
              HasSubstr("FR.csv:2: the row is of zone 'ES', but the file's name says FR"));
}

TEST(FilesErrors, name_the_place_in_json) {
  EXPECT_THAT(said("DE.json", "{\n\"Emissions\": [\n"), HasSubstr("DE.json:3: broken JSON"));
  EXPECT_THAT(said("DE.json", "{\"zone\":\"DE\"}"), HasSubstr("DE.json:1: not a Carbon Aware SDK file"));
  EXPECT_THAT(said("DE.json", "17"), HasSubstr("DE.json:1: not a Carbon Aware SDK file"));
  EXPECT_THAT(said("DE.json", "[]"), HasSubstr("DE.json:/: the file has no rows"));
  EXPECT_THAT(said("DE.json", "[7]"), HasSubstr("DE.json:/0: a row is an object"));
  EXPECT_THAT(said("DE.json", R"([{"Rating":5}])"), HasSubstr("DE.json:/0: a row needs a Time"));
  EXPECT_THAT(said("DE.json", R"([{"Time":"2027-04-02T00:00:00","Rating":5}])"),
              HasSubstr("DE.json:/0: Time: a time needs an offset"));
  EXPECT_THAT(said("DE.json", R"([{"Time":"2027-04-02T00:00:00Z","Rating":"5"}])"),
              HasSubstr("DE.json:/0: Rating is not a number"));
  for (const std::string span :
       {"\"15\"", "\"00:00:00\"", "\"-00:15:00\"", "\"00:75:00\"", "\"PT0S\"", "\"\"", "15", "\"1.2.3:4:5\""}) {
    EXPECT_THAT(said("DE.json", R"([{"Time":"2027-04-02T00:00:00Z","Rating":5,"Duration":)" + span + "}]"),
                HasSubstr("DE.json:/0: Duration is written as hh:mm:ss"))
        << span;
  }
  EXPECT_THAT(
      said(
          "DE.json",
          R"([{"Time":"2027-04-02T00:00:00Z","Rating":5,"Location":"a"},{"Time":"2027-04-02T01:00:00Z","Rating":5,"Location":"b"}])"),
      HasSubstr("DE.json:/1: rows of several locations"));
}

TEST(FilesErrors, keep_the_limits_on_lines_and_columns) {
  const std::string row = "2027-05-01T01:00Z,12,";
  const std::string header = "datetime_utc,gco2_kwh,note\n";
  EXPECT_EQ(said("FR.csv", header + row + std::string(k_longest_line - row.size(), 'x') + "\n"), "read");
  EXPECT_THAT(said("FR.csv", header + row + std::string(k_longest_line - row.size() + 1, 'x') + "\n"),
              HasSubstr("FR.csv:2: not a line of CSV"));
  const auto columns = [](std::size_t count) {
    std::string text = "datetime_utc,gco2_kwh";
    for (std::size_t i = 2; i < count; ++i) text += ",c";
    text += "\n2027-05-01T01:00Z,12";
    for (std::size_t i = 2; i < count; ++i) text += ",";
    return text + "\n";
  };
  EXPECT_EQ(said("FR.csv", columns(k_most_columns)), "read");
  EXPECT_THAT(said("FR.csv", columns(k_most_columns + 1)), HasSubstr("FR.csv:1: the header is not a line of CSV"));
}

std::string said_of_paths(std::vector<std::filesystem::path> paths) {
  const auto read = read_intensity_files(paths, k_now);
  return read ? "read" : read.error().pointer + ": " + read.error().detail;
}

TEST(FilesErrors, say_which_path_is_wrong) {
  const tests::TemporaryFolder folder;
  EXPECT_EQ(said_of_paths({}), ": no intensity file is given");
  EXPECT_EQ(said_of_paths({folder / "FR.csv"}), (folder / "FR.csv").string() + ": there is no such file");
  EXPECT_EQ(said_of_paths({folder.path()}), folder.path().string() + ": the folder holds no *.csv or *.json");
  std::ofstream{folder / "notes.txt"} << "x";
  EXPECT_THAT(said_of_paths({folder / "notes.txt"}), HasSubstr("an intensity file ends in .csv or .json"));
  std::ofstream{folder / "my zone.csv"} << "x";
  EXPECT_THAT(said_of_paths({folder.path()}), HasSubstr("my zone.csv: the file's name gives no zone"));
  std::filesystem::remove(folder / "my zone.csv");
  std::filesystem::create_directory(folder / "ES.csv");
  EXPECT_THAT(said_of_paths({folder / "ES.csv"}), HasSubstr("the folder holds no"));
}

}  // namespace
}  // namespace valle::connectors
