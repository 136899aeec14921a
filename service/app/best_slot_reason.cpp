// SPDX-License-Identifier: Apache-2.0
#include "service/app/best_slot_reason.hpp"

namespace valle::service::app {
namespace {

using scheduler::CarbonIntensity;
using scheduler::Instant;

std::string rounded(CarbonIntensity intensity) {
  return std::to_string(static_cast<std::int64_t>(scheduler::divide_rounded(intensity.base(), 1'000))) + " g/kWh";
}

/// `0.5 %`: as many decimals as needed.
std::string plain(Percent share) {
  std::string text = std::to_string(share.base() / 10'000);
  std::string decimals = std::to_string(10'000 + share.base() % 10'000).substr(1);
  while (!decimals.empty() && decimals.back() == '0') decimals.pop_back();
  return text + (decimals.empty() ? "" : "." + decimals) + " %";
}

/// `at 23:00Z`, with the date where it is another day than `reference`, with seconds where they count.
std::string at(Instant start, Instant reference) {
  const auto text = scheduler::format_instant(start);  // 2021-06-09T23:00:00Z
  const bool same_day = text.compare(0, 10, scheduler::format_instant(reference), 0, 10) == 0;
  const auto seconds = text.substr(16, 3);
  return (same_day ? "at " : "on " + text.substr(0, 10) + " at ") + text.substr(11, 5) +
         (seconds == ":00" ? "" : seconds) + "Z";
}

std::string comparison(const BestSlotAnswer& answer, const scheduler::Zone& home, Percent least_saving) {
  const Run& best = answer.best;
  if (!answer.run_now) {
    return best.zone.name() + " starting " + scheduler::format_instant(best.slot.interval.begin) + ": " +
           rounded(best.slot.mean) + "; nothing is known of " + home.name() + " for a start at once";
  }
  const Run& now = *answer.run_now;
  if (least_saving > Percent{}) {
    return "now in " + home.name() + ": " + rounded(now.slot.mean) + "; waiting would save less than " +
           plain(least_saving);
  }
  if (best.zone == now.zone && best.slot.segments == now.slot.segments) {
    return "now in " + home.name() + ": " + rounded(now.slot.mean) + "; nothing in the window is cleaner";
  }
  return best.zone.name() + " " + at(best.slot.interval.begin, now.slot.interval.begin) + ": " +
         rounded(best.slot.mean) + " against " + rounded(now.slot.mean) + " now in " + home.name();
}

}  // namespace

std::string reason_of(const BestSlotAnswer& answer, const scheduler::Zone& home, Percent least_saving) {
  return comparison(answer, home, least_saving) +
         (answer.exact ? "" : "; there are too many ways to pause to try all, so a better one may exist");
}

}  // namespace valle::service::app
