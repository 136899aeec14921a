// SPDX-License-Identifier: Apache-2.0
#include "scheduler/energy/channels.hpp"

#include <gtest/gtest.h>

namespace valle::scheduler {
namespace {

TEST(Channels, that_hold_each_other_are_never_summed) {
  EXPECT_TRUE(check_domains(std::vector<std::string>{"package", "dram"}));
  EXPECT_TRUE(check_domains(std::vector<std::string>{"psys"}));
  const auto nested = check_domains(std::vector<std::string>{"psys", "package"});
  ASSERT_FALSE(nested);
  EXPECT_EQ(nested.error().code, Errc::invalid_request);
  EXPECT_NE(nested.error().detail.find("psys contains package"), std::string::npos);
  EXPECT_FALSE(check_domains(std::vector<std::string>{"core", "package"}));
  EXPECT_FALSE(check_domains(std::vector<std::string>{"package", "package"}));
  EXPECT_FALSE(check_domains(std::vector<std::string>{"battery"}));
}

TEST(Channels, of_single_cores_are_parts_of_the_package) {
  const std::vector<Channel> channels{
      {"package-0", 150}, {"core_0", 20}, {"core_1", 20}, {"core_2", 20}, {"core_3", 20}};
  EXPECT_DOUBLE_EQ(watts_of_outermost(channels), 150);
}

TEST(Channels, of_two_packages_and_memory_are_summed) {
  EXPECT_DOUBLE_EQ(watts_of_outermost(std::vector<Channel>{{"package-0", 90}, {"package-1", 80}, {"dram", 20}}), 190);
  EXPECT_DOUBLE_EQ(watts_of_outermost(std::vector<Channel>{{"psys", 300}, {"package-0", 90}, {"dram", 20}}), 300);
}

}  // namespace
}  // namespace valle::scheduler
