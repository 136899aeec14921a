// SPDX-License-Identifier: Apache-2.0
#include "scheduler/forecast/threshold.hpp"

namespace valle::scheduler::forecast {
namespace {

/// The largest integer whose square is at most `square`.
std::int64_t root_of(Wide square) {
  Wide low = 0;
  Wide high = Wide{1} << 62;
  while (low < high) {
    const Wide middle = (low + high + 1) / 2;
    if (middle <= square / middle) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return narrow(low);
}

}  // namespace

std::optional<OnlineThreshold> OnlineThreshold::of(CarbonIntensity least, CarbonIntensity most) {
  if (least <= CarbonIntensity{} || most < least) return {};
  // Ratio² = most / least · 10¹² ppm².
  const Wide one = k_one.base();
  const Wide squared = (Wide{most.base()} * one * one + least.base() - 1) / least.base();
  const std::int64_t root = root_of(squared);
  const bool exact = Wide{root} * root == squared;
  return OnlineThreshold{CarbonIntensity::of_base(root_of(Wide{least.base()} * most.base())),
                         Ratio::of_base(exact ? root : root + 1)};
}

}  // namespace valle::scheduler::forecast
