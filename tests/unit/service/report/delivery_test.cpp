// SPDX-License-Identifier: Apache-2.0
#include "service/report/delivery.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/support/planning_world.hpp"

namespace valle::service::report {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using tests::hours;
using tests::PlanningWorld;

/// A Wednesday; the last finished week is 2027-W24.
constexpr std::string_view k_now = "2027-06-23T08:00:00Z";

class DeliveryTest : public ::testing::Test {
 protected:
  Delivery delivery(const runtime::ReportSchedule& schedule) {
    return {
        Delivery::Services{.clock = world_.clock,
                           .timers = world_.timers,
                           .reports = *world_.reports,
                           .store = *world_.store,
                           .blocking = world_.questions,
                           .send = [this](const std::string& url, const std::string& json) -> scheduler::Result<void> {
                             if (refuse_) return scheduler::refuse(scheduler::Errc::source_unavailable, "away");
                             sent_.push_back(url + " " + json);
                             return {};
                           }},
        schedule};
  }
  std::string post_run(const std::string& id) {
    return world_
        .call("POST", "/v1/runs",
              R"([{"id":")" + id +
                  R"(","site":"es","submittedAt":"2027-06-14T08:00:00Z","startedAt":"2027-06-14T08:00:00Z",)"
                  R"("finishedAt":"2027-06-14T09:00:00Z","energyKwh":1}])")
        .text;
  }

  PlanningWorld world_{k_now, hours("ES", "2027-06-14T08:00:00Z", {200, 210})};
  fs::path folder_ = world_.folder / "reports";
  std::vector<std::string> sent_;
  bool refuse_ = false;
};

TEST_F(DeliveryTest, finished_weeks_are_written_once_and_again_when_a_number_changes) {
  post_run("a");
  auto sender = delivery({.folder = folder_, .formats = {"json", "csv"}});
  EXPECT_EQ(sender.look(), 2u * Delivery::k_weeks);
  EXPECT_TRUE(fs::exists(folder_ / "2027-W24-r1.json"));
  EXPECT_TRUE(fs::exists(folder_ / "2027-W20-r1.csv"));
  EXPECT_FALSE(fs::exists(folder_ / "2027-W25-r1.json")) << "it is not over";
  EXPECT_EQ(sender.look(), 0u);
  post_run("b");
  EXPECT_EQ(sender.look(), 2u);
  std::ifstream file{folder_ / "2027-W24-r2.json"};
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(api::Json::parse(text.str()).at("totals").at("jobs"), 2);
}

TEST_F(DeliveryTest, a_week_is_due_only_some_time_after_its_end) {
  auto sender = delivery({.folder = folder_, .formats = {"json"}, .after = std::chrono::hours{24 * 4}});
  (void)sender.look();
  EXPECT_FALSE(fs::exists(folder_ / "2027-W24-r1.json"));
  EXPECT_TRUE(fs::exists(folder_ / "2027-W23-r1.json"));
}

TEST_F(DeliveryTest, a_webhook_that_is_away_gets_the_report_at_a_later_look_and_no_report_twice) {
  post_run("a");
  auto sender = delivery({.webhook = "https://example.org/hook"});
  refuse_ = true;
  EXPECT_EQ(sender.look(), 0u);
  refuse_ = false;
  EXPECT_EQ(sender.look(), static_cast<std::size_t>(Delivery::k_weeks));
  ASSERT_THAT(sent_, SizeIs(Delivery::k_weeks));
  EXPECT_THAT(sent_.back(), HasSubstr("https://example.org/hook {\"week\":\"2027-W24\""));
  sent_.clear();
  EXPECT_EQ(sender.look(), 0u);
  EXPECT_THAT(sent_, IsEmpty());
}

TEST_F(DeliveryTest, a_folder_that_can_not_be_written_is_said_and_leaves_no_half_file) {
  std::ofstream{folder_} << "a file where the folder should be";
  auto sender = delivery({.folder = folder_, .formats = {"json"}});
  EXPECT_EQ(sender.look(), 0u);
  EXPECT_TRUE(fs::is_regular_file(folder_));
}

}  // namespace
}  // namespace valle::service::report
