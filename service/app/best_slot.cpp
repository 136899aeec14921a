// SPDX-License-Identifier: Apache-2.0
#include "service/app/best_slot.hpp"

#include <algorithm>
#include <utility>

#include "service/app/best_slot_reason.hpp"

namespace valle::service::app {
namespace {

using scheduler::Duration;
using scheduler::Energy;
using scheduler::Errc;
using scheduler::Instant;
using scheduler::Interval;
using scheduler::refuse;
using scheduler::Result;
using scheduler::Slot;
using scheduler::SlotAnswer;
using scheduler::SlotQuestion;
using scheduler::Wide;
using scheduler::Zone;
using scheduler::ZoneOption;

constexpr Energy k_assumed_energy = Energy::of_base(1'000'000);  // 1 kWh

/// The zones of a question: those that were asked for, then home if it is not among them.
struct Zones {
  std::vector<Zone> all;
  std::size_t asked;  ///< how many of `all` the job may run in
  std::size_t home;   ///< index into `all`
  std::span<const Zone> allowed() const { return std::span{all}.first(asked); }
};

Result<Zones> zones_of(const BestSlotRequest& request, const IntensityBook& book, const Places& places) {
  const auto known = places.zones(book);
  const auto is_known = [&known](const Zone& zone) {
    return std::find(known.begin(), known.end(), zone) != known.end();
  };
  for (std::size_t i = 0; i < request.zones.size(); ++i) {
    if (!is_known(request.zones[i])) return unknown_zone(request.zones[i], known, "/zones/" + std::to_string(i));
  }
  if (request.home && !is_known(*request.home)) return unknown_zone(*request.home, known, "/homeZone");

  Zones zones{request.zones.empty() ? known : request.zones, 0, 0};
  zones.asked = zones.all.size();
  if (request.home) {
    const auto found = std::find(zones.all.begin(), zones.all.end(), *request.home);
    zones.home = static_cast<std::size_t>(found - zones.all.begin());
    if (found == zones.all.end()) zones.all.push_back(*request.home);
  }
  return zones;
}

Result<Interval> window_of(const BestSlotRequest& request, Instant now) {
  const Instant earliest = request.earliest_start.value_or(now);
  const Instant latest_start = request.latest_start.value_or(earliest + request.max_wait.value_or(k_default_wait));
  const Instant finish = request.finish_by.value_or(latest_start + request.duration);
  if (finish - earliest >= request.duration) return Interval{earliest, finish};
  const std::string works = scheduler::format_instant(earliest + request.duration);
  return refuse(Errc::window_too_short,
                "from " + scheduler::format_instant(earliest) + " to " + scheduler::format_instant(finish) +
                    " there is no room for " + scheduler::format_duration(request.duration) +
                    "; the earliest finish that works is " + works,
                request.latest_start ? "/latestStart" : "/finishBy", {{"smallestFinishBy", works}});
}

tl::unexpected<scheduler::Error> no_data(std::span<const Zone> zones, Interval window, Duration duration) {
  std::vector<std::string> names;
  std::string text;
  for (const auto& zone : zones) {
    text += (names.empty() ? "" : ", ") + zone.name();
    names.push_back(zone.name());
  }
  const auto from = scheduler::format_instant(window.begin);
  const auto to = scheduler::format_instant(window.end);
  return refuse(Errc::no_intensity_data,
                names.empty() ? "no zone is known yet"
                              : "no intensity is known for " + scheduler::format_duration(duration) + " between " +
                                    from + " and " + to + " in " + text,
                "", {{"zones", names}, {"from", from}, {"to", to}});
}

/// A question over the zones that are known, and what is needed to say where an answer came from.
class Search {
 public:
  Search(const BestSlotRequest& request, const IntensityBook& book, const Places& places, const Zones& zones,
         Interval window)
      : request_{request}, book_{book}, zones_{zones} {
    for (const auto& zone : zones.all) sites_.push_back(places.site_of(zone));
    question_.window = window;
    question_.duration = request.duration;
    question_.energy = request.power ? scheduler::energy_of(*request.power, request.duration)
                                     : request.energy.value_or(k_assumed_energy);
    question_.options = request.options;
  }

  /// The cheapest runs in the zones of `choice` where the job may run.
  SlotAnswer run(const Choice& choice) {
    options_.clear();
    chosen_.clear();
    for (const auto& chosen : choice.zones) {
      if (chosen.zone < zones_.asked) add(chosen);
    }
    question_.zones = options_;
    if (options_.empty()) return {};
    SlotAnswer answer =
        request_.interruption ? best_interruptible_slot(question_, *request_.interruption) : best_slot(question_);
    for (const ZoneOption& option : options_) {
      answer.work += option.series->within(question_.window).size() * (question_.options + 2);
    }
    return answer;
  }

  /// The run that begins at once at home. Changes the question's zones: called after `run` has been read.
  std::optional<Run> run_now(const Choice& choice) {
    for (const auto& chosen : choice.zones) {
      if (chosen.zone != zones_.home) continue;
      options_.clear();
      chosen_.clear();
      add(chosen);
      question_.zones = options_;
      auto slot = slot_at(question_, 0, question_.window.begin);
      if (slot) return placed(*std::move(slot));
    }
    return {};
  }

  Run placed(Slot slot) const {
    const std::size_t index = chosen_[slot.zone];
    Run run{zones_.all[index], {}, std::move(slot)};
    if (sites_[index]) run.site = sites_[index]->name;
    run.price = mean_price(run);
    if (run.price) {
      // micro-euro/MWh · mWh ÷ 1e9 (mWh in a MWh)
      run.cost = scheduler::Money::of_base(scheduler::narrow(
          scheduler::divide_rounded(Wide{run.price->base()} * run.slot.facility_energy.base(), 1'000'000'000)));
    }
    return run;
  }

  /// A run's cost in proportion to its emissions, without their rounding: for runs that spread the same energy over
  /// the same time.
  Wide exact_cost(const Run& run) const {
    const auto index = std::find(zones_.all.begin(), zones_.all.end(), run.zone) - zones_.all.begin();
    const auto& site = sites_[static_cast<std::size_t>(index)];
    return Wide{run.slot.integral.base()} * (site ? site->pue : scheduler::k_one).base();
  }

 private:
  void add(const ChosenSeries& chosen) {
    const auto& site = sites_[chosen.zone];
    options_.push_back({chosen.series.get(), site ? site->pue : scheduler::k_one});
    chosen_.push_back(chosen.zone);
  }

  std::optional<scheduler::EnergyPrice> mean_price(const Run& run) const {
    const auto* prices = book_.prices(run.zone, run.slot.interval);
    if (prices == nullptr) return {};
    Wide weighted = 0;
    Wide seconds = 0;
    for (const auto& segment : run.slot.segments) {
      const auto mean = prices->mean(segment);
      if (!mean) return {};
      weighted += Wide{mean->base()} * segment.length().count();
      seconds += segment.length().count();
    }
    if (seconds == 0) return {};
    return scheduler::EnergyPrice::of_base(scheduler::narrow(scheduler::divide_rounded(weighted, seconds)));
  }

  const BestSlotRequest& request_;
  const IntensityBook& book_;
  const Zones& zones_;
  std::vector<std::optional<ZoneSite>> sites_;  // parallel to zones_.all
  std::vector<ZoneOption> options_;
  std::vector<std::size_t> chosen_;  // parallel to options_: index into zones_.all
  SlotQuestion question_;
};

Saving saving_of(const Run& run, const Run& now, const Search& search) {
  const auto saved = now.slot.emissions - run.slot.emissions;
  if (run.slot.segments.size() > 1) return {saved, percent_of(saved.base(), now.slot.emissions.base())};
  const Wide before = search.exact_cost(now);
  return {saved, percent_of(before - search.exact_cost(run), before)};
}

/// Is every zone of the question known to the end of the window?
bool limited_by_data(const Choice& choice, const Zones& zones, Instant end) {
  const auto asked = [&zones](const auto& each) { return each.zone < zones.asked; };
  return std::any_of(choice.left_out.begin(), choice.left_out.end(), asked) ||
         std::any_of(choice.zones.begin(), choice.zones.end(),
                     [&](const auto& chosen) { return asked(chosen) && chosen.known_until < end; });
}

}  // namespace

Result<void> check(const BestSlotRequest& request) {
  if (request.duration < Duration{1} || request.duration > k_longest_run) {
    return refuse(Errc::invalid_request, "duration must be from PT1S to " + scheduler::format_duration(k_longest_run),
                  "/duration");
  }
  if (request.finish_by.has_value() + request.latest_start.has_value() + request.max_wait.has_value() > 1) {
    return refuse(Errc::invalid_request, "give only one of finishBy, latestStart and maxWait",
                  request.max_wait ? "/maxWait" : "/latestStart");
  }
  if (request.energy && request.power) {
    return refuse(Errc::invalid_request, "give energyKwh or powerWatts, not both", "/powerWatts");
  }
  if (request.options < 1 || request.options > k_most_options) {
    return refuse(Errc::invalid_request, "options must be from 1 to " + std::to_string(k_most_options), "/options");
  }
  return {};
}

Result<BestSlotAnswer> best_slot(const BestSlotRequest& request, const IntensityBook& book, const Places& places,
                                 Instant now) {
  if (auto valid = check(request); !valid) return tl::unexpected{std::move(valid.error())};
  const auto zones = zones_of(request, book, places);
  if (!zones) return tl::unexpected{zones.error()};
  const auto window = window_of(request, now);
  if (!window) return tl::unexpected{window.error()};

  // A job that may pause can use stretches as short as one of its segments.
  const Duration needed =
      request.interruption ? std::max(Duration{1}, request.interruption->min_run) : request.duration;
  const Choice choice = book.choose({.zones = zones->all, .window = *window, .needed = needed, .now = now});
  Search search{request, book, places, *zones, *window};
  SlotAnswer found = search.run(choice);
  if (found.options.empty()) return no_data(zones->allowed(), *window, request.duration);

  std::vector<Run> options;
  for (auto& slot : found.options) options.push_back(search.placed(std::move(slot)));
  BestSlotAnswer answer{.best = options.front(), .options = std::move(options), .run_now = {}, .worst = {}};
  if (found.worst) answer.worst = search.placed(*std::move(found.worst));
  answer.run_now = search.run_now(choice);
  if (answer.run_now) {
    for (auto& option : answer.options) option.saving = saving_of(option, *answer.run_now, search);
    answer.best.saving = answer.options.front().saving;
  }
  for (const auto& chosen : choice.zones) answer.data.emplace_back(zones->all[chosen.zone], chosen);
  for (const auto& left_out : choice.left_out) {
    if (left_out.zone < zones->asked) answer.zones_left_out.push_back({zones->all[left_out.zone], left_out.reason});
  }
  answer.limited_by_data = limited_by_data(choice, *zones, window->end);
  answer.exact = found.exact;
  answer.work = found.work;
  answer.energy_assumed = !request.energy && !request.power;

  const bool may_run_at_home = zones->home < zones->asked;
  const bool too_little = answer.run_now && may_run_at_home && answer.best.saving->share < request.least_saving;
  answer.reason = reason_of(answer, zones->all[zones->home], too_little ? request.least_saving : Percent{});
  if (too_little) {
    answer.best = *answer.run_now;
    answer.best.saving = Saving{};
  }
  return answer;
}

}  // namespace valle::service::app
