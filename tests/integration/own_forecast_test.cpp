// SPDX-License-Identifier: Apache-2.0
// The whole service where no source tells of the time ahead: it forecasts by itself.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "service/service.hpp"
#include "tests/support/http/client.hpp"
#include "tests/support/temporary_folder.hpp"

namespace valle::service {
namespace {

using namespace scheduler;
using nlohmann::json;
using std::chrono::hours;

const Instant k_now = *parse_instant("2027-03-01T00:00:00Z");

std::string at(Instant instant) { return format_instant(instant); }

/// Cleanest around noon UTC, dirtiest around midnight, with some weather.
class OwnForecasts : public ::testing::Test {
 protected:
  void write_history(int history_days, int future_hours = 0, const std::vector<int>& shifts = {}) {
    std::filesystem::create_directory(folder_ / "intensity");
    std::ofstream file{folder_ / "intensity" / "FR.csv"};
    file << "datetime_utc,gco2_kwh_lifecycle,price_eur_mwh\n";
    std::mt19937 random{3};
    std::uniform_real_distribution<double> noise{-2, 2};
    double weather = 0;
    for (int hour = -24 * history_days; hour < future_hours; ++hour) {
      weather = 0.97 * weather + noise(random);
      // The clean hours wander by `shifts`, from day to day; only the day's prices tell where they lie.
      const double shift =
          shifts.empty() ? 0 : shifts[static_cast<std::size_t>(hour + 24 * history_days) / 24 % shifts.size()];
      const double grams = 60 + 20 * std::cos((hour - shift) / 24.0 * 6.283185) + weather;
      file << at(k_now + hours{hour}) << "," << grams << "," << 2 * grams - 50 << "\n";
    }
  }

  void start() {
    auto config =
        runtime::parse_config("listen: 127.0.0.1:0\ndatabase: valle.db\nsources:\n  - {kind: files, path: intensity}\n",
                              "valle.yaml", folder_.path());
    ASSERT_TRUE(config) << config.error().detail;
    service_.reset();
    auto service = Service::start({.config = *std::move(config), .test_clock = k_now, .solver_threads = 1});
    ASSERT_TRUE(service) << service.error().detail;
    service_ = *std::move(service);
    move_to(k_now);  // settles what the start has set off
  }

  json call(const std::string& method, const std::string& target, const std::string& body, int status) {
    const std::string url = service_->url();
    tests::Client client{static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)))};
    EXPECT_TRUE(client.send(method + " " + target + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: " +
                            std::to_string(body.size()) + "\r\n\r\n" + body));
    const tests::Reply reply = client.receive();
    EXPECT_EQ(reply.status, status) << method << " " << target << " " << reply.body;
    return json::parse(reply.body, nullptr, false);
  }
  json get(const std::string& target, int status = 200) { return call("GET", target, "", status); }
  json post(const std::string& target, const json& body, int status = 200) {
    return call("POST", target, body.dump(), status);
  }
  void move_to(Instant instant) { post("/test/clock", {{"now", at(instant)}}); }

  tests::TemporaryFolder folder_;
  std::unique_ptr<Service> service_;
};

TEST_F(OwnForecasts, go_on_where_the_files_end_and_say_how_sure_they_are) {
  write_history(30);
  start();
  const json answer = get("/v1/best-slot?zones=FR&duration=PT4H&maxWait=PT24H");
  const Instant begins = *parse_instant(answer.at("best").at("start").get<std::string>());
  EXPECT_GE(begins, k_now + hours{8});
  EXPECT_LE(begins, k_now + hours{12});
  EXPECT_TRUE(answer.at("limitedBy").is_null());
  const json& data = answer.at("data")[0];
  EXPECT_EQ(data.at("source"), "valle");
  EXPECT_EQ(data.at("kind"), "forecast");
  EXPECT_EQ(data.at("grade"), "fair");
  EXPECT_EQ(data.at("ownForecast").at("model"), "untrained");

  const json forecast = get("/v1/forecast?zone=FR");
  EXPECT_EQ(forecast.at("source"), "valle");
  EXPECT_EQ(forecast.at("grade"), "fair");
  ASSERT_EQ(forecast.at("rows").size(), 168U);
  for (const json& row : forecast.at("rows")) {
    EXPECT_LE(row.at("lowGramsPerKwh"), row.at("gramsPerKwh"));
    EXPECT_LE(row.at("gramsPerKwh"), row.at("highGramsPerKwh"));
  }
  const json rows = get("/v1/intensity?zone=FR&from=" + at(k_now - hours{1}) + "&to=" + at(k_now + hours{1}));
  EXPECT_EQ(rows.at("rows")[0].at("source"), "files");
  EXPECT_EQ(rows.at("rows")[1].at("source"), "valle");
  EXPECT_EQ(rows.at("rows")[1].at("kind"), "forecast");
}

TEST_F(OwnForecasts, plan_jobs_of_which_no_provider_knows_the_time_ahead) {
  write_history(30);
  start();
  const json job = post("/v1/jobs", {{"id", "a"}, {"duration", "PT4H"}, {"maxWait", "PT24H"}}, 201);
  ASSERT_TRUE(job.contains("slot")) << job.dump();
  EXPECT_GE(*parse_instant(job.at("slot").at("start").get<std::string>()), k_now + hours{8});
}

TEST_F(OwnForecasts, are_kept_by_issue_and_made_anew_for_each_hour) {
  write_history(30);
  start();
  const json first = get("/v1/forecast?zone=FR");
  move_to(k_now + hours{3});
  const json later = get("/v1/forecast?zone=FR");
  EXPECT_EQ(*parse_instant(later.at("issuedAt").get<std::string>()), k_now + hours{3} - std::chrono::seconds{90});
  EXPECT_EQ(get("/v1/forecast?zone=FR&issuedAt=" + at(k_now)), first);
}

TEST_F(OwnForecasts, leave_a_file_alone_that_tells_of_the_time_ahead) {
  write_history(30, 6);
  start();
  const json answer = get("/v1/best-slot?zones=FR&duration=PT4H&maxWait=PT24H");
  EXPECT_EQ(answer.at("limitedBy"), "data");
  EXPECT_EQ(answer.at("data")[0].at("source"), "files");
  EXPECT_TRUE(answer.at("data")[0].at("ownForecast").is_null());
  EXPECT_EQ(get("/v1/forecast?zone=FR").at("rows").size(), 6U);
  // Once its last hour has passed, nothing tells of the time ahead any more.
  move_to(k_now + hours{7});
  EXPECT_EQ(get("/v1/best-slot?zones=FR&duration=PT4H&maxWait=PT24H").at("data")[0].at("source"), "valle");
}

TEST_F(OwnForecasts, serve_a_trained_model_once_there_is_enough_to_learn_from_and_outlive_a_restart) {
  write_history(150, 0, {0, 5, -6, 9, 2, -4, 11, -9, 7, -2, 4});
  start();
  const json forecast = get("/v1/forecast?zone=FR");
  EXPECT_EQ(forecast.at("grade"), "good") << forecast.at("reason");
  EXPECT_EQ(forecast.at("model").get<std::string>().substr(0, 8), "trained/");
  const json zone = get("/v1/zones").at("zones")[0];
  ASSERT_EQ(zone.at("sources").size(), 2U);
  EXPECT_EQ(zone.at("sources")[1].at("source"), "valle");
  EXPECT_EQ(zone.at("sources")[1].at("grade"), "good");
  service_.reset();
  start();
  EXPECT_EQ(get("/v1/forecast?zone=FR"), forecast);
}

TEST_F(OwnForecasts, are_not_made_from_a_day_of_history) {
  write_history(1);
  start();
  get("/v1/best-slot?zones=FR&duration=PT4H&maxWait=PT24H", 503);
  get("/v1/forecast?zone=FR", 503);
}

}  // namespace
}  // namespace valle::service
