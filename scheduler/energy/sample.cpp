// SPDX-License-Identifier: Apache-2.0
#include "scheduler/energy/sample.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <iterator>

namespace valle::scheduler {

Samples merged(std::span<const Sample> a, std::span<const Sample> b) {
  Samples both;
  both.reserve(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both),
             [](const Sample& x, const Sample& y) { return x.at != y.at ? x.at < y.at : x.value < y.value; });
  return both;
}

double median_spacing(std::span<const Sample> samples) {
  if (samples.size() < 2) return 0;
  std::vector<std::chrono::milliseconds> spacings;
  spacings.reserve(samples.size() - 1);
  for (std::size_t i = 1; i < samples.size(); ++i) spacings.push_back(samples[i].at - samples[i - 1].at);
  const auto middle = spacings.begin() + static_cast<std::ptrdiff_t>(spacings.size() / 2);
  std::nth_element(spacings.begin(), middle, spacings.end());
  return std::chrono::duration<double>(*middle).count();
}

void Fingerprint::add(std::span<const Sample> samples) {
  const auto take = [this](std::uint64_t word) {
    for (int i = 0; i < 8; ++i) {
      state_ = (state_ ^ (word & 0xff)) * 1099511628211ULL;
      word >>= 8;
    }
  };
  for (const Sample& sample : samples) {
    take(static_cast<std::uint64_t>(sample.at.time_since_epoch().count()));
    take(std::bit_cast<std::uint64_t>(sample.value));
  }
}

std::string Fingerprint::text() const {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(state_));
  return digits;
}

}  // namespace valle::scheduler
