// SPDX-License-Identifier: Apache-2.0
#include "k8s/client/line_splitter.hpp"

#include <gtest/gtest.h>

#include <string>

namespace valle::k8s {
namespace {

TEST(LineSplitter, does_not_care_where_the_pieces_are_cut) {
  const std::string bytes = "alpha\nbeta\r\n\ngamma";
  for (std::size_t first = 0; first <= bytes.size(); ++first) {
    for (std::size_t second = first; second <= bytes.size(); ++second) {
      LineSplitter splitter{5};
      std::string lines;
      const LineSink sink = [&](std::string_view line) { return lines += std::string{line} + '|', Flow::more; };
      ASSERT_EQ(splitter.feed(bytes.substr(0, first), sink), LineSplitter::Outcome::more);
      ASSERT_EQ(splitter.feed(bytes.substr(first, second - first), sink), LineSplitter::Outcome::more);
      ASSERT_EQ(splitter.feed(bytes.substr(second), sink), LineSplitter::Outcome::more);
      ASSERT_EQ(splitter.finish(sink), LineSplitter::Outcome::more);
      ASSERT_EQ(lines, "alpha|beta|gamma|") << first << ' ' << second;
    }
  }
}

TEST(LineSplitter, ends_at_the_limit_and_when_there_is_enough) {
  const LineSink more = [](auto) { return Flow::more; };
  const LineSink enough = [](auto) { return Flow::enough; };
  EXPECT_EQ(LineSplitter{3}.feed("abc\n", more), LineSplitter::Outcome::more);
  EXPECT_EQ(LineSplitter{3}.feed("abcd", more), LineSplitter::Outcome::too_long);
  LineSplitter splitter{3};
  EXPECT_EQ(splitter.feed("ab", more), LineSplitter::Outcome::more);
  EXPECT_EQ(splitter.feed("cd\n", more), LineSplitter::Outcome::too_long);
  EXPECT_EQ(LineSplitter{3}.feed("a\nb\n", enough), LineSplitter::Outcome::enough);
  EXPECT_EQ(LineSplitter{3}.finish(enough), LineSplitter::Outcome::more);
}

}  // namespace
}  // namespace valle::k8s
