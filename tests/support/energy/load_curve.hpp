// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <random>

namespace valle::tests {

/// Power of a job over the seconds since its start, with an exact integral: the truth that meters are judged by.
struct LoadCurve {
  enum class Kind { steady, square, ramp, step };
  Kind kind = Kind::steady;
  double length = 0;  ///< seconds
  double low = 0;     ///< watts
  double high = 0;
  double period = 1;  ///< of a square load, seconds
  double duty = 0.5;
  double phase = 0;
  double turn = 0;  ///< of a step, seconds

  /// Joules from the start to `at`; nothing before the start and after the end.
  [[nodiscard]] double joules_until(double at) const {
    const double t = std::clamp(at, 0.0, length);
    switch (kind) {
      case Kind::steady: return high * t;
      case Kind::square:
        return low * t + (high - low) * (high_seconds(t / period + phase) - high_seconds(phase)) * period;
      case Kind::ramp: return low * t + (high - low) * t * t / (2 * length);
      case Kind::step: return low * std::min(t, turn) + high * std::max(0.0, t - turn);
    }
    return 0;
  }
  [[nodiscard]] double joules() const { return joules_until(length); }

 private:
  [[nodiscard]] double high_seconds(double periods) const {
    const double whole = std::floor(periods);
    return whole * duty + std::min(periods - whole, duty);
  }
};

/// A load as jobs have them: steady 120–600 W; square with periods of 0.13 to 12 scrape intervals; ramps either way;
/// a quiet beginning and then work.
inline LoadCurve random_curve(LoadCurve::Kind kind, double length, double interval, std::mt19937& random) {
  const auto between = [&](double least, double most) {
    return std::uniform_real_distribution<double>{least, most}(random);
  };
  LoadCurve curve{.kind = kind, .length = length};
  switch (kind) {
    case LoadCurve::Kind::steady: curve.high = between(120, 600); break;
    case LoadCurve::Kind::square: {
      constexpr double periods[] = {0.13, 0.7, 1, 2, 3.3, 7, 12};
      curve.low = between(60, 150);
      curve.high = curve.low + between(150, 450);
      curve.period = interval * periods[std::uniform_int_distribution<int>{0, 6}(random)];
      curve.duty = between(0.3, 0.7);
      curve.phase = between(0, 1);
      break;
    }
    case LoadCurve::Kind::ramp:
      curve.low = between(60, 200);
      curve.high = between(400, 700);
      if (between(0, 1) < 0.5) std::swap(curve.low, curve.high);
      break;
    case LoadCurve::Kind::step:
      curve.low = between(60, 120);
      curve.high = between(350, 650);
      curve.turn = length * between(0.1, 0.4);
      break;
  }
  return curve;
}

}  // namespace valle::tests
