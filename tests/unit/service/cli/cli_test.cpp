// SPDX-License-Identifier: Apache-2.0
#include "service/cli/cli.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/command_line.hpp"
#include "tests/support/temporary_folder.hpp"

namespace valle::service::cli {
namespace {

using nlohmann::json;

using tests::Ran;

Ran valle(const std::vector<std::string>& arguments, std::map<std::string, std::string> environment = {}) {
  return tests::run_valle(arguments, std::move(environment));
}

class CommandLine : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) {
    const auto path = folder_.path() / name;
    std::ofstream{path} << text;
    return path.string();
  }
  std::string path(const std::string& name) { return (folder_.path() / name).string(); }

  /// Twelve hours of FR, from midnight of 1 June 2027 on; hour h has 100 - 5 h g/kWh.
  std::string falling_day() {
    std::string text = "datetime_utc,gco2_kwh_lifecycle\n";
    for (int hour = 0; hour < 12; ++hour) {
      text += "2027-06-01T" + std::string{hour < 10 ? "0" : ""} + std::to_string(hour) + ":00:00Z," +
              std::to_string(100 - 5 * hour) + "\n";
    }
    return file("FR.csv", text);
  }

  std::string problem() {
    return file("problem.json", R"({"start":"2027-06-01T00:00:00Z","slot":"PT1H","slots":4,
      "sites":[{"name":"fr","zone":"FR","capacity":{"gpu":4},"gramsPerKwh":[50,40,30,20]}],
      "jobs":[{"id":"a","finishBy":"2027-06-01T04:00:00Z","duration":"1h","powerWatts":1000,"demand":{"gpu":4}},
              {"id":"b","finishBy":"2027-06-01T04:00:00Z","duration":"1h","powerWatts":2000,"demand":{"gpu":4}}]})");
  }

  valle::tests::TemporaryFolder folder_;
};

TEST_F(CommandLine, every_command_explains_itself) {
  EXPECT_EQ(valle({"--help"}).exit, 0);
  for (const auto* command :
       {"serve",    "best-slot",  "plan",        "check",   "ingest",       "import-energy", "backtest",
        "forecast", "report",     "import-runs", "explain", "release",      "measure",       "calibrate",
        "estimate", "share-idle", "migrate",     "backup",  "check-config", "version"}) {
    const Ran ran = valle({command, "--help"});
    EXPECT_EQ(ran.exit, 0) << command;
    EXPECT_NE(ran.out.find("valle " + std::string{command}), std::string::npos) << ran.out;
    EXPECT_TRUE(ran.err.empty());
  }
}

TEST_F(CommandLine, wrong_usage_is_one_line_that_names_the_flag) {
  struct Case {
    std::vector<std::string> arguments;
    std::string says;
    int exit = 2;
  };
  const std::vector<Case> cases{
      {{"bogus"}, "bogus"},
      {{"best-slot", "--bogus"}, "--bogus"},
      {{"best-slot"}, "--duration"},
      {{"best-slot", "--duration", "3 hours"}, "--duration"},
      {{"best-slot", "--duration", "1h", "--finish-by", "2027-06-01T10:00:00"}, "--finish-by"},
      {{"best-slot", "--duration", "1h", "--zones", "FR,FR"}, "--zones"},
      {{"best-slot", "--duration", "1h", "--zones", "XX"}, "XX"},
      {{"best-slot", "--duration", "1h", "--energy-kwh", "nan"}, "--energy-kwh"},
      {{"best-slot", "--duration", "1h", "--intensity", "no-such-file.csv"}, "no-such-file.csv"},
      {{"best-slot", "--duration", "1h", "--server", "http://127.0.0.1:1"}, "127.0.0.1:1", 3},
      {{"plan", "--problem", "no-such-file.json"}, "no-such-file.json"},
      {{"plan", "--problem", "x", "--effort", "heroic"}, "--effort"},
      {{"ingest", "--database", "x.db"}, "--intensity"},
      {{"check-config", "no-such-file.yaml"}, "no-such-file.yaml"},
      {{"backtest", "--trace", "no-such-file.csv", "--start", "2027-06-01T00:00:00Z"}, "no-such-file.csv"},
      {{"serve", "--log-level", "loud"}, "--log-level"},
      {{"serve", "--listen", "everywhere"}, "listen"},
  };
  for (const Case& c : cases) {
    const Ran ran = valle(c.arguments);
    EXPECT_EQ(ran.exit, c.exit) << ran.err;
    EXPECT_NE(ran.err.find(c.says), std::string::npos) << c.says << " in " << ran.err;
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
    EXPECT_TRUE(ran.out.empty()) << ran.out;
  }
}

TEST_F(CommandLine, best_slot_reads_files_and_finds_their_cleanest_hours) {
  const Ran ran = valle(
      {"best-slot", "--duration", "2h", "--finish-by", "2027-06-01T12:00:00Z", "--intensity", falling_day(), "--json"});
  ASSERT_EQ(ran.exit, 0) << ran.err;
  const json answer = json::parse(ran.out);
  EXPECT_EQ(answer.at("best").at("start"), "2027-06-01T10:00:00Z");
  EXPECT_EQ(answer.at("best").at("gramsPerKwh"), 47.5);
  EXPECT_EQ(answer.at("runNow").at("gramsPerKwh"), 97.5);
}

TEST_F(CommandLine, without_data_it_answers_from_the_sample_and_says_so) {
  const Ran ran = valle({"best-slot", "--duration", "6h", "--max-wait", "24h"});
  ASSERT_EQ(ran.exit, 0) << ran.err;
  EXPECT_NE(ran.out.find("sample"), std::string::npos) << ran.out;
}

TEST_F(CommandLine, a_window_that_is_too_short_is_a_no) {
  const Ran ran = valle({"best-slot", "--duration", "6h", "--finish-by", "2027-06-01T02:00:00Z"});
  EXPECT_EQ(ran.exit, 1);
  EXPECT_NE(ran.err.find("2027-06-01T06:00:00Z"), std::string::npos) << ran.err;
}

TEST_F(CommandLine, what_is_ingested_is_found_again) {
  const std::string database = path("v.db");
  const Ran first = valle({"ingest", "--intensity", falling_day(), "--database", database});
  ASSERT_EQ(first.exit, 0) << first.err;
  EXPECT_NE(first.out.find("forecast: 12 new"), std::string::npos) << first.out;
  const Ran ran =
      valle({"best-slot", "--duration", "1h", "--finish-by", "2027-06-01T12:00:00Z", "--database", database, "--json"});
  ASSERT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(json::parse(ran.out).at("best").at("gramsPerKwh"), 45.0);
  const Ran copied = valle({"backup", path("copy.db"), "--database", database});
  EXPECT_EQ(copied.exit, 0) << copied.err;
  EXPECT_EQ(valle({"backup", path("copy.db"), "--database", database}).exit, 2) << "a backup never overwrites";
  EXPECT_EQ(valle({"migrate", "--database", path("copy.db")}).exit, 0);
}

TEST_F(CommandLine, energy_of_other_tools_is_stored_once_and_what_finds_no_place_is_named) {
  const std::string database = path("v.db");
  const std::string config = file("valle.yaml", "sites:\n  - {name: fr, zone: FR, pue: 1.2}\n");
  const std::string emissions = file("emissions.csv",
                                     "timestamp,project_name,run_id,duration,energy_consumed,pue\n"
                                     "2027-05-30T10:00:00,nlp,r-1,600,0.5,1\n"
                                     "2027-05-30T11:00:00,nlp,r-2,600\n");
  const Ran left = valle({"import-energy", emissions, "--database", database});
  EXPECT_EQ(left.exit, 2);
  EXPECT_NE(left.err.find("r-1: no job of that name ran then"), std::string::npos) << left.err;
  EXPECT_NE(left.err.find("emissions.csv:3: "), std::string::npos) << left.err;
  const std::vector<std::string> with_site{"import-energy", emissions, "--site",     "fr",
                                           "--config",      config,    "--database", database};
  const Ran first = valle(with_site);
  EXPECT_NE(first.out.find("1 stored as runs of their own, 0 known, 1 left out"), std::string::npos) << first.out;
  const Ran again = valle(with_site);
  EXPECT_NE(again.out.find("0 stored as runs of their own, 1 known"), std::string::npos) << again.out;
  const std::string log = file("x_carbontracker_output.log",
                               "2027-05-30 12:00:00 - CarbonTracker: \nActual consumption for 4 epoch(s):\n"
                               "\tTime:\t1:00:00\n\tEnergy:\t1.58 kWh\n\tCO2eq:\tnan g\n");
  const Ran tracked = valle({"import-energy", log, "--site", "fr", "--config", config, "--database", database});
  EXPECT_EQ(tracked.exit, 0) << tracked.err;
  EXPECT_NE(tracked.out.find("1 stored as runs of their own"), std::string::npos) << tracked.out;
  EXPECT_EQ(valle({"import-energy", path("none.csv"), "--database", database}).exit, 2);
  EXPECT_EQ(valle({"import-energy", emissions, "--time-zone", "Mars/Olympus", "--database", database}).exit, 2);
  EXPECT_EQ(valle({"import-energy", emissions, "--site", "it", "--config", config, "--database", database}).exit, 2);
}

TEST_F(CommandLine, a_plan_passes_its_check_and_a_forged_one_does_not) {
  const Ran planned = valle({"plan", "--problem", problem(), "--json"});
  ASSERT_EQ(planned.exit, 0) << planned.err;
  json plan = json::parse(planned.out);
  EXPECT_EQ(plan.at("carbonGrams"), 70.0) << "the larger job takes the cleanest hour: 2 · 20 + 1 · 30";
  EXPECT_EQ(valle({"check", "--problem", problem(), "--plan", file("plan.json", plan.dump())}).exit, 0);

  plan["carbonGrams"] = 1.0;
  const Ran checked = valle({"check", "--problem", problem(), "--plan", file("forged.json", plan.dump())});
  EXPECT_EQ(checked.exit, 1);
  EXPECT_NE(checked.out.find("wrong-total"), std::string::npos) << checked.out;
}

TEST_F(CommandLine, an_unplaced_job_is_a_no_and_the_plan_is_printed_all_the_same) {
  const std::string impossible = file("impossible.json", R"({"start":"2027-06-01T00:00:00Z","slots":2,
      "sites":[{"name":"fr","zone":"FR","capacity":{"gpu":4},"gramsPerKwh":[50,40]}],
      "jobs":[{"id":"huge","finishBy":"2027-06-01T02:00:00Z","duration":"1h","powerWatts":1,"demand":{"gpu":8}}]})");
  const Ran ran = valle({"plan", "--problem", impossible});
  EXPECT_EQ(ran.exit, 1);
  EXPECT_NE(ran.out.find("no-capacity"), std::string::npos) << ran.out;
}

TEST_F(CommandLine, an_overload_is_proven_and_located) {
  const std::string crowded = file("crowded.json", R"({"start":"2027-06-01T00:00:00Z","slots":2,
      "sites":[{"name":"fr","zone":"FR","capacity":{"gpu":4},"gramsPerKwh":[50,40]}],
      "jobs":[{"id":"a","finishBy":"2027-06-01T02:00:00Z","duration":"1h","powerWatts":1,"demand":{"gpu":4}},
              {"id":"b","finishBy":"2027-06-01T02:00:00Z","duration":"1h","powerWatts":1,"demand":{"gpu":4}},
              {"id":"c","finishBy":"2027-06-01T02:00:00Z","duration":"1h","powerWatts":1,"demand":{"gpu":4}}]})");
  const Ran ran = valle({"plan", "--problem", crowded});
  EXPECT_EQ(ran.exit, 1);
  EXPECT_NE(ran.out.find("no plan leaves out fewer than 1 of these jobs; those left out would hold 4.0 gpu hours"),
            std::string::npos)
      << ran.out;
  EXPECT_NE(ran.out.find("full       fr gpu 2027-06-01T00:00:00Z to 2027-06-01T02:00:00Z"), std::string::npos);
}

TEST_F(CommandLine, a_job_that_begins_beyond_the_horizon_is_named_not_searched_for) {
  const std::string beyond = file("beyond.json", R"({"start":"2027-06-01T00:00:00Z","slot":"1s","slots":24,
      "sites":[{"name":"fr","zone":"FR","capacity":{"gpu":8},"gramsPerKwh":50}],
      "jobs":[{"id":"late","earliestStart":"2027-06-01T03:00:00Z","finishBy":"2027-06-02T00:00:00Z","duration":"PT5H30M",
               "powerWatts":1000,"demand":{"gpu":8}}]})");
  const std::string listed = file("beyond24.json", [&] {
    std::ifstream stream{beyond};
    std::string text{std::istreambuf_iterator<char>{stream}, {}};
    std::string values = "[50";
    for (int i = 1; i < 24; ++i) values += ",50";
    return text.replace(text.find(":50}"), 4, ":" + values + "]}");
  }());
  const Ran ran = valle({"plan", "--problem", listed, "--json"});
  ASSERT_EQ(ran.exit, 1) << ran.err;
  EXPECT_EQ(json::parse(ran.out).at("unplaced")[0].at("code"), "window-too-short");
}

TEST_F(CommandLine, a_faulty_problem_is_refused_with_file_and_pointer) {
  const Ran ran = valle({"plan", "--problem", file("bad.json", R"({"start":"2027-06-01T00:00:00Z","slots":2,"sites":[],
      "jobs":[{"id":"a","duration":"1h","powerWatts":-5}]})")});
  EXPECT_EQ(ran.exit, 2);
  EXPECT_NE(ran.err.find("bad.json#/"), std::string::npos) << ran.err;
}

TEST_F(CommandLine, a_backtest_compares_the_policies) {
  std::string text = "datetime_utc,gco2_kwh_lifecycle\n";
  for (int hour = 0; hour < 96; ++hour) {
    text += scheduler::format_instant(*scheduler::parse_instant("2026-05-01T00:00:00Z") + std::chrono::hours{hour}) +
            "," + std::to_string(hour % 24 == 3 ? 20 : 100) + "\n";
  }
  const std::string trace = file("jobs.csv",
                                 "job_id,arrival_s,duration_s,gpus,cpus\n"
                                 "a,0,3600,4,1\n"
                                 "b,0,3600,4,1\n"
                                 "c,90000,3600,4,1\n");
  const Ran ran = valle({"backtest", "--trace", trace, "--intensity", file("FR.csv", text), "--zones", "FR", "--start",
                         "2026-05-01T00:00:00Z", "--slack", "24h", "--capacity", "gpu=4", "--json"});
  ASSERT_EQ(ran.exit, 0) << ran.err;
  const json policies = json::parse(ran.out).at("policies");
  ASSERT_EQ(policies.size(), 4U);
  // 400 W a GPU: 1.6 kWh a job. At once: three dirty hours. Planned: a and c in the clean hours, b in a dirty one.
  EXPECT_EQ(policies[0].at("carbonGrams"), 480.0);
  EXPECT_EQ(policies[2].at("policy"), "plan");
  EXPECT_EQ(policies[2].at("carbonGrams"), 224.0);
  EXPECT_EQ(policies[3].at("carbonGrams"), 224.0);
  for (const json& policy : policies) EXPECT_EQ(policy.at("deadlinesMissed"), 0);
}

TEST_F(CommandLine, a_backtest_believes_own_forecasts_of_what_was_known_then) {
  std::string text = "datetime_utc,gco2_kwh_lifecycle\n";
  const auto begin = *scheduler::parse_instant("2026-05-01T00:00:00Z");
  for (int hour = 0; hour < 24 * 12; ++hour) {
    // Clean at 3 o'clock for ten days, then at 15: nobody can know that on the tenth.
    const int clean = hour / 24 < 10 ? 3 : 15;
    text += scheduler::format_instant(begin + std::chrono::hours{hour}) + "," +
            std::to_string(hour % 24 == clean ? 20 : 100) + "\n";
  }
  const std::string trace = file("jobs.csv", "job_id,arrival_s,duration_s,gpus,cpus\na,0,3600,1,1\n");
  const std::string intensity = file("FR.csv", text);
  const auto grams = [&](const std::string& forecast, const std::string& start) {
    const Ran ran = valle({"backtest", "--trace", trace, "--intensity", intensity, "--zones", "FR", "--start", start,
                           "--slack", "24h", "--policy", "plan", "--forecast", forecast, "--json"});
    EXPECT_EQ(ran.exit, 0) << ran.err;
    return json::parse(ran.out).at("policies")[0].at("carbonGrams").get<double>();
  };
  EXPECT_EQ(grams("own", "2026-05-09T00:00:00Z"), 8.0);
  EXPECT_EQ(grams("own", "2026-05-11T00:00:00Z"), 40.0);
  EXPECT_EQ(grams("perfect", "2026-05-11T00:00:00Z"), 8.0);
  const Ran early = valle({"backtest", "--trace", trace, "--intensity", intensity, "--zones", "FR", "--start",
                           "2026-05-01T00:00:00Z", "--policy", "plan", "--forecast", "own"});
  EXPECT_EQ(early.exit, 1) << early.err;
  const Ran provider = valle({"backtest", "--trace", trace, "--intensity", intensity, "--zones", "FR", "--start",
                              "2026-05-09T00:00:00Z", "--forecast", "provider"});
  EXPECT_EQ(provider.exit, 2) << provider.err;
}

TEST_F(CommandLine, a_configuration_is_shown_with_its_origins) {
  const Ran ran =
      valle({"check-config", file("valle.yaml", "planning: {slot: 15m}\n")}, {{"VALLE_PLANNING_EVERY", "2m"}});
  ASSERT_EQ(ran.exit, 0) << ran.err;
  EXPECT_NE(ran.out.find("every: PT2M  # from a variable"), std::string::npos) << ran.out;
  const Ran wrong = valle({"check-config", file("wrong.yaml", "planing: {slot: 15m}\n")});
  EXPECT_EQ(wrong.exit, 2);
  EXPECT_NE(wrong.err.find("wrong.yaml:1"), std::string::npos) << wrong.err;
}

TEST_F(CommandLine, a_configuration_names_each_file_that_can_not_be_read) {
  const std::string config = file("valle.yaml",
                                  "sources:\n"
                                  "  - {kind: esios, tokenFile: no-token}\n"
                                  "  - {kind: files, path: no-folder}\n"
                                  "  - {kind: electricity-maps, tokenFile: good-token}\n"
                                  "tls: {certFile: good-token, keyFile: no-key}\n"
                                  "auth: {tokensFile: no-tokens}\n");
  file("good-token", "s3cr3t\n");
  const Ran ran = valle({"check-config", config});
  EXPECT_EQ(ran.exit, 2);
  for (const auto* key : {"sources[0].tokenFile", "sources[1].path", "tls.keyFile", "auth.tokensFile"}) {
    EXPECT_NE(ran.err.find(config + ": " + key + ": "), std::string::npos) << key << " in " << ran.err;
  }
  EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 4) << ran.err;
  EXPECT_NE(ran.err.find("no-token"), std::string::npos) << ran.err;
  EXPECT_EQ((ran.out + ran.err).find("s3cr3t"), std::string::npos);
}

TEST_F(CommandLine, an_empty_token_file_is_told_before_a_provider_refuses_it) {
  const std::string config = file("valle.yaml", "sources: [{kind: esios, tokenFile: token}]\n");
  file("token", " \n");
  const Ran ran = valle({"check-config", config});
  EXPECT_EQ(ran.exit, 2);
  EXPECT_NE(ran.err.find("the token file is empty"), std::string::npos) << ran.err;
}

TEST_F(CommandLine, only_a_configured_source_is_ingested) {
  const std::string config = file("valle.yaml", "sources: [{kind: files, path: intensity}]\n");
  const Ran other = valle({"ingest", "--source", "esios", "--config", config, "--database", path("v.db")});
  EXPECT_EQ(other.exit, 2);
  EXPECT_NE(other.err.find("--source: no source esios is configured; configured are files"), std::string::npos)
      << other.err;
  EXPECT_FALSE(std::filesystem::exists(path("v.db")));
  EXPECT_EQ(valle({"ingest", "--source", "esios", "--database", path("v.db")}).exit, 2);
  EXPECT_EQ(valle({"ingest", "--source", "files", "--intensity", "FR.csv", "--database", path("v.db")}).exit, 2);

  std::filesystem::create_directory(path("intensity"));
  std::filesystem::rename(falling_day(), path("intensity") + "/FR.csv");
  const Ran files = valle({"ingest", "--source", "files", "--config", config, "--database", path("v.db")});
  EXPECT_EQ(files.exit, 0) << files.err;
  EXPECT_NE(files.out.find("forecast: 12 new"), std::string::npos) << files.out;
}

TEST_F(CommandLine, calibrates_a_source_by_a_wattmeter) {
  std::string spl, readings = "start,end,energy_kwh\n";
  for (int second = 0; second < 360; ++second) {  // 300, 400, 500 W for two minutes each
    char line[96];
    std::snprintf(line, sizeof line, "Time,06-01-2027 00:%02d:%02d.500,Watts,%d.0,Volts,230,Amps,1,PF,1,Mark,x\n",
                  second / 60, second % 60, 300 + 100 * (second / 120));
    spl += line;
  }
  for (int load = 0; load < 3; ++load) {  // of which the source sees 80 %
    const std::string watts_seen = std::to_string((300 + 100 * load) * 120 * 8);
    readings += "2027-06-01T00:0" + std::to_string(2 * load) + ":00Z,2027-06-01T00:0" + std::to_string(2 * load + 2) +
                ":00Z," + std::to_string(std::stod(watts_seen) / 10 / 3.6e6) + "\n";
  }
  const std::vector<std::string> command{
      "calibrate", "--wattmeter", file("spl.txt", spl), "--readings", file("r.csv", readings), "--nodes", "gpu-*",
      "--meter",   "WT310E"};
  const auto ran = valle(command);
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_NE(ran.out.find("nodes: \"gpu-*\", source: kepler, boundary: pod, factor: 1.25"), std::string::npos)
      << ran.out;

  file("r.csv", "start,end\n");
  EXPECT_NE(valle(command).err.find("r.csv:1: needs three columns"), std::string::npos) << valle(command).err;
  file("r.csv", "start,end,energy_kwh\n2027-06-01T00:00:00Z,2027-06-01T00:02:00Z,1,2\n");
  EXPECT_NE(valle(command).err.find("r.csv:2"), std::string::npos);
  file("r.csv", "start,end,energy_kwh\n2027-06-01T05:00:00Z,2027-06-01T05:02:00Z,0.01\n");
  EXPECT_NE(valle(command).err.find("the wattmeter has no reading"), std::string::npos);
}

}  // namespace
}  // namespace valle::service::cli
