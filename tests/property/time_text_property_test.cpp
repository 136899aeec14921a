// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "scheduler/units/time.hpp"

namespace valle::scheduler {
namespace {

/// A text near one that is read: characters put in, taken out, changed, doubled or moved to the end.
std::string mutated(std::string text, std::mt19937_64& random) {
  constexpr std::string_view k_alphabet{"0123456789-+:.,TtZz PWDHMSdhmsYe\0é", 36};
  const auto below = [&random](std::size_t end) {
    return std::uniform_int_distribution<std::size_t>{0, end - 1}(random);
  };
  for (std::size_t changes = below(4) + 1; changes > 0; --changes) {
    const std::size_t place = below(text.size() + 1);
    const char c = k_alphabet[below(k_alphabet.size())];
    switch (below(4)) {
      case 0: text.insert(place, 1, c); break;
      case 1: text.erase(place, 1); break;
      case 2: text += text.substr(place); break;
      default:
        if (place < text.size()) text[place] = c;
    }
  }
  return text;
}

TEST(TimeTextProperty, whatever_is_read_as_an_instant_prints_as_the_same_instant) {
  std::mt19937_64 random{1};
  constexpr std::string_view k_seeds[] = {"2027-07-15T06:00:00Z", "2028-02-29 23:59:59.999+02:00",
                                          "1970-01-01T00:00-0330"};
  int read = 0;
  for (int i = 0; i < 60'000; ++i) {
    const std::string text = mutated(std::string{k_seeds[i % 3]}, random);
    for (const Fraction fraction : {Fraction::down, Fraction::up}) {
      const auto instant = parse_instant(text, fraction);
      if (!instant) {
        ASSERT_EQ(instant.error().code, Errc::invalid_request);
        ASSERT_FALSE(instant.error().detail.empty());
        continue;
      }
      ++read;
      ASSERT_EQ(parse_instant(format_instant(*instant)), instant) << text;
      ASSERT_LE(*parse_instant(text, Fraction::down), *instant) << text;
    }
  }
  EXPECT_GT(read, 2'000);
}

TEST(TimeTextProperty, whatever_is_read_as_a_duration_prints_as_the_same_duration) {
  std::mt19937_64 random{2};
  constexpr std::string_view k_seeds[] = {"P1DT2H30M5S", "PT0.5H", "1d6h30m", "5400", "P2W"};
  int read = 0;
  for (int i = 0; i < 100'000; ++i) {
    const std::string text = mutated(std::string{k_seeds[i % 5]}, random);
    const auto duration = parse_duration(text);
    if (!duration) {
      ASSERT_EQ(duration.error().code, Errc::invalid_request);
      ASSERT_FALSE(duration.error().detail.empty());
      continue;
    }
    ++read;
    ASSERT_GE(*duration, Duration{0}) << text;
    ASSERT_EQ(parse_duration(format_duration(*duration)), duration) << text;
  }
  EXPECT_GT(read, 10'000);
}

}  // namespace
}  // namespace valle::scheduler
