// SPDX-License-Identifier: Apache-2.0
#include "scheduler/energy/bracket.hpp"

#include <algorithm>
#include <cmath>

namespace valle::scheduler {
namespace {

constexpr double k_margin = 0.1;  // of the points' spacing, for stamps
constexpr double k_counter_lag_seconds = 0.3;
constexpr double k_counter_error = 0.002;   // of the energy
constexpr double k_idle_if_unknown = 0.35;  // of the limit: no board idles above
constexpr double k_warm = 2;                // times the idle power: a board that has just worked
constexpr double k_warm_of_limit = 0.1;     // or this part of the limit above it
constexpr double k_busier = 1.2;            // times the power outside: less is no job's doing

double mean_watts(const Sample& from, const Sample& to) {
  return (to.value - from.value) / seconds_between(from.at, to.at);
}

double most_idle_watts(const BoardFacts& facts) {
  if (!facts.idle_watts) return k_idle_if_unknown * facts.limit_watts;
  return std::max(k_warm * *facts.idle_watts, *facts.idle_watts + k_warm_of_limit * facts.limit_watts);
}

}  // namespace

tl::expected<Bracket, BracketRefusal> wide_bracket(const BoardPoints& points, const Span& ran,
                                                   std::span<const Tenant> others, const BoardFacts& facts) {
  const Samples& totals = points.totals;
  const double c = facts.collect_seconds.value_or(points.spacing_seconds);
  const auto margin = milliseconds_of(k_margin * points.spacing_seconds);
  const auto later = [](Moment at, const Sample& sample) { return at < sample.at; };
  const auto earlier = [](const Sample& sample, Moment at) { return sample.at < at; };
  // The last point surely from before the start, and the first whose value surely arose after the end.
  const auto i = std::upper_bound(totals.begin(), totals.end(), ran.begin - margin, later) - totals.begin() - 1;
  const auto j =
      std::lower_bound(totals.begin(), totals.end(), ran.end + milliseconds_of(c) + margin, earlier) - totals.begin();
  if (i < 2 || j + 2 >= static_cast<std::ptrdiff_t>(totals.size())) return tl::unexpected{BracketRefusal::out_of_reach};
  const auto at = [&](std::ptrdiff_t index) -> const Sample& { return totals[static_cast<std::size_t>(index)]; };

  const Span reach{at(i - 2).at - milliseconds_of(c), at(j + 2).at};
  const auto touches = [&](const Tenant& other) { return overlap(other.ran, reach); };
  if (std::any_of(others.begin(), others.end(), touches)) return tl::unexpected{BracketRefusal::neighbour};
  const auto inside = [&](const Restart& restart) {
    return overlap({restart.before.at, restart.after.at}, {at(i - 2).at, at(j + 2).at});
  };
  if (std::any_of(points.restarts.begin(), points.restarts.end(), inside))
    return tl::unexpected{BracketRefusal::restart};

  Bracket bracket;
  bracket.left_watts = mean_watts(at(i - 2), at(i));
  bracket.right_watts = mean_watts(at(j), at(j + 2));
  const double most_outside = std::max(bracket.left_watts, bracket.right_watts);
  if (most_outside > most_idle_watts(facts)) return tl::unexpected{BracketRefusal::not_idle};
  bracket.joules = at(j).value - at(i).value - bracket.left_watts * seconds_between(at(i).at, ran.begin) -
                   bracket.right_watts * seconds_between(ran.end, at(j).at);
  // A board that is no busier inside than outside: the clocks are off, or the job used none of it.
  if (bracket.joules <= k_busier * most_outside * seconds_of(ran))
    return tl::unexpected{BracketRefusal::no_busier_inside};
  const double outside = seconds_between(at(i).at, at(j).at) - seconds_of(ran);
  bracket.uncertainty_joules = most_outside * c + k_counter_lag_seconds * facts.limit_watts +
                               k_counter_error * bracket.joules +
                               std::abs(bracket.left_watts - bracket.right_watts) * outside;
  return bracket;
}

}  // namespace valle::scheduler
