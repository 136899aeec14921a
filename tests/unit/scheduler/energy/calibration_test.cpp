// SPDX-License-Identifier: Apache-2.0
#include "scheduler/energy/calibration.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace valle::scheduler {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

const Instant k_eight = *parse_instant("2027-02-10T08:00:00Z");

/// One reading a second, a quarter of a second after the full one.
std::vector<WattSample> steady(double watts, int count) {
  std::vector<WattSample> samples;
  for (int i = 0; i < count; ++i) {
    samples.push_back({k_eight + seconds{i} + milliseconds{250}, power_from_watts(watts)});
  }
  return samples;
}

CalibrationWindow window(int minute, double source, double wattmeter) {
  const Instant begin = k_eight + minutes{minute};
  return {{begin, begin + minutes{1}}, energy_from_kwh(source), energy_from_kwh(wattmeter)};
}

Result<Calibration> calibrated_by(std::vector<CalibrationWindow> windows) {
  return calibrate(windows, "p5.48xlarge", "ipmi", EnergyBoundary::node, "WT310");
}

TEST(MeteredEnergy, is_the_mean_of_the_samples_inside_times_the_window) {
  const auto samples = steady(600, 300);
  EXPECT_EQ(metered_energy(samples, {k_eight + minutes{1}, k_eight + minutes{2}}), energy_from_kwh(0.010));
  EXPECT_EQ(metered_energy(samples, {k_eight, k_eight + minutes{5}}), energy_from_kwh(0.050));
}

TEST(MeteredEnergy, readings_of_nothing_and_lost_seconds_are_not_zero_power) {
  auto samples = steady(600, 60);
  samples[10].power = Power{};
  EXPECT_EQ(metered_energy(samples, {k_eight, k_eight + minutes{1}}), energy_from_kwh(0.010));
  samples.erase(samples.begin() + 20, samples.begin() + 30);
  EXPECT_EQ(metered_energy(samples, {k_eight, k_eight + minutes{1}}), std::nullopt);
  EXPECT_EQ(metered_energy(samples, {k_eight + minutes{5}, k_eight + minutes{6}}), std::nullopt);
  EXPECT_EQ(metered_energy(samples, {k_eight, k_eight}), std::nullopt);
  EXPECT_EQ(metered_energy({}, {k_eight, k_eight + minutes{1}}), std::nullopt);
}

TEST(MeteredEnergy, many_samples_of_one_second_cover_one_second) {
  std::vector<WattSample> burst;
  for (int i = 0; i < 100; ++i) burst.push_back({k_eight + milliseconds{1 + i * 9}, power_from_watts(600)});
  EXPECT_EQ(metered_energy(burst, {k_eight, k_eight + minutes{1}}), std::nullopt);
}

TEST(Calibrate, factor_is_the_ratio_of_sums_and_the_worst_window_is_what_is_left) {
  const auto made = calibrated_by({window(0, 0.100, 0.118), window(1, 0.100, 0.120), window(2, 0.100, 0.122)});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->factor, Ratio::of_base(1'200'000));
  EXPECT_EQ(made->residual, Ratio::of_base(16'949)) << "0.002 of 0.118";
  EXPECT_EQ(made->windows, 3u);
  EXPECT_EQ(made->made, k_eight + minutes{3});
}

TEST(Calibrate, refuses_what_is_no_calibration) {
  EXPECT_THAT(calibrated_by({window(0, 1, 1), window(1, 1, 1)}).error().detail, HasSubstr("three windows"));
  EXPECT_THAT(calibrated_by({window(0, 1, 1), window(1, 0, 1), window(2, 1, 1)}).error().detail, HasSubstr("nothing"));
  EXPECT_THAT(calibrated_by({window(0, 1, 1), window(1, 1, 0), window(2, 1, 1)}).error().detail, HasSubstr("nothing"));
  EXPECT_THAT(calibrated_by({window(0, 1, 3.1), window(1, 1, 3.1), window(2, 1, 3.1)}).error().detail,
              HasSubstr("another unit"));
  EXPECT_FALSE(calibrated_by({window(0, 1, 0.49), window(1, 1, 0.49), window(2, 1, 0.49)}));
  auto brief = window(0, 1, 1);
  brief.window.end = brief.window.begin + seconds{59};
  EXPECT_THAT(calibrated_by({brief, window(1, 1, 1), window(2, 1, 1)}).error().detail, HasSubstr("minute"));
}

TEST(Calibrated, every_part_of_the_figure_is_scaled_and_it_says_so_once) {
  const auto made = *calibrated_by({window(0, 0.100, 0.120), window(1, 0.100, 0.120), window(2, 0.100, 0.120)});
  EnergyFigure figure{.boundary = EnergyBoundary::node,
                      .quality = EnergyQuality::measured,
                      .energy = Energy::of_base(101),
                      .uncertainty = Energy::of_base(10),
                      .idle = Energy::of_base(50),
                      .coverage = k_one,
                      .profile = {{{k_eight, k_eight + minutes{1}}, Energy::of_base(50)},
                                  {{k_eight + minutes{1}, k_eight + minutes{2}}, Energy::of_base(51)}},
                      .source = "ipmi"};
  const auto scaled = calibrated(figure, made);
  EXPECT_EQ(scaled.energy, Energy::of_base(121));
  EXPECT_EQ(scaled.uncertainty, Energy::of_base(12));
  EXPECT_EQ(scaled.idle, Energy::of_base(60));
  EXPECT_EQ(scaled.profile[0].energy + scaled.profile[1].energy, scaled.energy);
  ASSERT_EQ(scaled.notes.size(), 1u);
  EXPECT_EQ(scaled.notes[0],
            "calibrated against a wattmeter: × 1.20 ± 0.00 %, p5.48xlarge, WT310, 2027-02-10T08:03:00Z");
  EXPECT_EQ(calibrated(scaled, made), scaled) << "never twice";

  auto other = figure;
  other.boundary = EnergyBoundary::pod;
  EXPECT_EQ(calibrated(other, made), other);
  other = figure;
  other.source = "kepler";
  EXPECT_EQ(calibrated(other, made), other);
  other = figure;
  other.quality = EnergyQuality::unknown;
  EXPECT_EQ(calibrated(other, made), other);
}

TEST(Calibrated, the_residual_widens_the_uncertainty) {
  const auto made = *calibrated_by({window(0, 0.100, 0.108), window(1, 0.100, 0.110), window(2, 0.100, 0.112)});
  const EnergyFigure figure{.boundary = EnergyBoundary::node,
                            .quality = EnergyQuality::measured,
                            .energy = energy_from_kwh(1),
                            .coverage = k_one,
                            .source = "ipmi"};
  const auto scaled = calibrated(figure, made);
  EXPECT_EQ(scaled.energy, energy_from_kwh(1.1));
  EXPECT_NEAR(kwh(scaled.uncertainty), 1.1 * 0.002 / 0.108, 1e-5);
}

}  // namespace
}  // namespace valle::scheduler
