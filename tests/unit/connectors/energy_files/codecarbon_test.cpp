// SPDX-License-Identifier: Apache-2.0
#include "connectors/energy_files/codecarbon.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "scheduler/energy/estimate.hpp"

namespace valle::connectors::energy {
namespace {

using scheduler::EnergyBoundary;
using scheduler::EnergyQuality;
using scheduler::kwh;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct File {
  std::vector<ToolRun> runs;
  ReadSummary summary;
  [[nodiscard]] std::vector<std::size_t> refused_lines() const {
    std::vector<std::size_t> lines;
    for (const auto& each : summary.first_refused) lines.push_back(each.line);
    return lines;
  }
  [[nodiscard]] double kwh_of(const std::string& id) const {
    for (const auto& run : runs) {
      if (run.id == id) return kwh(run.figures.front().energy);
    }
    return -1;
  }
};

scheduler::Result<File> read(const std::string& text, const CodeCarbonOptions& options = {}) {
  std::istringstream file{text};
  File read;
  auto summary = read_codecarbon(file, options, [&read](ToolRun run) { read.runs.push_back(std::move(run)); });
  if (!summary) return tl::unexpected{summary.error()};
  read.summary = *std::move(summary);
  return read;
}

/// One row, given as JSON: the body that the tool posts.
scheduler::Result<ToolRun> posted(const std::string& members) {
  return read_codecarbon_post(
      R"({"timestamp":"2027-02-10T10:00:00","project_name":"nlp","run_id":"r-1",)" + members + "}", {});
}

scheduler::Instant at(const char* text) { return *scheduler::parse_instant(text); }

TEST(CodeCarbon, rows_of_another_width_are_refused_with_their_line_and_the_rest_is_kept) {
  const auto file = read(
      "timestamp,project_name,run_id,duration,emissions,cpu_energy,gpu_energy,ram_energy,energy_consumed,pue\n"
      "2027-02-01T10:00:00,nlp,r-1,600,0.01,0.010,0.030,0.002,0.042,1.0\n"
      "2027-02-01T11:00:00,nlp,r-2,600,0.01,0.030,0.002,0.043\n"
      "2027-02-01T12:00:00,nlp,r-3,600,0.01,0.011,0.031,0.003,0.045,1.0\n"
      "2027-02-01T13:00:00,nlp,r-4,600,0.01,0.011,0.031,0.003,0.045,1.02027-02-01T14:00:00,nlp,r-5,600,0.01,0.011,"
      "0.031,0.003,0.045,1.0\n"
      "2027-02-01T15:00:00,nlp,r-6,600,0.01,0.012,0.032,0.004,0.048,1.0\n");
  ASSERT_TRUE(file);
  EXPECT_THAT(file->refused_lines(), ElementsAre(3, 5));
  EXPECT_EQ(file->summary.taken, 3u);
  EXPECT_DOUBLE_EQ(file->kwh_of("r-1"), 0.042);
  EXPECT_DOUBLE_EQ(file->kwh_of("r-3"), 0.045);
  EXPECT_DOUBLE_EQ(file->kwh_of("r-6"), 0.048);
}

TEST(CodeCarbon, columns_are_found_by_name) {
  const auto file = read(
      "energy_consumed,pue,run_id,timestamp,duration,project_name,ram_energy,gpu_energy,cpu_energy,emissions\n"
      "0.042,1.0,r-1,2027-02-01T10:00:00,600,nlp,0.002,0.030,0.010,0.01\n");
  ASSERT_TRUE(file);
  EXPECT_THAT(file->refused_lines(), IsEmpty());
  ASSERT_EQ(file->runs.size(), 1u);
  EXPECT_DOUBLE_EQ(kwh(*file->runs[0].processor), 0.010);
  EXPECT_DOUBLE_EQ(kwh(*file->runs[0].boards), 0.030);
  EXPECT_EQ(file->runs[0].project, "nlp");
}

TEST(CodeCarbon, an_empty_file_is_said_to_be_empty) {
  const auto file = read("");
  ASSERT_FALSE(file);
  EXPECT_THAT(file.error().detail, HasSubstr("empty"));
}

TEST(CodeCarbon, files_that_are_something_else_are_refused_with_what_they_lack) {
  EXPECT_THAT(read("timestamp,duration\n").error().detail, HasSubstr("energy_consumed"));
  EXPECT_THAT(read("timestamp,duration,energy_consumed,duration\n").error().detail, HasSubstr("twice"));
  EXPECT_THAT(read("task_name,timestamp,duration,energy_consumed\n").error().detail, HasSubstr("emissions.csv"));
  EXPECT_THAT(read("\xFF\xFEt\0i\0").error().detail, HasSubstr("UTF-16"));
  EXPECT_FALSE(read("\"timestamp,duration\n"));
}

TEST(CodeCarbon, pue_is_divided_out_once_and_the_power_columns_of_new_versions_hold_it_too) {
  // As version 3.3.2 wrote it: 26 W for memory are 20 W and the PUE of 1.3.
  const auto run = posted(
      R"("duration":15.001331047999884,"cpu_power":6.894430875576674,"gpu_power":0.0,"ram_power":26.000000000000004,
      "cpu_energy":3.6857912616519074e-05,"gpu_energy":0.0,"ram_energy":0.00010832934039055648,
      "energy_consumed":0.00014518725300707554,"region":null,"codecarbon_version":"3.3.2","cpu_count":2,"gpu_count":0,
      "tracking_mode":"machine","pue":1.3,"user":"someone")");
  ASSERT_TRUE(run) << run.error().detail;
  const auto& figure = run->figures.front();
  EXPECT_NEAR(kwh(figure.energy), 0.00014518725 / 1.3, 5.1e-7);
  EXPECT_TRUE(run->teaches);
  EXPECT_EQ(figure.boundary, EnergyBoundary::node);
  EXPECT_EQ(figure.quality, EnergyQuality::estimated) << "memory is a constant and the processor modelled";
  EXPECT_THAT(figure.method, HasSubstr("3.3.2"));
  EXPECT_THAT(figure.method, HasSubstr("1.3"));
}

TEST(CodeCarbon, an_unknown_version_is_told_by_the_power_of_memory) {
  const auto with_pue = [](const char* ram_power) {
    return posted(
        R"("duration":3600,"energy_consumed":0.039,"cpu_energy":0,"gpu_energy":0,"ram_energy":0.039,"pue":1.3,)"
        R"("codecarbon_version":"","ram_power":)" +
        std::string{ram_power});
  };
  EXPECT_TRUE(with_pue("39")->teaches);
  EXPECT_TRUE(with_pue("30")->teaches);
  EXPECT_FALSE(with_pue("60")->teaches);
}

TEST(CodeCarbon, energy_columns_count_not_the_last_power_sample) {
  const auto run = posted(
      R"("duration":1800,"gpu_power":35.0,"gpu_energy":0.21,"cpu_power":20.0,"cpu_energy":0.01,"ram_power":0,
      "ram_energy":0,"energy_consumed":0.22,"gpu_count":1,"pue":1)");
  ASSERT_TRUE(run);
  EXPECT_DOUBLE_EQ(kwh(run->figures.front().energy), 0.22);
  EXPECT_DOUBLE_EQ(kwh(*run->boards), 0.21);
  EXPECT_EQ(run->figures.front().quality, EnergyQuality::measured);
}

TEST(CodeCarbon, a_row_that_contradicts_itself_teaches_nothing) {
  const auto run = posted(
      R"("duration":600,"cpu_power":0.042,"cpu_energy":0.007,"gpu_power":0,"gpu_energy":0,"ram_power":0,"ram_energy":0,
      "energy_consumed":0.007,"gpu_count":0,"pue":1)");
  ASSERT_TRUE(run);
  EXPECT_FALSE(run->teaches);
  EXPECT_THAT(run->figures.front().notes, testing::Contains(HasSubstr("disagree by a factor of 1000")));
  EXPECT_FALSE(scheduler::teaches(run->figures.front()));
}

TEST(CodeCarbon, short_runs_may_differ_by_a_quarter) {
  // Nine seconds with forced power, as the tool wrote them: 60.7 W shown, 76.4 W in the energy.
  const auto run = posted(
      R"("duration":9.001198524999381,"cpu_power":60.70395646358162,"gpu_power":0.0,"ram_power":20.0,
      "cpu_energy":0.00019102545379552966,"gpu_energy":0.0,"ram_energy":4.999449189999218e-05,
      "energy_consumed":0.00024101994569552182,"codecarbon_version":"3.3.2","gpu_count":0,"pue":1.0)");
  ASSERT_TRUE(run);
  EXPECT_TRUE(run->teaches);
  const auto longer = posted(
      R"("duration":900,"cpu_power":60.7,"gpu_power":0.0,"ram_power":20.0,"cpu_energy":0.0191,"gpu_energy":0.0,
      "ram_energy":0.005,"energy_consumed":0.0241,"codecarbon_version":"3.3.2","gpu_count":0,"pue":1.0)");
  ASSERT_TRUE(longer);
  EXPECT_FALSE(longer->teaches);
}

TEST(CodeCarbon, boards_that_report_nothing_are_unknown_and_not_zero) {
  const auto run = posted(
      R"("duration":1800,"gpu_count":2,"gpu_energy":0.0,"gpu_power":0.0,"gpu_utilization_percent":88,"cpu_energy":0.05,
      "ram_energy":0.01,"energy_consumed":0.06,"pue":1)");
  ASSERT_TRUE(run);
  EXPECT_EQ(run->figures.front().quality, EnergyQuality::unknown);
  EXPECT_EQ(run->boards, std::nullopt);
  EXPECT_DOUBLE_EQ(kwh(*run->partial), 0.06);
  EXPECT_FALSE(run->teaches);
  EXPECT_FALSE(scheduler::teaches(run->figures.front()));
}

TEST(CodeCarbon, zero_for_a_real_run_is_a_failed_reading) {
  const auto zero = [](int seconds) {
    return posted(R"("energy_consumed":0.0,"cpu_energy":0.0,"gpu_energy":0.0,"ram_energy":0.0,"gpu_count":0,"pue":1,)"
                  R"("duration":)" +
                  std::to_string(seconds));
  };
  ASSERT_FALSE(zero(240));
  EXPECT_THAT(zero(240).error().detail, HasSubstr("longer than the sampling interval"));
  EXPECT_FALSE(zero(16));
  EXPECT_TRUE(zero(15)) << "within one interval nothing need have been seen";
}

TEST(CodeCarbon, parts_that_do_not_add_up_show_shifted_columns) {
  EXPECT_THAT(posted(R"("duration":600,"energy_consumed":0.06,"cpu_energy":0.01,"gpu_energy":0.03,"ram_energy":0.002)")
                  .error()
                  .detail,
              HasSubstr("add up"));
}

TEST(CodeCarbon, numbers_out_of_range_are_refused) {
  for (const auto* members :
       {R"("duration":0,"energy_consumed":1)", R"("duration":-3,"energy_consumed":1)", R"("energy_consumed":1)",
        R"("duration":600,"energy_consumed":-1)", R"("duration":600)", R"("duration":600,"energy_consumed":"1")",
        R"("duration":600,"energy_consumed":1,"pue":0.9)", R"("duration":600,"energy_consumed":1,"pue":11)",
        R"("duration":600,"energy_consumed":1e10)", R"("duration":4e7,"energy_consumed":1)",
        R"("duration":600,"energy_consumed":1,"cpu_energy":-1)"}) {
    EXPECT_FALSE(posted(members)) << members;
  }
  EXPECT_FALSE(read_codecarbon_post("[]", {}));
  EXPECT_FALSE(read_codecarbon_post("{", {}));
  EXPECT_FALSE(read_codecarbon_post(R"({"duration":600,"energy_consumed":1})", {})) << "no timestamp";
}

TEST(CodeCarbon, nan_in_a_column_that_is_not_needed_costs_nothing) {
  const auto file = read(
      "timestamp,run_id,duration,emissions,cpu_power,energy_consumed\n"
      "2027-02-01T10:00:00,a,600,nan,nan,0.042\n"
      "2027-02-01T11:00:00,b,600,0.1,1,nan\n"
      "2027-02-01T12:00:00,c,nan,0.1,1,0.042\n");
  ASSERT_TRUE(file);
  EXPECT_DOUBLE_EQ(file->kwh_of("a"), 0.042);
  EXPECT_THAT(file->refused_lines(), ElementsAre(3, 4));
}

TEST(CodeCarbon, a_byte_order_mark_semicolons_and_decimal_commas_are_read) {
  const auto file = read(
      "\xEF\xBB\xBFtimestamp;run_id;duration;cpu_energy;gpu_energy;ram_energy;energy_consumed;pue\r\n"
      "2027-02-01T10:00:00;a;600,5;0,010;0,030;1,002;1,042;1,0\r\n"
      "2027-02-01T11:00:00;b;600;0.010;0.030;0.002;0.042;1\r\n"
      "\r\n");
  ASSERT_TRUE(file);
  EXPECT_THAT(file->refused_lines(), IsEmpty());
  EXPECT_DOUBLE_EQ(file->kwh_of("a"), 1.042);
  EXPECT_DOUBLE_EQ(file->kwh_of("b"), 0.042);
}

TEST(CodeCarbon, a_comma_that_may_part_thousands_is_not_guessed_at) {
  const auto file = read(
      "timestamp,run_id,duration,energy_consumed\n"
      "2027-02-01T10:00:00,a,600,\"0,042\"\n"
      "2027-02-01T11:00:00,b,600,\"1,042\"\n"
      "2027-02-01T12:00:00,c,600,\"1,04\"\n"
      "2027-02-01T13:00:00,d,600,\"1,042.5\"\n");
  ASSERT_TRUE(file);
  EXPECT_DOUBLE_EQ(file->kwh_of("a"), 0.042);
  EXPECT_DOUBLE_EQ(file->kwh_of("c"), 1.04);
  EXPECT_THAT(file->refused_lines(), ElementsAre(3, 5));
}

TEST(CodeCarbon, the_run_ends_at_its_stamp_by_the_clock_of_the_place) {
  const CodeCarbonOptions madrid{.clock = *LocalClock::make("Europe/Madrid")};
  const auto file = read("timestamp,run_id,duration,energy_consumed\n2027-07-01T10:00:00,a,3600.4,1\n", madrid);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->runs[0].ran, (scheduler::Interval{at("2027-07-01T07:00:00Z"), at("2027-07-01T08:00:00Z")}));
}

TEST(CodeCarbon, stamps_that_clocks_showed_twice_follow_the_rows_before) {
  // Clocks in Paris showed 02:00 to 03:00 twice on 31 October 2027: 00:30Z and 01:30Z are both 02:30.
  const CodeCarbonOptions paris{.clock = *LocalClock::make("Europe/Paris")};
  const auto file = read(
      "timestamp,run_id,duration,energy_consumed\n"
      "2027-10-31T02:30:00,a,600,1\n"
      "2027-10-31T02:50:00,b,600,1\n"
      "2027-10-31T02:40:00,c,600,1\n"
      "2027-10-31T03:10:00,d,600,1\n",
      paris);
  ASSERT_TRUE(file);
  ASSERT_EQ(file->runs.size(), 4u);
  EXPECT_EQ(file->runs[0].ran->end, at("2027-10-31T00:30:00Z"));
  EXPECT_EQ(file->runs[1].ran->end, at("2027-10-31T00:50:00Z"));
  EXPECT_EQ(file->runs[2].ran->end, at("2027-10-31T01:40:00Z"));
  EXPECT_EQ(file->runs[3].ran->end, at("2027-10-31T02:10:00Z"));
  EXPECT_THAT(file->runs[2].figures.front().notes, testing::Contains(HasSubstr("twice")));
}

TEST(CodeCarbon, stamps_that_clocks_never_showed_are_refused) {
  const CodeCarbonOptions paris{.clock = *LocalClock::make("Europe/Paris")};
  const auto file = read("timestamp,run_id,duration,energy_consumed\n2027-03-28T02:30:00,a,600,1\n", paris);
  ASSERT_TRUE(file);
  EXPECT_THAT(file->summary.first_refused.at(0).reason, HasSubstr("never showed"));
}

TEST(CodeCarbon, a_process_is_not_a_machine) {
  const auto run = posted(R"("duration":600,"energy_consumed":1,"tracking_mode":"process")");
  ASSERT_TRUE(run);
  EXPECT_EQ(run->figures.front().boundary, EnergyBoundary::pod);
}

TEST(CodeCarbon, lines_without_end_and_columns_without_number_stop_at_their_limits) {
  const std::string header = "timestamp,run_id,duration,energy_consumed\n";
  const std::string row = "2027-02-01T10:00:00,a,600,1\n";
  const auto file = read(header + std::string(k_longest_energy_line + 1, 'x') + "\n" + row);
  ASSERT_TRUE(file);
  EXPECT_THAT(file->refused_lines(), ElementsAre(2));
  EXPECT_EQ(file->summary.taken, 1u);
  EXPECT_FALSE(read(std::string(300, ',') + "\n"));
}

TEST(CodeCarbon, only_the_first_refusals_are_kept_and_all_are_counted) {
  std::string text = "timestamp,run_id,duration,energy_consumed\n";
  for (std::size_t i = 0; i <= k_most_refused_kept; ++i) text += "x\n";
  const auto file = read(text);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->summary.refused, k_most_refused_kept + 1);
  EXPECT_EQ(file->summary.first_refused.size(), k_most_refused_kept);
}

TEST(LocalClock, reads_offsets_blanks_and_fractions) {
  const auto madrid = *LocalClock::make("Europe/Madrid");
  EXPECT_EQ(madrid.read("2027-02-01T10:00:00Z")->at, at("2027-02-01T10:00:00Z"));
  EXPECT_EQ(madrid.read("2027-02-01 10:00:00.123456")->at, at("2027-02-01T09:00:00Z"));
  EXPECT_EQ(madrid.read("2027-02-01 10:00:00,114")->at, at("2027-02-01T09:00:00Z"));
  for (const auto* wrong : {"", "yesterday", "2027-02-30T10:00:00", "2027-02-01T24:00:00", "2027-02-01T10:00:00.",
                            "2027-02-01T10:00:00 PM", "01/02/2027 10:00:00", "2027-02-01T10:-1:00"}) {
    EXPECT_FALSE(madrid.read(wrong)) << wrong;
  }
  EXPECT_FALSE(LocalClock::make("Europe/Atlantis"));
  EXPECT_FALSE(LocalClock::make("../etc/passwd"));
}

}  // namespace
}  // namespace valle::connectors::energy
