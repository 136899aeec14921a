// SPDX-License-Identifier: Apache-2.0
#include "scheduler/solve/anneal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "scheduler/solve/fit.hpp"

namespace valle::scheduler::solving {
namespace {

constexpr std::size_t k_logs = 4096;
constexpr std::int64_t k_moves_a_temperature = 4096;
constexpr double k_never = std::numeric_limits<double>::infinity();

/// What `amount` more in a cell adds to its overload, and what `amount` less takes from it.
Count added(Count free, Count amount) { return std::max(0, amount - free) - std::max(0, -free); }
Count relieved(Count free, Count amount) { return std::max(0, -free) - std::max(0, -free - amount); }

}  // namespace

Annealer::Annealer(State& state, const TaskList& tasks, const Prices& prices, const Candidates& candidates)
    : state_{state},
      instance_{state.instance()},
      prices_{prices},
      candidates_{candidates},
      index_{state},
      room_(instance_.tasks.size(), 0),
      weight_(instance_.tasks.size(), 1),
      unit_(instance_.resources, 0),
      fine_(prices.of_cell.size(), 0),
      logs_(k_logs) {
  for (const std::uint32_t t : tasks) {
    if (candidates.of(t).size() > 1 || (candidates.of(t).size() == 1 && !state.spot(t).placed())) movable_.push_back(t);
  }
  measure_room();
  for (std::size_t i = 0; i < k_logs; ++i) logs_[i] = -std::log((static_cast<double>(i) + 0.5) / k_logs);
}

void Annealer::measure_room() {
  double energy = 0;
  std::vector<double> work(instance_.resources, 1e-9);
  const auto each_load = [&](const Task& task, auto visit) {
    for (const Extent& extent : instance_.extents_of(instance_.options_of(task)[0].footprint)) {
      for (const Load& load : instance_.loads_of(extent))
        visit(load.resource, static_cast<double>(load.amount) * extent.length);
    }
  };
  for (const Task& task : instance_.tasks) {
    for (const std::uint32_t w : instance_.ways_of(task, instance_.options_of(task)[0])) {
      energy += instance_.ways[w].power * instance_.ways[w].length;
    }
    each_load(task, [&](std::uint32_t k, double amount) { work[k] += amount; });
  }
  for (std::size_t k = 0; k < instance_.resources; ++k) {
    double sum = 0;
    std::size_t priced = 0;
    for (std::size_t i = k * instance_.cells(); i < (k + 1) * instance_.cells(); ++i) {
      if (prices_.of_cell[i] <= 0) continue;
      sum += prices_.of_cell[i];
      ++priced;
    }
    if (work[k] < 1) continue;
    unit_[k] =
        std::max(priced > 0 ? sum / static_cast<double>(priced) : 0.0, 0.3 * instance_.spread * energy / work[k]);
  }
  double mean = 0;
  for (const std::uint32_t t : movable_) {
    each_load(instance_.tasks[t], [&](std::uint32_t k, double amount) { room_[t] += unit_[k] * amount; });
    mean += room_[t] / static_cast<double>(movable_.size());
  }
  for (const std::uint32_t t : movable_) weight_[t] = mean > 0 ? std::sqrt(room_[t] / mean) : 1.0;
  std::stable_sort(movable_.begin(), movable_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return room_[a] < room_[b]; });
}

void Annealer::run(const AnnealOptions& options, const std::stop_token& stop) {
  if (movable_.empty()) return;
  random_ = Random{options.seed};
  double temperature = 0;
  for (std::int64_t m = 0; m < options.moves; ++m) {
    if (m % k_moves_a_temperature == 0) {
      if (stop.stop_requested()) return;
      const double progress = static_cast<double>(m) / static_cast<double>(options.moves);
      temperature =
          options.first_temperature > 0
              ? options.first_temperature * std::pow(options.last_temperature / options.first_temperature, progress)
              : 0;
      set_window(temperature / 0.3, temperature / 0.002);
      set_fines(options.first_fine * std::pow(options.last_fine / options.first_fine, progress), options.capacity);
    }
    if (random_.unit() < options.single_share) {
      relocate(temperature);
    } else {
      chain(temperature, options.depth);
    }
  }
}

/// Tasks whose room is near the temperature are the ones that it can sort out.
void Annealer::set_window(double least_room, double most_room) {
  const auto less = [&](std::uint32_t t, double room) { return room_[t] < room; };
  const auto more = [&](double room, std::uint32_t t) { return room < room_[t]; };
  window_begin_ =
      static_cast<std::size_t>(std::lower_bound(movable_.begin(), movable_.end(), least_room, less) - movable_.begin());
  window_end_ =
      static_cast<std::size_t>(std::upper_bound(movable_.begin(), movable_.end(), most_room, more) - movable_.begin());
}

void Annealer::set_fines(double fine, CapacityKind capacity) {
  double hard = 1;
  if (capacity == CapacityKind::hard) {
    // A power of two far above every cost: sums of fines are exact and cancel exactly, and costs keep their digits
    // beside them.
    double dearest = 1;
    for (const Task& task : instance_.tasks) dearest = std::max(dearest, task.penalty);
    hard = std::exp2(std::ceil(std::log2(dearest)) + 6);
  }
  for (std::size_t k = 0; k < instance_.resources; ++k) {
    for (std::size_t i = k * instance_.cells(); i < (k + 1) * instance_.cells(); ++i) {
      fine_[i] = capacity == CapacityKind::hard ? hard : prices_.of_cell[i] + fine * unit_[k];
    }
  }
}

std::uint32_t Annealer::choose() {
  if (window_end_ > window_begin_ && random_.below(8) > 0) {
    return movable_[window_begin_ + random_.below(window_end_ - window_begin_)];
  }
  return movable_[random_.below(movable_.size())];
}

const Candidate& Annealer::draw(std::uint32_t task) {
  const std::span<const Candidate> all = candidates_.of(task);
  const double u = random_.unit();
  return all[static_cast<std::size_t>(u * u * static_cast<double>(all.size()))];
}

double Annealer::limit(std::uint32_t task, double temperature) {
  return temperature * weight_[task] * logs_[random_.next() >> 52];
}

Spot Annealer::spot_of(const Candidate& candidate) const {
  const auto slots = static_cast<std::uint32_t>(instance_.slots);
  return {static_cast<std::int32_t>(candidate.place / slots), static_cast<std::int32_t>(candidate.place % slots),
          candidate.option, candidate.cost};
}

std::span<const Extent> Annealer::extents_of(std::uint32_t task, const Candidate& candidate) const {
  if (candidate.pattern >= 0) return candidates_.pattern(candidate).extents;
  return instance_.extents_of(instance_.options_of(instance_.tasks[task])[candidate.option].footprint);
}

bool Annealer::is_there(std::uint32_t task, const Candidate& candidate) const {
  const Spot &now = state_.spot(task), to = spot_of(candidate);
  return now.site == to.site && now.start == to.start && now.option == to.option &&
         (candidate.pattern < 0 || state_.pattern(task).pieces == candidates_.pattern(candidate).pieces);
}

double Annealer::cost_now(std::uint32_t task) const {
  return state_.spot(task).placed() ? state_.spot(task).cost : instance_.tasks[task].penalty;
}

Annealer::Step Annealer::remember(std::uint32_t task) const {
  Step step{task, state_.spot(task), {}};
  if (instance_.tasks[task].interruptible >= 0) step.pattern = state_.pattern(task);
  return step;
}

void Annealer::take_out(std::uint32_t task) {
  if (!state_.spot(task).placed()) return;
  index_.leave(task, state_.spot(task));
  state_.remove(task);
}

void Annealer::put(std::uint32_t task, const Candidate& candidate) {
  take_out(task);
  state_.place(task, spot_of(candidate), candidate.pattern >= 0 ? &candidates_.pattern(candidate) : nullptr);
  index_.enter(task, state_.spot(task));
}

void Annealer::put_back(const Step& step) {
  take_out(step.task);
  if (!step.spot.placed()) return;
  state_.place(step.task, step.spot, &step.pattern);
  index_.enter(step.task, step.spot);
}

double Annealer::burden_in(const Extent& extent, std::size_t cell, std::int32_t slots) const {
  double sum = 0;
  for (const Load& load : instance_.loads_of(extent)) {
    const Count* free = state_.residual().data() + load.resource * instance_.cells() + cell;
    const double* fine = fine_.data() + load.resource * instance_.cells() + cell;
    for (std::int32_t t = 0; t < slots; ++t) sum += fine[t] * added(free[t], load.amount);
  }
  return sum;
}

double Annealer::relief_in(const Extent& extent, std::size_t cell, std::int32_t slots) const {
  double sum = 0;
  for (const Load& load : instance_.loads_of(extent)) {
    const Count* free = state_.residual().data() + load.resource * instance_.cells() + cell;
    const double* fine = fine_.data() + load.resource * instance_.cells() + cell;
    for (std::int32_t t = 0; t < slots; ++t) sum += fine[t] * relieved(free[t], load.amount);
  }
  return sum;
}

double Annealer::burden(std::span<const Extent> extents, std::size_t place) const {
  double sum = 0;
  for (const Extent& extent : extents)
    sum += burden_in(extent, place + static_cast<std::size_t>(extent.offset), extent.length);
  return sum;
}

double Annealer::relief(std::uint32_t task) const {
  const Spot& spot = state_.spot(task);
  double sum = 0;
  for (const Extent& extent : state_.extents(task)) {
    const std::size_t cell =
        static_cast<std::size_t>(spot.site) * instance_.slots + static_cast<std::size_t>(spot.start + extent.offset);
    sum += relief_in(extent, cell, extent.length);
  }
  return sum;
}

bool Annealer::relocate(double temperature) {
  const std::uint32_t t = choose();
  const Candidate& to = draw(t);
  if (is_there(t, to)) return false;
  const double most = limit(t, temperature);
  const Spot& from = state_.spot(t);
  const Spot spot = spot_of(to);
  const std::span<const Extent> extents = extents_of(t, to);
  const bool same_site = from.placed() && from.site == spot.site;
  if (same_site && from.option == spot.option && to.pattern < 0 && extents.size() == 1 &&
      std::abs(from.start - spot.start) < extents[0].length) {
    return relocate_on_grid(t, to, most, temperature);
  }
  double delta = to.cost - cost_now(t) - relief(t);
  if (delta > most) return false;
  const auto acceptable = [&] { return delta <= most && (temperature > 0 || delta < 0); };
  if (!same_site) {
    delta += burden(extents, to.place);
    if (!acceptable()) return false;
    put(t, to);
    return true;
  }
  const Step before = remember(t);  // at one site the run's own load is in its way
  take_out(t);
  delta += burden(extents, to.place);
  if (acceptable()) {
    put(t, to);
    return true;
  }
  put_back(before);
  return false;
}

/// A move along one site by less than the run's length: only the slots that the task does not keep differ.
bool Annealer::relocate_on_grid(std::uint32_t t, const Candidate& to, double most, double temperature) {
  const Spot& from = state_.spot(t);
  const std::int32_t start = spot_of(to).start, shift = std::abs(from.start - start);
  const Extent& extent = extents_of(t, to)[0];
  const std::size_t row = static_cast<std::size_t>(from.site) * instance_.slots;
  const auto entered = row + static_cast<std::size_t>(start > from.start ? from.start + extent.length : start);
  const auto left = row + static_cast<std::size_t>(start > from.start ? from.start : start + extent.length);
  double delta = to.cost - from.cost;
  if (delta > most) {  // it must be relieved of fines to be worth a look
    delta -= relief_in(extent, left, shift);
    if (delta > most) return false;
    delta += burden_in(extent, entered, shift);
  } else {
    delta += burden_in(extent, entered, shift);
    if (delta > most) delta -= relief_in(extent, left, shift);
  }
  if (delta > most || (temperature == 0 && delta >= 0)) return false;
  put(t, to);
  return true;
}

std::int32_t Annealer::most_overloaded_slot(std::uint32_t task) const {
  const Spot& spot = state_.spot(task);
  Count worst = 0;
  std::int32_t slot = -1;
  for (const Extent& extent : state_.extents(task)) {
    for (const Load& load : instance_.loads_of(extent)) {
      const Count* free = state_.free(load.resource, static_cast<std::size_t>(spot.site));
      for (std::int32_t t = spot.start + extent.offset; t < spot.start + extent.offset + extent.length; ++t) {
        if (free[t] >= worst) continue;
        worst = free[t];
        slot = t;
      }
    }
  }
  return slot;
}

double Annealer::move_to_candidate(std::uint32_t task, const Candidate& candidate, double freed) {
  const double now = cost_now(task);
  steps_.push_back(remember(task));
  take_out(task);
  const double fines = burden(extents_of(task, candidate), candidate.place);
  put(task, candidate);
  return candidate.cost - now - freed + fines;
}

bool Annealer::chain(double temperature, int depth) {
  const std::uint32_t first = choose();
  const double most = limit(first, temperature), freed = relief(first), now = cost_now(first);
  const Candidate* target = nullptr;
  for (int z = 0; z < 4 && target == nullptr; ++z) {
    const Candidate& candidate = draw(first);
    if (candidate.cost - now - freed <= most && !is_there(first, candidate)) target = &candidate;
  }
  if (target == nullptr) return false;
  steps_.clear();
  double delta = move_to_candidate(first, *target, freed);
  std::uint32_t last = first;
  bool stands = true, done = false;
  for (int z = 0; z < depth && stands && !done; ++z) stands = push_one_out(first, last, most, delta, done);
  if (stands && (delta < -1e-9 || (temperature > 0 && delta <= most && delta != 0))) return true;
  for (std::size_t i = steps_.size(); i-- > 0;) put_back(steps_[i]);
  return false;
}

bool Annealer::push_one_out(std::uint32_t first, std::uint32_t& last, double most, double& delta, bool& done) {
  std::int32_t slot = most_overloaded_slot(last);
  if (slot < 0 && last != first) {
    last = first;
    slot = most_overloaded_slot(first);
  }
  if (slot < 0) {
    done = true;
    return true;
  }
  const double without_last = delta - relief(last);
  if (without_last > most) return false;
  const std::int64_t holder =
      index_.draw_holder(state_, static_cast<std::size_t>(state_.spot(last).site), slot, last, random_);
  if (holder < 0) {
    done = true;
    return true;
  }
  const auto blocker = static_cast<std::uint32_t>(holder);
  const double freed = relief(blocker), cost = cost_now(blocker);
  const double affordable = most - without_last + cost;  // for its new cost and fines, or the chain can't stand
  const double penalty = instance_.tasks[blocker].penalty;
  double least = penalty < affordable ? penalty : k_never;
  const double ceiling = std::min(penalty, affordable);
  const Candidate *best = nullptr, *stay = nullptr;
  for (const Candidate& candidate : candidates_.of(blocker)) {
    if (is_there(blocker, candidate)) stay = &candidate;
  }
  steps_.push_back(remember(blocker));
  take_out(blocker);
  for (const Candidate& candidate : candidates_.of(blocker)) {
    if (candidate.cost >= ceiling || candidate.cost >= least || &candidate == stay) continue;
    const double value = candidate.cost + burden(extents_of(blocker, candidate), candidate.place);
    if (value >= least) continue;
    least = value;
    best = &candidate;
  }
  if (least == k_never) return false;
  delta += least - cost - freed;
  if (best == nullptr) {  // it is left out
    done = true;
    return true;
  }
  put(blocker, *best);
  last = blocker;
  return true;
}

}  // namespace valle::scheduler::solving
