// SPDX-License-Identifier: Apache-2.0
#include "scheduler/energy/tokens.hpp"

#include <algorithm>
#include <cmath>

namespace valle::scheduler {
namespace {

/// The running total at an instant; nothing outside its samples.
std::optional<double> total_at(std::span<const Sample> totals, Moment at) {
  const auto after =
      std::lower_bound(totals.begin(), totals.end(), at, [](const Sample& sample, Moment t) { return sample.at < t; });
  if (after == totals.end()) return {};
  if (after->at == at) return after->value;
  if (after == totals.begin()) return {};
  const Sample& left = *(after - 1);
  return left.value + (after->value - left.value) * seconds_between(left.at, at) / seconds_between(left.at, after->at);
}

}  // namespace

std::optional<MeasuredTokens> measured_tokens(std::span<const Sample> tokens, std::span<const Sample> joule_totals) {
  const double longest = 1.5 * median_spacing(tokens);
  MeasuredTokens sum;
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    const Sample& from = tokens[i - 1];
    const Sample& to = tokens[i];
    if (!(to.value >= from.value) || !std::isfinite(to.value)) continue;
    // Over a longer gap the server may have restarted and counted past the old value.
    if (seconds_between(from.at, to.at) > longest) continue;
    const auto before = total_at(joule_totals, from.at);
    const auto after = total_at(joule_totals, to.at);
    if (!before || !after) continue;
    sum.tokens += to.value - from.value;
    sum.joules += *after - *before;
  }
  if (sum.tokens <= 0) return {};
  return sum;
}

}  // namespace valle::scheduler
