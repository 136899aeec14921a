// SPDX-License-Identifier: Apache-2.0
#include "service/http/auth.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

namespace valle::service::http {
namespace {

using scheduler::Errc;
using testing::HasSubstr;

BearerTokens tokens(std::string_view text) {
  auto read = BearerTokens::parse(text, "tokens");
  EXPECT_TRUE(read) << (read ? "" : read.error().detail);
  return *read;
}

TEST(BearerTokens, a_known_token_is_its_owner) {
  const BearerTokens known = tokens("# people\n\n ana: 0123456789abcdef \r\nfedcba9876543210\n");
  EXPECT_EQ(known.check("Bearer 0123456789abcdef"), "ana");
  EXPECT_EQ(known.check("bearer   0123456789abcdef "), "ana");
  EXPECT_EQ(known.check("Bearer fedcba9876543210"), "token-4");
}

TEST(BearerTokens, everything_else_is_unauthorized) {
  const BearerTokens known = tokens("ana:0123456789abcdef");
  for (const std::string_view wrong : {"", "Bearer", "Bearer ", "Bearer 0123456789abcde", "Bearer 0123456789abcdef0",
                                       "Basic 0123456789abcdef", "0123456789abcdef", "Bearer ana:0123456789abcdef"}) {
    const auto caller = known.check(wrong);
    ASSERT_FALSE(caller) << wrong;
    EXPECT_EQ(caller.error().code, Errc::unauthorized);
    EXPECT_THAT(caller.error().detail, testing::Not(HasSubstr("0123"))) << "never echoed";
  }
}

TEST(BearerTokens, a_malformed_file_is_refused_with_its_line) {
  const auto error = [](std::string_view text) { return BearerTokens::parse(text, "tokens").error(); };
  EXPECT_EQ(error("").pointer, "tokens");
  EXPECT_EQ(error("# none\n").pointer, "tokens");
  EXPECT_EQ(error("0123456789abcdef\nshort\n").pointer, "tokens:2");
  EXPECT_EQ(error("0123456789 abcdef\n").pointer, "tokens:1");
  EXPECT_EQ(error(":0123456789abcdef\n").pointer, "tokens:1");
  EXPECT_EQ(error("a:0123456789abcdef\nb:0123456789abcdef\n").pointer, "tokens:2");
  EXPECT_EQ(error(std::string(513, 'x')).pointer, "tokens:1");
  EXPECT_THAT(error("secret\n").detail, testing::Not(HasSubstr("secret"))) << "secrets are never echoed";
}

TEST(BearerTokens, are_loaded_from_a_file) {
  const std::string path = testing::TempDir() + "valle_tokens_" + std::to_string(getpid());
  std::ofstream{path} << "ana:0123456789abcdef\n";
  EXPECT_TRUE(BearerTokens::load(path));
  std::ofstream{path} << std::string((1u << 20) + 1, '#');
  EXPECT_THAT(BearerTokens::load(path).error().detail, HasSubstr("1 MB"));
  std::remove(path.c_str());
  EXPECT_EQ(BearerTokens::load(path).error().pointer, path);
  EXPECT_FALSE(BearerTokens::load(testing::TempDir())) << "a folder";
}

}  // namespace
}  // namespace valle::service::http
