// SPDX-License-Identifier: Apache-2.0
#include "connectors/door/door.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "connectors/door/cut.hpp"
#include "tests/support/connectors/rows.hpp"

namespace valle::connectors {
namespace {

using scheduler::CarbonIntensity;
using scheduler::RejectionReason;
using scheduler::Zone;
using tests::at;

const Zone k_france = Zone::of("FR");
const scheduler::Instant k_hour = at("2027-02-03T00:00:00Z");

/// The admitted value in mg/kWh, or the reason's word.
std::string said(RawNumber value, std::string_view unit = "g/kWh", const Door& door = {}) {
  const auto admitted = door.admit(k_france, k_hour, value, intensity_unit_from_text(unit));
  return admitted ? std::to_string(admitted->base()) : std::string{to_text(admitted.error().reason)};
}

TEST(Door, brings_each_unit_to_grams_per_kilowatt_hour) {
  EXPECT_EQ(said(RawNumber::of(0.0832), "t/MWh"), "83200");
  EXPECT_EQ(said(RawNumber::of(310.5), "kg/MWh"), "310500");
  EXPECT_EQ(said(RawNumber::of(642), "lb/MWh"), "291206");
  EXPECT_EQ(said(RawNumber::of(57), "g/kWh"), "57000");
  EXPECT_EQ(said(RawNumber::of(41), "gCO2eq/kWh"), "41000");
  EXPECT_EQ(said(RawNumber::of(41), "gCO₂eq/kWh"), "41000");
  EXPECT_EQ(said(RawNumber::of(0.2), "tCO2eq/MWh"), "200000");
}

TEST(Door, refuses_an_unknown_unit_instead_of_guessing) {
  for (const auto* unit : {"No Unit", "", "g", "kWh", "kg/kWh", "EUR/MWh", "gCO3/kWh", "g/kWh/h", "t/MWhx"}) {
    EXPECT_EQ(said(RawNumber::of(88), unit), "unknown-unit") << unit;
  }
}

TEST(Door, keeps_missing_zero_implausible_and_not_a_number_apart) {
  EXPECT_EQ(said({RawNumber::State::absent, 0}), "missing");
  EXPECT_EQ(said({RawNumber::State::null, 0}), "missing");
  EXPECT_EQ(said({RawNumber::State::wrong_type, 0}), "not-a-number");
  EXPECT_EQ(said(RawNumber::of(std::nan(""))), "not-a-number");
  EXPECT_EQ(said(RawNumber::of(std::numeric_limits<double>::infinity())), "not-a-number");
  EXPECT_EQ(said(RawNumber::of(0)), "zero");
  EXPECT_EQ(said(RawNumber::of(-0.0)), "zero");
  EXPECT_EQ(said(RawNumber::of(-1)), "implausible");
  EXPECT_EQ(said(RawNumber::of(1e300)), "implausible");
  EXPECT_EQ(said(RawNumber::of(1e-300)), "implausible");
}

TEST(Door, takes_the_bounds_of_the_range_and_nothing_beyond) {
  EXPECT_EQ(said(RawNumber::of(1)), "1000");
  EXPECT_EQ(said(RawNumber::of(2000)), "2000000");
  EXPECT_EQ(said(RawNumber::of(0.999)), "implausible");
  EXPECT_EQ(said(RawNumber::of(2000.001)), "implausible");
}

TEST(Door, can_be_set_for_each_zone) {
  const Door door{{{k_france, {CarbonIntensity::of_base(10'000), CarbonIntensity::of_base(300'000)}}}};
  EXPECT_EQ(said(RawNumber::of(9), "g/kWh", door), "implausible");
  EXPECT_EQ(said(RawNumber::of(10), "g/kWh", door), "10000");
  EXPECT_TRUE(door.admit(Zone::of("DE"), k_hour, RawNumber::of(9)).has_value());
}

TEST(Door, only_flags_what_is_unusual_for_a_zone) {
  const scheduler::SeriesIdentity france{k_france, {}};
  EXPECT_FALSE(is_unusual(france, CarbonIntensity::of_base(200'000)));
  EXPECT_TRUE(is_unusual(france, CarbonIntensity::of_base(200'001)));
  EXPECT_FALSE(is_unusual({Zone::of("PL"), {}}, CarbonIntensity::of_base(900'000)));
  EXPECT_FALSE(is_unusual({k_france, {.scope = scheduler::Scope::direct}}, CarbonIntensity::of_base(2'000)));
}

TEST(Door, lets_prices_be_zero_and_negative_but_not_absurd) {
  EXPECT_EQ(admit_price(k_hour, RawNumber::of(-12.5))->base(), -12'500'000);
  EXPECT_EQ(admit_price(k_hour, RawNumber::of(0))->base(), 0);
  EXPECT_EQ(admit_price(k_hour, RawNumber::of(1e7)).error().reason, RejectionReason::implausible);
  EXPECT_EQ(admit_price(k_hour, {}).error().reason, RejectionReason::missing);
}

scheduler::IntensityReading row(std::string_view start, std::int64_t grams, std::string_view updated_at) {
  const auto begin = at(start);
  return {.identity = {k_france, {}},
          .interval = {begin, begin + std::chrono::hours{1}},
          .value = CarbonIntensity::of_base(grams * 1000),
          .updated_at = at(updated_at)};
}

TEST(PutInOrder, keeps_the_latest_revision_and_counts_only_equal_rows_as_duplicates) {
  scheduler::Harvest harvest;
  harvest.intensity = {row("2027-07-01T07:00:00Z", 190, "2027-07-01T13:00:00Z"),
                       row("2027-07-01T06:00:00Z", 187, "2027-07-03T09:30:00Z"),
                       row("2027-07-01T06:00:00Z", 212, "2027-07-01T12:05:00Z"),
                       row("2027-07-01T07:00:00Z", 190, "2027-07-01T13:00:00Z")};
  put_in_order(harvest);
  EXPECT_EQ(tests::table_of(harvest.intensity),
            "2027-07-01T06:00:00Z PT1H 187000 measured\n"
            "2027-07-01T07:00:00Z PT1H 190000 measured\n");
  EXPECT_EQ(harvest.duplicates, 1U);
}

TEST(AnswerFrom, keeps_rows_that_overlap_the_wanted_time_and_says_when_none_is_left) {
  scheduler::Harvest harvest;
  harvest.intensity = {row("2027-07-01T06:00:00Z", 187, "2027-07-03T09:30:00Z"),
                       row("2027-07-01T07:00:00Z", 190, "2027-07-01T13:00:00Z"),
                       row("2027-07-01T08:00:00Z", 180, "2027-07-01T13:00:00Z")};
  scheduler::SourceRequest request{.zone = k_france,
                                   .wanted = {at("2027-07-01T07:30:00Z"), at("2027-07-01T08:00:00Z")},
                                   .now = at("2027-07-02T00:00:00Z")};
  const auto answer = answer_from(harvest, request);
  EXPECT_EQ(answer.outcome, scheduler::Outcome::data);
  EXPECT_EQ(tests::table_of(answer.harvest.intensity), "2027-07-01T07:00:00Z PT1H 190000 measured\n");

  request.signal = scheduler::Signal::forecast;
  const auto none = answer_from(harvest, request);
  EXPECT_EQ(none.outcome, scheduler::Outcome::no_data);
  EXPECT_EQ(none.detail, "no forecast rows for this time");

  scheduler::Harvest refused;
  refused.rejected = {{k_hour, RejectionReason::zero, ""}};
  EXPECT_EQ(answer_from(refused, request).detail, "without usable data: 1 rows were refused, the first as zero");
}

}  // namespace
}  // namespace valle::connectors
