// SPDX-License-Identifier: Apache-2.0
#include "scheduler/energy/pod_counter.hpp"

#include <algorithm>

#include "scheduler/energy/counter.hpp"
#include "scheduler/energy/uncertainty.hpp"

namespace valle::scheduler {
namespace {

constexpr double k_rate_base = 0.25;   // of an interval: the least that a rate rests on
constexpr double k_edge = 0.1;         // of an interval: by how much a sample may lie outside the run
constexpr double k_longest_tail = 2;   // intervals
constexpr double k_even = 0.05;        // rates within this part of the largest are even
constexpr double k_known_late = 0.25;  // a first value below this part of what the later rates say

/// Running totals of all zones, at the stamps at which every zone that has begun and not yet ended has a sample. (Zones of
/// one scrape share its stamp; containers of a pod begin and end apart.)
Samples sum_of_zones(const std::vector<Samples>& zones) {
  if (zones.size() == 1) return zones.front();
  Samples all;
  for (const Samples& zone : zones) all = merged(all, zone);
  Samples sum;
  Samples shared;
  std::vector<std::size_t> next(zones.size(), 0);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i + 1 < all.size() && all[i + 1].at == all[i].at) continue;
    double total = 0;
    bool in_all = true;
    for (std::size_t z = 0; z < zones.size(); ++z) {
      while (next[z] < zones[z].size() && zones[z][next[z]].at <= all[i].at) ++next[z];
      if (next[z] > 0) total += zones[z][next[z] - 1].value;
      const bool between = next[z] > 0 && next[z] < zones[z].size();
      in_all = in_all && (!between || zones[z][next[z] - 1].at == all[i].at);
    }
    sum.push_back({all[i].at, total});
    if (in_all) shared.push_back(sum.back());
  }
  return shared.empty() ? sum : shared;
}

/// One observer's account of the pod.
struct Account {
  Samples running;          ///< totals while it ran, zones summed
  double counted = 0;       ///< with the terminated samples
  double lost = 0;          ///< at restarts
  double lost_seconds = 0;  ///< intervals that hold a restart
  std::size_t restarts = 0;
  std::size_t dropped = 0;
  bool terminated = false;
  Moment first{};
  Moment last{};
};

Account account_of(const Observer& observer, double limit_watts) {
  Account account;
  account.first = observer.first();
  account.last = observer.last();
  const CounterTerms terms{.kind = CounterKind::born_at_zero, .limit_watts = limit_watts};
  std::vector<Samples> running;
  for (const ZoneSamples& zone : observer.zones) {
    const CounterReading whole = read_counter(merged(zone.running, zone.terminated), terms);
    account.counted += whole.joules();
    account.lost += lost_at_restarts(whole);
    double seconds = 0;
    for (const Restart& restart : whole.restarts) seconds += seconds_between(restart.before.at, restart.after.at);
    account.lost_seconds = std::max(account.lost_seconds, seconds);
    account.restarts = std::max(account.restarts, whole.restarts.size());
    account.dropped += whole.dropped;
    account.terminated = account.terminated || !zone.terminated.empty();
    Samples totals = read_counter(zone.running, terms).totals;
    if (!totals.empty()) running.push_back(std::move(totals));
  }
  if (!running.empty()) account.running = sum_of_zones(running);
  return account;
}

/// Where the samples lie against the ledger's run.
struct Fit {
  bool clocks_agree = true;
  bool start_seen = true;
  bool end_seen = true;
};

/// A pod can't be seen before it starts, nor longer than an interval after its end: then a clock is off. Samples that
/// begin late or end early alone are an exporter's doing.
Fit fit_of(const Account& account, const PodQuestion& question) {
  const double interval = question.scrape_seconds;
  const double from_start = seconds_between(question.ran.begin, account.first);
  const double from_end = seconds_between(question.ran.end, account.last);
  Fit fit;
  fit.start_seen = from_start >= -k_edge * interval && from_start <= (1 + k_edge) * interval;
  fit.end_seen = from_end >= -(1 + k_edge) * interval && from_end <= (1 + k_edge) * interval;
  const bool begins_late = from_start > 0;
  const bool ends_early = from_end < 0;
  fit.clocks_agree = (fit.start_seen || begins_late) && (fit.end_seen || ends_early);
  return fit;
}

/// The observer who saw the pod run last, of those whose clock agrees; of all if none does.
std::size_t last_to_see(const std::vector<Account>& accounts, const PodQuestion& question) {
  const auto better = [&](const Account& a, const Account& b) {
    const bool fits_a = fit_of(a, question).clocks_agree;
    const bool fits_b = fit_of(b, question).clocks_agree;
    if (fits_a != fits_b) return fits_b;
    if (a.running.empty() || b.running.empty()) return a.running.empty() && !b.running.empty();
    return a.running.back().at < b.running.back().at;
  };
  return static_cast<std::size_t>(std::max_element(accounts.begin(), accounts.end(), better) - accounts.begin());
}

/// The estimate as it grows; what it rests on is fixed.
class Estimate {
 public:
  Estimate(std::vector<Account> accounts, const PodQuestion& question, const PodCounterTraits& traits)
      : accounts_{std::move(accounts)},
        question_{question},
        traits_{traits},
        last_{accounts_[last_to_see(accounts_, question)]},
        fit_{fit_of(last_, question)},
        run_seconds_{seconds_of(question.ran)} {
    for (const Account& account : accounts_) {
      counted_ = std::max(counted_, account.counted);
      terminated_ = terminated_ || account.terminated;
    }
  }

  Reading reading() {
    const Rates rates = rates_of(totals_from_start(), k_rate_base * question_.scrape_seconds);
    reading_.method = "counter from 0, larger of the observers";
    reading_.joules = reading_.counted_joules = counted_;
    if (!last_.running.empty()) {
      carry_tail(rates);
    } else {
      carry_half_a_refresh();
    }
    bridge();
    note_start(rates);
    reading_.run_seconds = run_seconds_;
    reading_.scrape_seconds = question_.scrape_seconds;
    reading_.covered_seconds = std::clamp(covered() - last_.lost_seconds - late_seconds_, 0.0, run_seconds_);
    reading_.uncertainty_joules =
        outage_seconds_ * std::max(rates.most_watts, rates.count < 20 ? question_.limit_watts : 0) +
        uncertainty_joules(rates, {.unseen_seconds = unseen_seconds_,
                                   .stamp_seconds = traits_.stamp_seconds,
                                   .mean_watts = run_seconds_ > 0 ? reading_.joules / run_seconds_ : 0,
                                   .limit_watts = question_.limit_watts});
    draw_curve();
    note_rest();
    return std::move(reading_);
  }

 private:
  [[nodiscard]] Samples totals_from_start() const {
    Samples totals;
    if (fit_.clocks_agree) totals.push_back({question_.ran.begin, 0});
    for (const Sample& sample : last_.running) {
      if (totals.empty() || sample.at > totals.back().at) totals.push_back(sample);
    }
    return totals;
  }

  void carry_tail(const Rates& rates) {
    const Sample& until = last_.running.back();
    const double gap = seconds_between(until.at, question_.ran.end);
    if (!fit_.clocks_agree) {
      reading_.notes.push_back("clocks disagree: no tail carried to the end");
      unseen_seconds_ = question_.scrape_seconds;
      return;
    }
    if (gap > k_longest_tail * question_.scrape_seconds) {
      if (terminated_) return;
      reading_.notes.push_back("the end was not seen");
      reading_.gaps.push_back({{until.at, question_.ran.end}, "no samples until the end"});
      outage_seconds_ = gap;
      return;
    }
    if (traits_.between_samples && fit_.end_seen && carry_between_samples(gap)) return;
    const double tail = std::max(0.0, gap) + value_age();
    const double carried = until.value + std::min(rates.last_watts, question_.limit_watts) * tail;
    const double most = terminated_ ? counted_ + question_.limit_watts * traits_.refresh_seconds : carried;
    reading_.joules = std::max(counted_, std::min(carried, most));
    reading_.method += ", tail at the last rate";
    unseen_seconds_ = terminated_ ? std::min(tail, traits_.refresh_seconds) : tail;
  }

  /// Only the value it had at the exporter's last refresh was seen: before the end by anything up to a refresh.
  void carry_half_a_refresh() {
    unseen_seconds_ = std::min(traits_.refresh_seconds, run_seconds_);
    const double seen_seconds = run_seconds_ - unseen_seconds_ / 2;
    if (seen_seconds <= 0) return;
    const double watts = std::min(counted_ / seen_seconds, question_.limit_watts);
    reading_.joules += watts * unseen_seconds_ / 2;
    reading_.method += ", half a refresh at the mean rate";
  }

  /// Under an even load the first value tells how old values are when they are scraped: v₁ = r · (t₁ − a − age). An age
  /// that can't be means that the load was not even after all.
  [[nodiscard]] double value_age() const {
    const Samples& totals = last_.running;
    if (totals.size() < 2 || last_.restarts > 0 || traits_.oldest_seconds <= 0) return traits_.value_age_seconds;
    const Rates rates = rates_of(totals, k_rate_base * question_.scrape_seconds);
    if (rates.count == 0 || rates.most_watts - rates.least_watts >= k_even * rates.most_watts)
      return traits_.value_age_seconds;
    const double watts =
        (totals.back().value - totals.front().value) / seconds_between(totals.front().at, totals.back().at);
    const double age = seconds_between(question_.ran.begin, totals.front().at) - totals.front().value / watts;
    return age > 0 && age <= traits_.oldest_seconds ? age : traits_.value_age_seconds;
  }

  /// The values' age cancels in differences, so for an even load they say more than the ends do.
  bool carry_between_samples(double gap) {
    const Samples& totals = last_.running;
    const Rates rates = rates_of(totals, k_rate_base * question_.scrape_seconds);
    if (last_.restarts > 0 || rates.count == 0) return false;
    if (rates.most_watts - rates.least_watts >= k_even * rates.most_watts) return false;
    const double seconds = seconds_between(totals.front().at, totals.back().at);
    reading_.joules = (totals.back().value - totals.front().value) / seconds * run_seconds_;
    reading_.method = "counter, rate between samples over the run";
    unseen_seconds_ = std::max(0.0, gap) + traits_.value_age_seconds;
    return true;
  }

  void bridge() {
    if (last_.restarts == 0) return;
    reading_.bridged_joules = last_.lost;
    reading_.joules += last_.lost;
    unseen_seconds_ += last_.lost_seconds;
    reading_.notes.push_back("counter restarted, what was lost is estimated");
  }

  /// Kepler may learn of a pod late; what it had used by then is not in its counter.
  void note_start(const Rates& rates) {
    if (last_.running.empty() || !fit_.clocks_agree || rates.count < 2) return;
    const Sample& first = last_.running.front();
    const double seconds = seconds_between(question_.ran.begin, first.at);
    if (seconds <= 0 || last_.running.size() < 2) return;
    const double later =
        (last_.running.back().value - first.value) / seconds_between(first.at, last_.running.back().at);
    if (first.value >= k_known_late * later * seconds) return;
    reading_.notes.push_back("the first value is low: known late to the exporter, or a slow start");
    late_seconds_ = seconds;
    unseen_seconds_ += seconds;
  }

  [[nodiscard]] double covered() const {
    if (terminated_) return run_seconds_;
    if (last_.running.empty()) return 0;
    return std::min(seconds_between(question_.ran.begin, last_.running.back().at), run_seconds_);
  }

  void draw_curve() {
    reading_.curve.push_back({question_.ran.begin, 0});
    for (const Sample& sample : last_.running) {
      if (sample.at > question_.ran.begin && sample.at < question_.ran.end) reading_.curve.push_back(sample);
    }
    const double whole = std::max(reading_.joules, reading_.curve.back().value);
    reading_.curve.push_back({question_.ran.end, whole});
  }

  void note_rest() {
    std::size_t dropped = 0;
    for (const Account& account : accounts_) dropped += account.dropped;
    if (dropped > 0) reading_.notes.push_back(std::to_string(dropped) + " samples dropped that can't be readings");
    if (accounts_.size() > 1)
      reading_.notes.push_back(std::to_string(accounts_.size()) + " observers, the larger taken");
  }

  std::vector<Account> accounts_;
  const PodQuestion& question_;
  const PodCounterTraits& traits_;
  const Account& last_;
  Fit fit_;
  double run_seconds_;
  double counted_ = 0;
  bool terminated_ = false;
  double unseen_seconds_ = 0;  ///< g
  double outage_seconds_ = 0;  ///< at the end, nothing carried: the error is all on one side
  double late_seconds_ = 0;
  Reading reading_;
};

}  // namespace

std::optional<Reading> read_pod_counter(std::vector<Observer> observers, const PodQuestion& question,
                                        const PodCounterTraits& traits) {
  std::vector<Account> accounts;
  for (const Observer& observer : joined(std::move(observers))) {
    Account account = account_of(observer, question.limit_watts);
    if (!account.running.empty() || account.terminated) accounts.push_back(std::move(account));
  }
  if (accounts.empty()) return {};
  return Estimate{std::move(accounts), question, traits}.reading();
}

Reading unseen_pod(const PodQuestion& question) {
  const double seconds = seconds_of(question.ran);
  return {.uncertainty_joules = seconds * question.limit_watts,
          .run_seconds = seconds,
          .gaps = {{question.ran, "no samples of a pod"}},
          .notes = {"no samples of a pod"}};
}

}  // namespace valle::scheduler
