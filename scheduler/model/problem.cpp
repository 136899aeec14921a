// SPDX-License-Identifier: Apache-2.0
#include "scheduler/model/problem.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "scheduler/model/pointer.hpp"

namespace valle::scheduler {
namespace {

using Limits = ProblemLimits;

std::string lower_case(std::string_view text) {
  std::string lower{text};
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

/// Walks a problem and keeps the first refusal. Every check returns whether it holds, so that checks chain with &&.
class Checker final {
 public:
  explicit Checker(const Problem& problem) : problem_{problem} {}

  Result<void> run() {
    if (time_axis() && sites() && jobs() && ids_and_groups() && resources() && sums()) return {};
    return tl::unexpected<Error>{std::move(error_)};
  }

 private:
  // --- single rules -----------------------------------------------------------------------------------------------

  bool refused(Errc code, std::string detail, const Pointer& place) {
    error_ = Error{code, std::move(detail), place.text()};
    return false;
  }

  bool holds(bool condition, std::string_view otherwise, const Pointer& place) {
    return condition || refused(Errc::invalid_request, std::string{otherwise}, place);
  }

  template <class Value>
  bool in_range(const Value& value, const Value& low, const Value& high, std::string_view range, const Pointer& place) {
    return (low <= value && value <= high) ||
           refused(Errc::invalid_request, "out of range: " + std::string{range}, place);
  }

  bool at_most(std::size_t count, std::size_t most, std::string_view what, const Pointer& place) {
    return count <= most ||
           refused(Errc::too_large,
                   std::to_string(count) + " " + std::string{what} + "; at most " + std::to_string(most), place);
  }

  bool named(std::string_view name, const Pointer& place) {
    return (!name.empty() && name.size() <= Limits::k_name) ||
           refused(Errc::invalid_request, "a name has 1 to " + std::to_string(Limits::k_name) + " characters", place);
  }

  bool instant(Instant t, const Pointer& place) {
    return in_range(t, Instant{}, Limits::k_last_instant, "1970 to 2261", place);
  }

  /// One value a slot, each in range.
  template <class Value>
  bool profile(const std::vector<Value>& values, Value low, Value high, std::string_view range, const Pointer& place) {
    if (values.size() != problem_.slots) {
      return refused(Errc::invalid_request,
                     std::to_string(values.size()) + " values for " + std::to_string(problem_.slots) +
                         " slots: one a slot is needed",
                     place);
    }
    for (std::size_t t = 0; t < values.size(); ++t) {
      if (!in_range(values[t], low, high, range, place / t)) return false;
    }
    return true;
  }

  // --- the time axis and the sites --------------------------------------------------------------------------------

  bool time_axis() {
    if (!instant(problem_.start, Pointer{} / "start") ||
        !in_range(problem_.slot, Duration{1}, Limits::k_slot, "one second to seven days", Pointer{} / "slot") ||
        !at_most(problem_.slots, Limits::k_slots, "slots", Pointer{} / "slots")) {
      return false;
    }
    return holds(problem_.end() <= Limits::k_last_instant, "the horizon ends after 2261", Pointer{} / "slots") &&
           (problem_.eur_per_tonne == 0 ||
            in_range(problem_.eur_per_tonne, Limits::k_eur_per_tonne_low, Limits::k_eur_per_tonne_high,
                     "0, or 0.001 to 1,000,000", Pointer{} / "eurPerTonne"));
  }

  bool sites() {
    if (!at_most(problem_.sites.size(), Limits::k_sites, "sites", Pointer{} / "sites")) return false;
    std::set<std::string> names;  // names match without regard to case
    for (std::size_t s = 0; s < problem_.sites.size(); ++s) {
      const Pointer place = Pointer{} / "sites" / s;
      if (!site(problem_.sites[s], place) ||
          !holds(names.insert(lower_case(problem_.sites[s].name)).second, "two sites have this name", place / "name")) {
        return false;
      }
    }
    return true;
  }

  bool site(const Site& site, const Pointer& place) {
    return named(site.name, place / "name") && in_range(site.pue, k_one, Limits::k_pue, "1 to 16", place / "pue") &&
           capacity(site, place / "capacity") &&
           profile(site.intensity, CarbonIntensity{}, Limits::k_intensity, "0 to 10,000 g/kWh",
                   place / "gramsPerKwh") &&
           in_range(site.ramp.value_or(Power{}), Power{}, Limits::k_power, "0 to 1e9 W", place / "rampWatts") &&
           in_range(site.energy_per_gb, Energy{}, Limits::k_energy_per_gb, "0 to 10 kWh", place / "kwhPerGb") &&
           prices(site, place / "eurPerMwh");
  }

  bool capacity(const Site& site, const Pointer& place) {
    std::set<std::string_view> seen;
    return std::all_of(site.capacity.begin(), site.capacity.end(), [&](const ResourceCapacity& capacity) {
      const Pointer here = place / capacity.resource;
      return named(capacity.resource, here) &&
             holds(seen.insert(capacity.resource).second, "the resource is given twice", here) &&
             profile(capacity.per_slot, Amount{}, Limits::k_amount, "0 to 1e12", here);
    });
  }

  bool prices(const Site& site, const Pointer& place) {
    if (site.price.empty() && (problem_.eur_per_tonne == 0 || problem_.slots == 0)) return true;
    return holds(!site.price.empty(), "with eurPerTonne every site needs its prices: a missing price is not zero",
                 place) &&
           profile(site.price, -Limits::k_price, Limits::k_price, "-100,000 to 100,000 EUR/MWh", place);
  }

  // --- the jobs ---------------------------------------------------------------------------------------------------

  bool jobs() {
    if (!at_most(problem_.jobs.size(), Limits::k_jobs, "jobs", Pointer{} / "jobs")) return false;
    for (std::size_t j = 0; j < problem_.jobs.size(); ++j) {
      if (!job(problem_.jobs[j], Pointer{} / "jobs" / j)) return false;
    }
    return true;
  }

  bool job(const Job& job, const Pointer& place) {
    return named(job.id, place / "id") && instant(job.earliest_start, place / "earliestStart") &&
           instant(job.finish_by, place / "finishBy") && modes(job, place) && demand(job, place / "demand") &&
           places(job, place) &&
           in_range(job.priority, -Limits::k_priority, Limits::k_priority, "-1,000,000 to 1,000,000",
                    place / "priority") &&
           interruption(job, place / "interruptible") && fixed(job, place / "fixed") &&
           (job.group.empty() || named(job.group, place / "group")) &&
           in_range(job.transfer_gb, 0.0, Limits::k_transfer_gb, "0 to 1e9 GB", place / "transferGb");
  }

  bool modes(const Job& job, const Pointer& place) {
    if (!holds(!job.modes.empty(), "a job has at least one mode", place / "modes") ||
        !at_most(job.modes.size(), Limits::k_modes, "modes", place / "modes")) {
      return false;
    }
    const std::size_t plain = job.modes[0].name.empty() ? 1 : 0;  // its members stand in the job itself
    std::set<std::string_view> names;
    for (std::size_t m = 0; m < job.modes.size(); ++m) {
      const Mode& mode = job.modes[m];
      const Pointer here = m < plain ? place : place / "modes" / (m - plain);
      if ((m >= plain && !named(mode.name, here / "name")) ||
          !holds(names.insert(mode.name).second, "two modes have this name", here / "name") ||
          !in_range(mode.power, Power::of_base(1), Limits::k_power, "more than 0, at most 1e9 W",
                    here / "powerWatts") ||
          !in_range(mode.duration, Duration{1}, Limits::k_duration, "1 second to 366 days", here / "duration")) {
        return false;
      }
    }
    return true;
  }

  bool demand(const Job& job, const Pointer& place) {
    std::set<std::string_view> seen;
    return std::all_of(job.demand.begin(), job.demand.end(), [&](const ResourceDemand& demand) {
      const Pointer here = place / demand.resource;
      return named(demand.resource, here) &&
             holds(seen.insert(demand.resource).second, "the resource is given twice", here) &&
             in_range(demand.amount, Amount{}, Limits::k_amount, "0 to 1e12", here);
    });
  }

  bool places(const Job& job, const Pointer& place) {
    const auto exists = [&](std::size_t site, const Pointer& here) {
      return site < problem_.sites.size() || refused(Errc::unknown_site, "the problem has no such site", here);
    };
    if (!holds(!job.sites.empty(), "a job needs a site where it may run", place / "sites")) return false;
    std::set<std::size_t> seen;
    for (std::size_t i = 0; i < job.sites.size(); ++i) {
      const Pointer here = place / "sites" / i;
      if (!exists(job.sites[i], here) || !holds(seen.insert(job.sites[i]).second, "the site is named twice", here)) {
        return false;
      }
    }
    return exists(job.home_site, place / "homeSite") &&
           (!job.fixed || exists(job.fixed->site, place / "fixed" / "site"));
  }

  /// A fixed job has a say in the plan: it runs where it may, and some of its run lies in the horizon.
  bool fixed(const Job& job, const Pointer& place) {
    if (!job.fixed) return true;
    if (!instant(job.fixed->start, place / "start")) return false;
    if (std::find(job.sites.begin(), job.sites.end(), job.fixed->site) == job.sites.end()) {
      return refused(Errc::invalid_request, "the job is fixed at a site that is not among its sites", place / "site");
    }
    const Instant end = job.fixed->start + job.modes.front().duration;
    return holds(problem_.start < end, "the fixed run is over before the problem starts", place / "start") &&
           holds(job.fixed->start < problem_.end(), "the fixed run begins after the problem's last slot",
                 place / "start");
  }

  bool interruption(const Job& job, const Pointer& place) {
    if (!job.interruption) return true;
    const Interruption& rule = *job.interruption;
    return holds(job.group.empty(),
                 "a job of a group can't be interruptible: its members start together and run through", place) &&
           in_range(rule.min_run, Duration{0}, Limits::k_duration, "0 to 366 days", place / "minRun") &&
           in_range(rule.restart, Duration{0}, Limits::k_duration, "0 to 366 days", place / "restart") &&
           in_range(rule.restart_energy, Energy{}, Limits::k_energy, "0 to 1e9 kWh", place / "restartEnergyKwh") &&
           in_range(rule.max_pauses.value_or(0), 0, Limits::k_pauses, "0 to 10,000", place / "maxPauses");
  }

  // --- all together -----------------------------------------------------------------------------------------------

  bool ids_and_groups() {
    std::unordered_set<std::string_view> ids;
    std::unordered_map<std::string_view, const Job*> groups;  // the first job of each
    for (std::size_t j = 0; j < problem_.jobs.size(); ++j) {
      const Job& job = problem_.jobs[j];
      const Pointer place = Pointer{} / "jobs" / j;
      if (!holds(ids.insert(job.id).second, "two jobs have this id", place / "id")) return false;
      if (job.group.empty()) continue;
      const Job& first = *groups.try_emplace(job.group, &job).first->second;
      if (!holds(first.fixed == job.fixed, "the jobs of a group start together: all are fixed to one start, or none is",
                 place / "fixed")) {
        return false;
      }
    }
    return true;
  }

  bool resources() {
    std::set<std::string_view> names;
    for (const Site& site : problem_.sites) {
      for (const ResourceCapacity& capacity : site.capacity) names.insert(capacity.resource);
    }
    for (const Job& job : problem_.jobs) {
      for (const ResourceDemand& demand : job.demand) names.insert(demand.resource);
    }
    return at_most(names.size(), Limits::k_resources, "different resources", Pointer{} / "sites");
  }

  /// The most that all jobs together could use and emit must fit 64 bits with room to spare. A rough sum is enough.
  bool sums() {
    constexpr double k_room = 4e18;
    double dirtiest = 1, pue = 1, per_gb = 0;  // mg/mWh, -, mWh
    for (const Site& site : problem_.sites) {
      for (const CarbonIntensity intensity : site.intensity) {
        dirtiest = std::max(dirtiest, static_cast<double>(intensity.base()) / 1e6);
      }
      pue = std::max(pue, number(site.pue));
      per_gb = std::max(per_gb, static_cast<double>(site.energy_per_gb.base()));
    }
    double energy = 0;  // mWh
    for (const Job& job : problem_.jobs) energy += most_energy(job) * pue + job.transfer_gb * per_gb;
    return energy * dirtiest <= k_room ||
           refused(Errc::too_large, "the jobs together use more energy than can be counted", Pointer{} / "jobs");
  }

  double most_energy(const Job& job) const {
    double pauses = 0, restart = 0, restart_energy = 0;
    if (job.interruption) {
      pauses = std::min(static_cast<double>(problem_.slots),
                        static_cast<double>(job.interruption->max_pauses.value_or(Limits::k_pauses)));
      restart = static_cast<double>(job.interruption->restart.count());
      restart_energy = static_cast<double>(job.interruption->restart_energy.base());
    }
    double most = 0;
    for (const Mode& mode : job.modes) {
      const double seconds = static_cast<double>(mode.duration.count()) + pauses * restart;
      most = std::max(most, static_cast<double>(mode.power.base()) * seconds / 3600);
    }
    return most + pauses * restart_energy;
  }

  const Problem& problem_;
  Error error_{};
};

}  // namespace

Result<void> validate(const Problem& problem) { return Checker{problem}.run(); }

}  // namespace valle::scheduler
