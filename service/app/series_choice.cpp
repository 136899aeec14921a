// SPDX-License-Identifier: Apache-2.0
// The contract's "Which numbers go together".
#include <algorithm>
#include <map>

#include "service/app/intensity_book.hpp"
#include "service/app/source_rank.hpp"
#include "service/app/window_facts.hpp"

namespace valle::service::app {
namespace {

using scheduler::Accounting;
using scheduler::Duration;
using scheduler::IntensitySeries;
using scheduler::Interval;
using scheduler::Zone;

/// Some run of `needed` seconds lies inside the window and is known.
bool covers(const IntensitySeries& series, Interval window, Duration needed) {
  const auto runs = series.runs_within(window);
  return std::any_of(runs.begin(), runs.end(), [&](const IntensitySeries::Run& run) {
    const Duration known = run.interval.overlap(window).length();
    return known > Duration{0} && known >= needed;
  });
}

std::string words(const Accounting& accounting) {
  return std::string{to_text(accounting.scope)} + ", " + std::string{to_text(accounting.basis)} + ", " +
         std::string{to_text(accounting.method)};
}

using Candidates = std::vector<std::vector<const KnownSeries*>>;  // by zone, ranked

/// The identity of the first source that covers most of the zones.
std::optional<Accounting> accounting_for(const Candidates& candidates, const ChoiceQuestion& question,
                                         std::span<const std::string> order) {
  std::map<std::pair<SourceRank, Accounting>, std::size_t> zones_covered;
  for (const auto& of_zone : candidates) {
    for (const KnownSeries* known : of_zone) {
      if (!covers(*known->combined, question.window, question.needed)) continue;
      ++zones_covered[{rank_of(known->key.source, order), known->key.identity.accounting}];
    }
  }
  const auto best = std::max_element(zones_covered.begin(), zones_covered.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  if (best == zones_covered.end()) return {};
  return best->first.second;
}

std::string why_left_out(const Zone& zone, const std::vector<const KnownSeries*>& candidates,
                         const std::optional<Accounting>& accounting, const ChoiceQuestion& question) {
  if (candidates.empty()) return "no source has data of " + zone.name();
  for (const KnownSeries* known : candidates) {
    if (accounting && known->key.identity.accounting == *accounting) continue;
    if (!accounting || !covers(*known->combined, question.window, question.needed)) continue;
    return known->key.source + " has " + zone.name() + " as " + words(known->key.identity.accounting) +
           " only, the other zones are " + words(*accounting);
  }
  const KnownSeries& first = *candidates.front();
  return "no source knows " + zone.name() + " for " + scheduler::format_duration(question.needed) +
         " in a row inside the window; " + first.key.source + " knows it until " +
         scheduler::format_instant(first.combined->extent().end);
}

}  // namespace

Choice IntensityBook::choose(const ChoiceQuestion& question) const {
  Candidates all;
  for (const Zone& zone : question.zones) all.push_back(candidates(zone, question.scope, question.source));
  Choice choice;
  choice.accounting = accounting_for(all, question, source_order_);
  for (std::size_t zone = 0; zone < all.size(); ++zone) {
    const auto first = std::find_if(all[zone].begin(), all[zone].end(), [&](const KnownSeries* known) {
      return known->key.identity.accounting == choice.accounting &&
             covers(*known->combined, question.window, question.needed);
    });
    if (first != all[zone].end()) {
      choice.zones.push_back(chosen_series(**first, (*first)->combined, zone, question.window, question.now));
    } else {
      choice.left_out.push_back({zone, why_left_out(question.zones[zone], all[zone], choice.accounting, question)});
    }
  }
  return choice;
}

}  // namespace valle::service::app
