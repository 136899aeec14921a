// SPDX-License-Identifier: Apache-2.0
// The whole service over real sockets and a real database file, living on its test clock.
#include "service/service.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <tuple>

#include "service/cli/cli.hpp"
#include "service/runtime/clock.hpp"
#include "tests/support/http/client.hpp"
#include "tests/support/temporary_folder.hpp"

namespace valle::service {
namespace {

using namespace scheduler;
using nlohmann::json;

const Instant k_start = *parse_instant("2027-03-01T00:00:00Z");

/// A week of hours whose values a test can compute by itself.
int grams_at(int zone, int hour) { return 20 + 60 * zone + (hour * 37 + zone * 11) % 50; }

class RunningService : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(folder_ / "intensity");
    const char* zones[] = {"FR", "ES", "DE"};
    for (int zone = 0; zone < 3; ++zone) {
      std::ofstream file{folder_ / "intensity" / (std::string{zones[zone]} + ".csv")};
      file << "datetime_utc,gco2_kwh_lifecycle\n";
      for (int hour = -48; hour < 168; ++hour) {
        file << format_instant(k_start + std::chrono::hours{hour}) << "," << grams_at(zone, hour + 48) << "\n";
      }
    }
  }

  void start(const std::string& planning = "") {
    const std::string yaml =
        "listen: 127.0.0.1:0\ndatabase: valle.db\nsources:\n  - {kind: files, path: intensity}\n" + planning;
    auto config = runtime::parse_config(yaml, "valle.yaml", folder_.path());
    ASSERT_TRUE(config) << config.error().pointer << config.error().detail;
    auto service = Service::start({.config = *std::move(config), .test_clock = k_start, .solver_threads = 1});
    ASSERT_TRUE(service) << service.error().detail;
    service_ = *std::move(service);
    move_to(k_start);  // settles the first round of fetching
  }

  tests::Reply ask(const std::string& method, const std::string& target, const std::string& body) {
    const std::string url = service_->url();
    tests::Client client{static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)))};
    EXPECT_TRUE(client.send(method + " " + target + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: " +
                            std::to_string(body.size()) + "\r\n\r\n" + body));
    return client.receive();
  }
  std::string text_of(const std::string& target) { return ask("GET", target, "").body; }
  json call(const std::string& method, const std::string& target, const std::string& body, int status) {
    const tests::Reply reply = ask(method, target, body);
    EXPECT_EQ(reply.status, status) << method << " " << target << " " << reply.body;
    return json::parse(reply.body, nullptr, false);
  }
  json get(const std::string& target, int status = 200) { return call("GET", target, "", status); }
  json post(const std::string& target, const json& body, int status = 200) {
    return call("POST", target, body.dump(), status);
  }
  void move_to(Instant instant) { post("/test/clock", {{"now", format_instant(instant)}}); }

  tests::TemporaryFolder folder_;
  std::unique_ptr<Service> service_;
};

std::string at(Instant instant) { return format_instant(instant); }

/// Sum of grams · seconds over a run by walking its minutes.
long walked(int zone, Instant begin, Duration duration) {
  long sum = 0;
  for (Duration passed{}; passed < duration; passed += std::chrono::minutes{1}) {
    const auto hour = std::chrono::floor<std::chrono::hours>(begin + passed - k_start).count();
    sum += grams_at(zone, static_cast<int>(hour) + 48) * 60L;
  }
  return sum;
}

TEST_F(RunningService, is_ready_once_the_files_are_read_and_says_what_it_knows) {
  start();
  EXPECT_EQ(get("/readyz").at("status"), "ready");
  EXPECT_EQ(get("/v1/zones").at("zones").size(), 3U);
  const json rows = get("/v1/intensity?zone=fr&from=" + at(k_start) + "&to=" + at(k_start + std::chrono::hours{2}));
  ASSERT_EQ(rows.at("rows").size(), 2U);
  EXPECT_EQ(rows.at("rows")[0].at("gramsPerKwh"), grams_at(0, 48));
  EXPECT_EQ(rows.at("rows")[0].at("source"), "files");
}

TEST_F(RunningService, answers_the_best_slot_as_a_walk_by_the_minute_finds_it) {
  start();
  std::mt19937 random{7};
  const char* names[] = {"FR", "ES", "DE"};
  for (int question = 0; question < 40; ++question) {
    const Instant begin = k_start + std::chrono::minutes{60 + random() % 3000};
    const Duration duration = std::chrono::minutes{10 + random() % 600};
    const Duration freedom = std::chrono::minutes{random() % 1500};
    long best = std::numeric_limits<long>::max();
    Instant best_start{};
    int best_zone = 0;
    for (Instant t = begin; t <= begin + freedom; t += std::chrono::minutes{1}) {
      for (int zone = 0; zone < 3; ++zone) {
        const long cost = walked(zone, t, duration);
        if (cost < best) std::tie(best, best_start, best_zone) = std::tuple{cost, t, zone};
      }
    }
    const json answer = get("/v1/best-slot?zones=FR,ES,DE&duration=" + format_duration(duration) +
                            "&earliestStart=" + at(begin) + "&latestStart=" + at(begin + freedom));
    EXPECT_EQ(answer.at("best").at("start"), at(best_start)) << question;
    EXPECT_EQ(answer.at("best").at("zone"), names[best_zone]) << question;
    EXPECT_NEAR(answer.at("best").at("gramsPerKwh").get<double>(),
                static_cast<double>(best) / static_cast<double>(duration.count()), 0.0006);
  }
}

TEST_F(RunningService, lives_through_days_of_jobs_and_releases_none_early_or_late) {
  start("sites:\n  - {name: fr, zone: FR, capacity: {gpu: 8}}\n  - {name: es, zone: ES, capacity: {gpu: 8}}\n");
  std::map<std::string, json> submitted;
  for (int i = 0; i < 30; ++i) {
    const json job = post("/v1/jobs",
                          {{"id", "job-" + std::to_string(i)},
                           {"owner", "team"},
                           {"duration", "PT" + std::to_string(1 + i % 5) + "H"},
                           {"powerWatts", 1000 + i},
                           {"demand", {{"gpu", 4}}},
                           {"maxWait", "PT" + std::to_string(12 + i) + "H"}},
                          201);
    ASSERT_TRUE(job.contains("startBy")) << job.dump();
    submitted[job.at("id")] = job;
  }
  std::map<std::string, Instant> released;
  for (int hour = 1; hour <= 60; ++hour) {
    move_to(k_start + std::chrono::hours{hour} + std::chrono::seconds{1});
    const json now_released = get("/v1/jobs?state=released&limit=100");
    for (const json& job : now_released.at("jobs")) {
      const std::string id = job.at("id");
      const Instant start = *parse_instant(job.at("slot").at("start").get<std::string>());
      released[id] = *parse_instant(job.at("releasedAt").get<std::string>());
      EXPECT_GE(released[id], start) << id;
      EXPECT_LE(released[id], *parse_instant(job.at("startBy").get<std::string>())) << id;
      post("/v1/jobs/" + id + "/started", json::object());
    }
    const json now_running = get("/v1/jobs?state=running&limit=100");
    for (const json& job : now_running.at("jobs")) {
      if (*parse_instant(job.at("slot").at("end").get<std::string>()) > k_start + std::chrono::hours{hour}) continue;
      post("/v1/jobs/" + job.at("id").get<std::string>() + "/finished", {{"outcome", "succeeded"}});
    }
  }
  EXPECT_EQ(released.size(), submitted.size());
  EXPECT_EQ(get("/v1/jobs?state=waiting").at("jobs").size(), 0U);
}

TEST_F(RunningService, keeps_its_jobs_over_a_restart) {
  start();
  post("/v1/jobs", {{"id", "kept"}, {"duration", "PT1H"}, {"powerWatts", 500}, {"maxWait", "PT20H"}}, 201);
  const json before = get("/v1/jobs/kept");
  service_.reset();
  start();
  EXPECT_EQ(get("/v1/jobs/kept").at("startBy"), before.at("startBy"));
  EXPECT_EQ(get("/v1/jobs/kept").at("state"), "waiting");
}

TEST_F(RunningService, a_changed_file_is_read_again) {
  start();
  std::ofstream{folder_ / "intensity" / "FR.csv"} << "datetime_utc,gco2_kwh_lifecycle\n2027-03-01T00:00:00Z,7\n";
  move_to(k_start + std::chrono::seconds{30});
  const json rows = get("/v1/intensity?zone=FR&from=" + at(k_start) + "&to=" + at(k_start + std::chrono::hours{1}));
  EXPECT_EQ(rows.at("rows")[0].at("gramsPerKwh"), 7.0);
}

TEST_F(RunningService, what_another_program_writes_to_its_database_is_noticed) {
  start();
  get("/v1/intensity?zone=PT", 422);
  std::ofstream{folder_ / "PT.csv"} << "datetime_utc,gco2_kwh_lifecycle\n2027-03-01T00:00:00Z,77\n";
  std::ostringstream out, err;
  const runtime::TestClock clock{k_start};
  const int exit = cli::run_cli(
      {"ingest", "--intensity", (folder_ / "PT.csv").string(), "--database", (folder_ / "valle.db").string()},
      {.out = out, .err = err, .terminal = false, .clock = clock, .environment = {}});
  ASSERT_EQ(exit, 0) << err.str();
  move_to(k_start + std::chrono::seconds{30});
  const json rows = get("/v1/intensity?zone=PT&from=" + at(k_start) + "&to=" + at(k_start + std::chrono::hours{1}));
  ASSERT_EQ(rows.at("rows").size(), 1U) << rows.dump();
  EXPECT_EQ(rows.at("rows")[0].at("gramsPerKwh"), 77.0);
}

TEST_F(RunningService, values_refused_at_the_door_are_shown_and_counted) {
  std::ofstream{folder_ / "intensity" / "PT.csv"} << "datetime_utc,gco2_kwh_lifecycle\n2027-02-28T20:00:00Z,0\n"
                                                     "2027-02-28T21:00:00Z,99999\n2027-02-28T22:00:00Z,120\n";
  start();
  const json zones = get("/v1/zones").at("zones");
  const auto portugal = std::find_if(zones.begin(), zones.end(), [](const json& zone) { return zone["zone"] == "PT"; });
  ASSERT_NE(portugal, zones.end());
  const json rejected = portugal->at("rejected");
  ASSERT_EQ(rejected.size(), 2U) << rejected.dump();
  EXPECT_EQ(rejected[0].at("source"), "files");
  EXPECT_EQ(rejected[0].at("reason"), "implausible");
  EXPECT_EQ(rejected[0].at("latestStart"), "2027-02-28T21:00:00Z");
  EXPECT_EQ(rejected[1].at("reason"), "zero");
  EXPECT_GE(rejected[1].at("count"), 1);
  const std::string metrics = text_of("/metrics");
  const auto count = std::to_string(rejected[1].at("count").get<int>());
  EXPECT_NE(metrics.find("valle_readings_rejected_total{zone=\"PT\",source=\"files\",reason=\"zero\"} " + count + "\n"),
            std::string::npos)
      << metrics;
  EXPECT_EQ(zones[0].at("rejected"), json::array());
}

TEST_F(RunningService, requests_to_sources_are_counted_by_how_they_ended) {
  start();
  const auto asked = [&](const std::string& outcome) {
    const std::string name = "valle_source_requests_total{source=\"files\",outcome=\"" + outcome + "\"} ";
    const std::string metrics = text_of("/metrics");
    const auto found = metrics.find(name);
    return found == std::string::npos ? 0.0 : std::stod(metrics.substr(found + name.size()));
  };
  const double before = asked("data");
  EXPECT_GE(before, 3) << "one a zone";
  move_to(k_start + std::chrono::hours{2});
  EXPECT_GE(asked("data"), before + 3) << "once more an hour and zone";
}

TEST_F(RunningService, a_taken_port_a_taken_database_and_a_bad_one_are_refused) {
  start();
  const std::string url = service_->url();
  const auto config = [&](const std::string& yaml) { return *runtime::parse_config(yaml, "v.yaml", folder_.path()); };
  const auto taken = Service::start({.config = config("listen: " + url.substr(7) + "\ndatabase: other.db\n")});
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().pointer, url.substr(7));
  const auto second = Service::start({.config = config("listen: 127.0.0.1:0\ndatabase: valle.db\n")});
  ASSERT_FALSE(second) << "two services never plan on one database";
  EXPECT_EQ(second.error().code, Errc::storage_failed);
  std::ofstream{folder_ / "bad.db"} << std::string(8192, 'x');
  const auto bad = Service::start({.config = config("listen: 127.0.0.1:0\ndatabase: bad.db\n")});
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code, Errc::storage_failed);
}

}  // namespace
}  // namespace valle::service
