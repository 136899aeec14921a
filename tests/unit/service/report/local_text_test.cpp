// SPDX-License-Identifier: Apache-2.0
#include "service/report/page/local_text.hpp"

#include <gtest/gtest.h>

#include <set>

namespace valle::service::report {
namespace {

const LocalText k_english{english()};
const LocalText k_german{german()};
const LocalText k_french{french()};

TEST(LocalText, groups_digits_and_rounds_halves_away_from_zero) {
  EXPECT_EQ(k_english.number(1234567, 3, 1), "1,234.6");
  EXPECT_EQ(k_german.number(1234567, 3, 1), "1.234,6");
  EXPECT_EQ(k_french.number(1234567, 0, 0), "1\u202f234\u202f567");
  EXPECT_EQ(k_english.number(-1250, 3, 1), "−1.3");
  EXPECT_EQ(k_english.number(5, 0, 2), "5.00");
  EXPECT_EQ(k_english.number(0, 3, 0), "0");
  EXPECT_EQ(k_english.number(-4, 3, 2), "0.00") << "nothing is less than zero once rounded";
}

TEST(LocalText, masses_and_energies_choose_the_unit_that_reads_best) {
  EXPECT_EQ(k_english.mass(389'740), "389.7\u00a0g");
  EXPECT_EQ(k_english.mass(1'824'940), "1.82\u00a0kg");
  EXPECT_EQ(k_english.mass(2'500'000'000), "2.50\u00a0t");
  EXPECT_EQ(k_english.mass(-1'824'940), "−1.82\u00a0kg");
  EXPECT_EQ(k_english.mass(0), "0.00\u00a0g");
  EXPECT_EQ(k_german.energy(12'000'000), "12,00\u00a0kWh");
  EXPECT_EQ(k_english.energy(1'500'000'000), "1,500\u00a0kWh");
  EXPECT_EQ(k_english.energy(15'000'000'000), "15.00\u00a0MWh");
  EXPECT_EQ(k_english.energy(250), "0.25\u00a0Wh");
}

TEST(LocalText, a_share_of_nothing_is_a_dash_not_zero) {
  EXPECT_EQ(k_english.percent(1, 4), "25.0\u00a0%");
  EXPECT_EQ(k_german.percent(-1, 3), "−33,3\u00a0%");
  EXPECT_EQ(k_english.percent(1, 0), "–");
}

TEST(LocalText, durations_have_two_units) {
  using namespace std::chrono_literals;
  EXPECT_EQ(k_english.duration(0s), "0\u00a0min");
  EXPECT_EQ(k_english.duration(29s), "0\u00a0min");
  EXPECT_EQ(k_english.duration(17h + 26min), "17\u00a0h 26\u00a0min");
  EXPECT_EQ(k_english.duration(51h), "2\u00a0d 3\u00a0h");
  EXPECT_EQ(k_french.duration(24h), "1\u00a0j 0\u00a0h");
}

TEST(LocalText, dates_have_the_order_and_the_month_of_the_language) {
  EXPECT_EQ(k_english.date("2026-11-03 22:15"), "3 Nov 2026 22:15");
  EXPECT_EQ(k_german.date("2026-03-09"), "9. März 2026");
  EXPECT_EQ(k_french.date("2026-08-30"), "30 août 2026");
  EXPECT_EQ(k_english.date("never"), "never");
}

TEST(Escaped, markup_in_names_stays_text) {
  EXPECT_EQ(escaped("<script>\"a\" & 'b'</script>"), "&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;&lt;/script&gt;");
}

TEST(Filled, unknown_places_and_braces_stay) {
  EXPECT_EQ(filled("{0} of {1}", {"a", "b"}), "a of b");
  EXPECT_EQ(filled("{1} {", {"a"}), "{1} {");
  EXPECT_EQ(filled("{0}", {"{1}", "x"}), "{1}") << "what is put in is not filled again";
}

TEST(ParseLanguage, four_are_known_and_others_refused_at_their_place) {
  for (const char* tag : {"en", "es", "fr", "de"}) {
    const auto language = parse_language(tag);
    ASSERT_TRUE(language) << tag;
    EXPECT_EQ(to_text(*language), tag);
    EXPECT_EQ(words(*language).tag, tag);
  }
  const auto refused = parse_language("it", "/lang");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().pointer, "/lang");
  EXPECT_NE(refused.error().detail.find("en, es, fr or de"), std::string::npos);
}

/// The places `{n}` of a text.
std::multiset<char> places(std::string_view text) {
  std::multiset<char> found;
  for (std::size_t i = 0; i + 2 < text.size(); ++i) {
    if (text[i] == '{' && text[i + 2] == '}') found.insert(text[i + 1]);
  }
  return found;
}

constexpr std::string_view Words::*k_texts[] = {&Words::title,
                                                &Words::week,
                                                &Words::revision,
                                                &Words::supersedes,
                                                &Words::filter,
                                                &Words::nothing_finished,
                                                &Words::nothing_assessed,
                                                &Words::summary_saved,
                                                &Words::summary_lost,
                                                &Words::uncertainty,
                                                &Words::not_proven,
                                                &Words::left_out,
                                                &Words::saved,
                                                &Words::emitted,
                                                &Words::baseline,
                                                &Words::energy,
                                                &Words::at_the_meter,
                                                &Words::jobs,
                                                &Words::shifted,
                                                &Words::deadlines,
                                                &Words::deadlines_met,
                                                &Words::mean_wait,
                                                &Words::split,
                                                &Words::by_time,
                                                &Words::by_place,
                                                &Words::by_efficiency,
                                                &Words::planned,
                                                &Words::split_note,
                                                &Words::week_picture,
                                                &Words::week_note,
                                                &Words::intensity_axis,
                                                &Words::energy_axis,
                                                &Words::day_picture,
                                                &Words::day_note,
                                                &Words::owner_picture,
                                                &Words::owner_note,
                                                &Words::wait_picture,
                                                &Words::wait_note,
                                                &Words::wait_axis,
                                                &Words::jobs_axis,
                                                &Words::late,
                                                &Words::no_owner,
                                                &Words::other_owners,
                                                &Words::no_data,
                                                &Words::owners,
                                                &Words::owner,
                                                &Words::assessed,
                                                &Words::saved_share,
                                                &Words::largest,
                                                &Words::largest_note,
                                                &Words::job,
                                                &Words::site,
                                                &Words::site_alone,

                                                &Words::started,
                                                &Words::wait,
                                                &Words::inventory,
                                                &Words::inventory_note,
                                                &Words::zone,
                                                &Words::location_based,
                                                &Words::market_based,
                                                &Words::factor,
                                                &Words::no_factor,
                                                &Words::without_intensity,
                                                &Words::coverage,
                                                &Words::coverage_energy,
                                                &Words::coverage_intensity,
                                                &Words::measured,
                                                &Words::estimated,
                                                &Words::unknown,
                                                &Words::fallback,
                                                &Words::missing,
                                                &Words::method,
                                                &Words::data,
                                                &Words::made_by};

TEST(Words, every_language_says_everything_with_the_same_places) {
  for (const Words* other : {&spanish(), &french(), &german()}) {
    for (const auto text : k_texts) {
      EXPECT_FALSE((other->*text).empty()) << other->tag << ": " << english().*text;
      EXPECT_EQ(places(other->*text), places(english().*text)) << other->tag << ": " << other->*text;
    }
  }
}

}  // namespace
}  // namespace valle::service::report
