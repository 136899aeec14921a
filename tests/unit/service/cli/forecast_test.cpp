// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "service/cli/cli.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/temporary_folder.hpp"

namespace valle::service::cli {
namespace {

using nlohmann::json;

using tests::Ran;

class ForecastCommand : public ::testing::Test {
 protected:
  /// `days` of FR from 1 January 2027 on, clean at night, in steps of `minutes`.
  std::string zone_file(int days, int minutes = 60) {
    const auto path = folder_.path() / "FR.csv";
    std::ofstream file{path};
    file << "datetime_utc,gco2_kwh_lifecycle\n";
    const auto begin = *scheduler::parse_instant("2027-01-01T00:00:00Z");
    for (int i = 0; i < days * 24 * 60 / minutes; ++i) {
      const double hour = std::fmod(i * minutes / 60.0, 24.0);
      file << scheduler::format_instant(begin + std::chrono::minutes{i * minutes}) << ','
           << 60 - 20 * std::cos(hour / 24 * 6.2832) << '\n';
    }
    return path.string();
  }

  static Ran run(std::vector<std::string> flags) {
    flags.insert(flags.begin(), "forecast");
    return tests::run_valle(flags);
  }

 private:
  valle::tests::TemporaryFolder folder_;
};

TEST_F(ForecastCommand, Gives_the_contracts_rows_and_a_grade) {
  const auto ran = run({"--zone", "FR", "--intensity", zone_file(20), "--issued-at", "2027-01-15T06:30:00Z", "--json"});
  ASSERT_EQ(ran.exit, 0) << ran.err;
  const json answer = json::parse(ran.out);
  EXPECT_EQ(answer.at("zone"), "FR");
  EXPECT_EQ(answer.at("issuedAt"), "2027-01-15T06:30:00Z");
  EXPECT_EQ(answer.at("source"), "valle");
  EXPECT_EQ(answer.at("grade"), "fair");
  ASSERT_EQ(answer.at("rows").size(), 48U);
  const json& first = answer.at("rows").at(0);
  EXPECT_EQ(first.at("start"), "2027-01-15T06:00:00Z");
  EXPECT_EQ(first.at("end"), "2027-01-15T07:00:00Z");
  EXPECT_NEAR(first.at("gramsPerKwh").get<double>(), 60, 0.5);
  EXPECT_LE(first.at("lowGramsPerKwh"), first.at("gramsPerKwh"));
  EXPECT_GE(first.at("highGramsPerKwh"), first.at("gramsPerKwh"));
}

TEST_F(ForecastCommand, Keeps_the_historys_step) {
  const auto ran = run({"--zone", "FR", "--intensity", zone_file(9, 15), "--issued-at", "2027-01-09T06:00:00Z",
                        "--horizon", "6h", "--json"});
  ASSERT_EQ(ran.exit, 0) << ran.err;
  const json rows = json::parse(ran.out).at("rows");
  ASSERT_EQ(rows.size(), 24U);
  EXPECT_EQ(rows.at(23).at("end"), "2027-01-09T12:00:00Z");
  // Cleanest at midnight: the quarters of the morning rise as the file's own have done.
  for (std::size_t i = 0; i < 23; ++i) {
    const double rise = rows.at(i + 1).at("gramsPerKwh").get<double>() - rows.at(i).at("gramsPerKwh").get<double>();
    EXPECT_GT(rise, 0.1) << i;
    EXPECT_LT(rise, 2.5) << i;
  }
}

TEST_F(ForecastCommand, Repeats_the_hours_value_where_steps_are_shorter_than_five_minutes) {
  for (const auto& [minutes, repeats] : {std::pair{4, true}, {5, false}}) {
    const auto ran = run({"--zone", "FR", "--intensity", zone_file(9, minutes), "--issued-at", "2027-01-09T06:00:00Z",
                          "--horizon", "1h", "--json"});
    ASSERT_EQ(ran.exit, 0) << ran.err;
    const json rows = json::parse(ran.out).at("rows");
    ASSERT_EQ(rows.size(), static_cast<std::size_t>(60 / minutes));
    EXPECT_EQ(rows.front().at("gramsPerKwh") == rows.back().at("gramsPerKwh"), repeats) << minutes;
  }
}

TEST_F(ForecastCommand, Does_not_mind_the_order_of_rows_or_a_row_told_twice) {
  const std::string path = zone_file(20);
  const std::vector<std::string> flags{"--zone", "FR", "--intensity", path, "--issued-at", "2027-01-18T06:00:00Z",
                                       "--json"};
  const std::string expected = run(flags).out;
  std::ifstream in{path};
  std::string header;
  std::getline(in, header);
  std::vector<std::string> rows;
  for (std::string row; std::getline(in, row);) rows.insert(rows.end(), {row, row});
  in.close();
  std::shuffle(rows.begin(), rows.end(), std::mt19937{4});
  std::ofstream out{path};
  out << header << '\n';
  for (const std::string& row : rows) out << row << '\n';
  out.close();
  EXPECT_EQ(run(flags).out, expected);
}

TEST_F(ForecastCommand, Replays_what_was_known_then_one_object_a_line) {
  const std::string files = zone_file(20);
  const auto ran = run({"--zone", "FR", "--intensity", files, "--replay", "--from", "2027-01-10T00:00:00Z", "--to",
                        "2027-01-11T00:00:00Z", "--every", "6h"});
  ASSERT_EQ(ran.exit, 0) << ran.err;
  std::istringstream lines{ran.out};
  std::string line;
  int count = 0;
  while (std::getline(lines, line)) {
    const std::string issued_at = json::parse(line).at("issuedAt");
    EXPECT_EQ(run({"--zone", "FR", "--intensity", files, "--issued-at", issued_at, "--json"}).out, line + "\n");
    ++count;
  }
  EXPECT_EQ(count, 4);
}

TEST_F(ForecastCommand, Evaluates_beside_forecasts_that_need_no_training) {
  const auto ran = run({"--zone", "FR", "--intensity", zone_file(40), "--evaluate", "--from", "2027-01-20T00:00:00Z",
                        "--to", "2027-02-05T00:00:00Z", "--json"});
  ASSERT_EQ(ran.exit, 0) << ran.err;
  const json answer = json::parse(ran.out);
  EXPECT_EQ(answer.at("issues"), 128);
  ASSERT_EQ(answer.at("methods").size(), 6U);
  // The past repeats itself to the digit: yesterday is a perfect forecast, and reaches all that can be saved.
  const json& yesterday = answer.at("methods").at(4);
  EXPECT_EQ(yesterday.at("method"), "lag-24");
  EXPECT_NEAR(yesterday.at("shares").at(1).at("oncePercent").get<double>(), 100, 0.1);
}

TEST_F(ForecastCommand, Says_when_it_learnt_from_the_sample) {
  const auto ran = run({"--zone", "FR", "--json"});
  ASSERT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(json::parse(ran.out).at("grade"), "sample");
  EXPECT_EQ(json::parse(ran.out).at("learntFrom"), "sample");
}

TEST_F(ForecastCommand, Names_the_flag_that_is_wrong) {
  const std::string files = zone_file(2);
  const auto refused = [&](std::vector<std::string> flags, int exit, const std::string& text) {
    flags.insert(flags.end(), {"--intensity", files});
    const auto ran = run(flags);
    EXPECT_EQ(ran.exit, exit) << ran.err;
    EXPECT_NE(ran.err.find(text), std::string::npos) << ran.err;
  };
  refused({"--zone", "F R"}, 2, "--zone");
  refused({"--zone", "ES"}, 2, "ES");
  refused({"--zone", "FR", "--horizon", "169h"}, 2, "--horizon");
  refused({"--zone", "FR", "--issued-at", "2027-01-02"}, 2, "--issued-at");
  refused({"--zone", "FR", "--evaluate"}, 2, "--from");
  refused({"--zone", "FR", "--replay", "--from", "2027-01-02T00:00:00Z", "--to", "2027-01-01T00:00:00Z"}, 2, "--to");
  refused({"--zone", "FR"}, 1, "FR");  // the newest value is months old
}

}  // namespace
}  // namespace valle::service::cli
