// SPDX-License-Identifier: Apache-2.0
#include "scheduler/forecast/band.hpp"

#include <algorithm>
#include <cmath>

namespace valle::scheduler::forecast {
namespace {

constexpr std::array<Hour, 7> k_bucket_ends{3, 6, 12, 24, 36, 54, 96};
constexpr std::pair k_unknown{0.5, 2.0};
constexpr std::size_t k_enough = 60;
constexpr double k_tail = 0.1;
constexpr double k_smallest = 1;  // g/kWh; a ratio to less says nothing

double quantile(std::vector<double>& values, double share) {
  const auto at = static_cast<std::ptrdiff_t>(std::llround(share * static_cast<double>(values.size() - 1)));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

}  // namespace

Band::Band() { factors_.fill(k_unknown); }

std::size_t Band::bucket_of(Hour ahead) {
  return static_cast<std::size_t>(std::upper_bound(k_bucket_ends.begin(), k_bucket_ends.end(), ahead) -
                                  k_bucket_ends.begin());
}

void Band::add(const Timeline& timeline, Hour issue, std::span<const double> forecast, Hour last) {
  for (std::size_t h = 0; h < forecast.size(); ++h) {
    const Hour hour = issue + static_cast<Hour>(h);
    if (hour > last) return;
    const auto at = static_cast<std::size_t>(hour);
    if (timeline.is_measured[at] == 0 || forecast[h] < k_smallest) continue;
    ratios_[bucket_of(static_cast<Hour>(h))].push_back(timeline.intensity[at] / forecast[h]);
  }
}

void Band::settle() {
  std::pair<double, double> before = k_unknown;
  bool first = true;
  for (std::size_t b = 0; b < k_buckets; ++b) {
    if (ratios_[b].size() >= k_enough) {
      const std::pair seen{std::min(1.0, quantile(ratios_[b], k_tail)),
                           std::max(1.0, quantile(ratios_[b], 1 - k_tail))};
      before = first ? seen : std::pair{std::min(before.first, seen.first), std::max(before.second, seen.second)};
      first = false;
    }
    factors_[b] = before;
  }
}

void Band::widen_to(const Band& other) {
  for (std::size_t b = 0; b < k_buckets; ++b) {
    factors_[b] = {std::min(factors_[b].first, other.factors_[b].first),
                   std::max(factors_[b].second, other.factors_[b].second)};
  }
}

std::vector<BandPart> Band::parts(Hour hours) const {
  std::vector<BandPart> parts;
  for (std::size_t b = 0; b < k_buckets && (parts.empty() || parts.back().until < hours); ++b) {
    const Hour until = b < k_bucket_ends.size() ? std::min(k_bucket_ends[b], hours) : hours;
    parts.push_back({until, factors_[b].first, factors_[b].second});
  }
  return parts;
}

}  // namespace valle::scheduler::forecast
