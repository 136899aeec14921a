// SPDX-License-Identifier: Apache-2.0
#include "scheduler/units/units.hpp"

#include <gtest/gtest.h>

namespace valle::scheduler {
namespace {

TEST(Units, a_kilowatt_for_an_hour_at_a_hundred_grams_is_a_hundred_grams) {
  const Energy energy = energy_of(power_from_watts(1000), std::chrono::hours{1});
  EXPECT_EQ(energy, energy_from_kwh(1));
  const IntensitySeconds integral = integral_of(intensity_from_grams_per_kwh(100), std::chrono::hours{1});
  EXPECT_EQ(grams(emissions_of(energy, k_one, integral, std::chrono::hours{1})), 100.0);
  EXPECT_EQ(emissions_of(power_from_watts(1000), k_one, integral),
            emissions_of(energy, k_one, integral, std::chrono::hours{1}));
}

TEST(Units, pue_scales_energy_and_emissions) {
  const Ratio pue = ratio_from_number(1.2);
  EXPECT_EQ(kwh(at_facility(energy_from_kwh(15.4), pue)), 18.48);
  const IntensitySeconds integral = integral_of(intensity_from_grams_per_kwh(50), std::chrono::hours{2});
  EXPECT_EQ(grams(emissions_of(energy_from_kwh(10), pue, integral, std::chrono::hours{2})), 600.0);
}

TEST(Units, the_largest_job_of_the_contract_stays_within_128_bits) {
  const Energy energy = energy_from_kwh(1e9);
  const std::chrono::seconds month = std::chrono::days{30};
  const IntensitySeconds integral = integral_of(intensity_from_grams_per_kwh(2000), month);
  EXPECT_EQ(grams(emissions_of(energy, ratio_from_number(2), integral, month)), 4e12);
}

TEST(Units, halves_round_away_from_zero) {
  EXPECT_EQ(divide_rounded(5, 2), 3);
  EXPECT_EQ(divide_rounded(-5, 2), -3);
  EXPECT_EQ(divide_rounded(4, 3), 1);
}

TEST(UnitsDeathTest, overflow_stops_the_program_instead_of_wrapping) {
  EXPECT_DEATH((void)(Energy::of_base(INT64_MAX) + Energy::of_base(1)), "overflows 64 bits");
}

}  // namespace
}  // namespace valle::scheduler
