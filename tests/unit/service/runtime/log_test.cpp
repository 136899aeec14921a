// SPDX-License-Identifier: Apache-2.0
#include "service/runtime/log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <vector>

namespace valle::service::runtime {
namespace {

using testing::ElementsAre;

class Log : public testing::Test {
 protected:
  Log() {
    log::set_sink([this](std::string_view line) { lines_.emplace_back(line); });
  }
  ~Log() override {
    log::set_sink({});
    log::set_level(log::Level::info);
  }
  std::vector<std::string> lines_;
};

TEST_F(Log, an_event_is_one_line_of_keys_and_values) {
  log::info("job_released",
            {{"job", "j1"}, {"zone", std::string{"FR"}}, {"jobs", 3}, {"late", false}, {"seconds", 0.25}});
  EXPECT_THAT(lines_, ElementsAre("info event=job_released job=j1 zone=FR jobs=3 late=false seconds=0.25"));
}

TEST_F(Log, values_with_blanks_quotes_or_control_characters_cannot_forge_a_line) {
  log::error("refused",
             {{"detail", "no \"zone\"\nerror event=faked"}, {"path", "a\\b"}, {"empty", ""}, {"bell", "\a"}});
  EXPECT_THAT(
      lines_,
      ElementsAre(R"(error event=refused detail="no \"zone\"\nerror event=faked" path="a\\b" empty="" bell="\x07")"));
}

TEST_F(Log, what_is_below_the_level_is_not_written) {
  log::debug("request");
  log::set_level(log::Level::error);
  log::warning("stale");
  log::error("broken");
  log::set_level(log::Level::off);
  log::error("unheard");
  EXPECT_THAT(lines_, ElementsAre("error event=broken"));
}

TEST_F(Log, an_instant_is_written_in_utc) {
  log::info("planned", {{"start", scheduler::Instant{std::chrono::sys_days{std::chrono::year{2021} / 6 / 9}}}});
  EXPECT_THAT(lines_, ElementsAre("info event=planned start=2021-06-09T00:00:00Z"));
}

TEST(LogLevel, is_read_by_name_and_anything_else_is_refused) {
  EXPECT_EQ(log::parse_level("debug"), log::Level::debug);
  EXPECT_EQ(log::parse_level("warn"), log::Level::warning);
  EXPECT_EQ(log::parse_level("off"), log::Level::off);
  EXPECT_EQ(log::parse_level("loud").error().code, scheduler::Errc::invalid_request);
}

template <class T>
concept Printable = requires(std::ostringstream& out, const T& value) {
  out << value;
};
template <class T>
concept Loggable = std::constructible_from<log::Field, std::string_view, const T&>;

using connectors::Secret;

TEST(Secret, can_be_neither_printed_nor_logged) {
  static_assert(Printable<std::string> && !Printable<Secret>);
  static_assert(Loggable<std::string> && !Loggable<Secret>);
  static_assert(!std::convertible_to<Secret, std::string_view>);
  EXPECT_EQ(Secret{"abc"}.reveal(), "abc");
}

}  // namespace
}  // namespace valle::service::runtime
