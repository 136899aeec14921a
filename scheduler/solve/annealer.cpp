// SPDX-License-Identifier: Apache-2.0
#include "scheduler/solve/annealer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace valle::scheduler::solving {
namespace {

constexpr std::size_t k_logs = 4096;
constexpr std::int64_t k_moves_a_temperature = 4096;
constexpr double k_never = std::numeric_limits<double>::infinity();

/// Fines for `amount` more in each of some cells.
double added(const Count* free, const double* fine, Count amount, std::int32_t slots) {
  double sum = 0;
  for (std::int32_t t = 0; t < slots; ++t) sum += fine[t] * (std::max(0, amount - free[t]) - std::max(0, -free[t]));
  return sum;
}

/// Fines that `amount` less in each of some cells saves.
double relieved(const Count* free, const double* fine, Count amount, std::int32_t slots) {
  double sum = 0;
  for (std::int32_t t = 0; t < slots; ++t) sum += fine[t] * (std::max(0, -free[t]) - std::max(0, -free[t] - amount));
  return sum;
}

}  // namespace

Annealer::Annealer(Board& board, const Layout& layout, const Prices& prices, const Climate& climate, std::uint64_t seed)
    : board_{board},
      instance_{layout.instance()},
      prices_{prices},
      candidates_{layout.candidates()},
      climate_{climate},
      random_{seed},
      fine_(prices.of_cell.size(), 0),
      logs_(k_logs) {
  for (std::size_t i = 0; i < k_logs; ++i) logs_[i] = -std::log((static_cast<double>(i) + 0.5) / k_logs);
}

void Annealer::run(const AnnealOptions& options, const Stretch& stretch, const std::stop_token& stop) {
  if (movable_.empty()) return;
  double temperature = 0;
  for (std::int64_t m = 0; m < stretch.moves; ++m) {
    if (m % k_moves_a_temperature == 0) {
      if (stop.stop_requested()) return;
      const double progress =
          std::lerp(stretch.from, stretch.to, static_cast<double>(m) / static_cast<double>(stretch.moves));
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
  const auto less = [&](std::uint32_t t, double room) { return climate_.room[t] < room; };
  const auto more = [&](double room, std::uint32_t t) { return room < climate_.room[t]; };
  window_begin_ =
      static_cast<std::size_t>(std::lower_bound(movable_.begin(), movable_.end(), least_room, less) - movable_.begin());
  window_end_ =
      static_cast<std::size_t>(std::upper_bound(movable_.begin(), movable_.end(), most_room, more) - movable_.begin());
}

void Annealer::set_fines(double fine, CapacityKind capacity) {
  // Hard: a power of two far above every cost. Sums of fines are exact and cancel exactly, and costs keep their digits
  // beside them.
  const double hard = std::exp2(std::ceil(std::log2(climate_.dearest)) + 6);
  for (std::size_t k = 0; k < instance_.resources; ++k) {
    for (std::size_t i = k * instance_.cells(); i < (k + 1) * instance_.cells(); ++i) {
      const bool fenced = !open_.empty() && !open_[i % instance_.slots];
      fine_[i] = fenced || capacity == CapacityKind::hard ? hard : prices_.of_cell[i] + fine * climate_.unit[k];
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
  return temperature * climate_.weight[task] * logs_[random_.next() >> 52];
}

double Annealer::burden(std::uint32_t shape, std::int32_t place) const {
  double sum = 0;
  for (const Hold& hold : board_.holds(shape)) {
    const std::size_t cell = hold.cell + static_cast<std::size_t>(place);
    sum += added(board_.free().data() + cell, fine_.data() + cell, hold.amount, hold.length);
  }
  return sum;
}

double Annealer::relief(std::uint32_t task) const {
  const Seat& seat = board_.seat(task);
  if (seat.place < 0) return 0;
  double sum = 0;
  for (const Hold& hold : board_.holds(seat.shape)) {
    const std::size_t cell = hold.cell + static_cast<std::size_t>(seat.place);
    sum += relieved(board_.free().data() + cell, fine_.data() + cell, hold.amount, hold.length);
  }
  return sum;
}

bool Annealer::relocate(double temperature) {
  const std::uint32_t t = choose();
  const Candidate& to = draw(t);
  if (board_.sits_at(t, to)) return false;
  const double most = limit(t, temperature);
  const Seat from = board_.seat(t);
  if (from.place >= 0 && from.shape == to.shape) return relocate_on_grid(t, to, most, temperature);
  double delta = to.cost - from.cost - relief(t);
  if (delta > most) return false;
  // At one site the task's own load may be in its way.
  if (from.place >= 0) board_.shift(from, 1);
  delta += burden(to.shape, static_cast<std::int32_t>(to.place));
  if (from.place >= 0) board_.shift(from, -1);
  if (delta > most || (temperature == 0 && delta >= 0)) return false;
  board_.move(t, board_.seat_of(to));
  return true;
}

/// A move of the same shape: only the slots that the task does not keep differ.
bool Annealer::relocate_on_grid(std::uint32_t t, const Candidate& to, double most, double temperature) {
  const Seat& from = board_.seat(t);
  const std::span<const Hold> holds = board_.holds(to.shape);
  const auto target = static_cast<std::int32_t>(to.place);
  const std::int32_t shift = std::abs(from.place - target);
  const auto fines = [&](auto of_range, std::int32_t here, std::int32_t there) {
    double sum = 0;
    for (const Hold& hold : holds) {
      const bool apart = shift >= hold.length;
      const std::int32_t begin = apart || here < there ? here : there + hold.length;
      const std::size_t cell = hold.cell + static_cast<std::size_t>(begin);
      sum += of_range(board_.free().data() + cell, fine_.data() + cell, hold.amount, apart ? hold.length : shift);
    }
    return sum;
  };
  double delta = to.cost - from.cost;
  if (delta > most) {  // it must be relieved of fines to be worth a look
    delta -= fines(relieved, from.place, target);
    if (delta > most) return false;
    delta += fines(added, target, from.place);
  } else {
    delta += fines(added, target, from.place);
    if (delta > most) delta -= fines(relieved, from.place, target);
  }
  if (delta > most || (temperature == 0 && delta >= 0)) return false;
  board_.move(t, board_.seat_of(to));
  return true;
}

/// The place (site · slots + slot) where most is missing under the task; -1: nothing is.
std::int32_t Annealer::most_overloaded(std::uint32_t task) const {
  const Seat& seat = board_.seat(task);
  if (seat.place < 0) return -1;
  Count worst = 0;
  std::int32_t place = -1;
  for (const Hold& hold : board_.holds(seat.shape)) {
    const Count* free = board_.free().data() + hold.cell + seat.place;
    for (std::int32_t t = 0; t < hold.length; ++t) {
      if (free[t] >= worst) continue;
      worst = free[t];
      place = seat.place + hold.offset + t;
    }
  }
  return place;
}

double Annealer::move_to_candidate(std::uint32_t task, const Candidate& candidate, double freed) {
  const Seat from = board_.seat(task);
  steps_.push_back({task, from});
  if (from.place >= 0) board_.shift(from, 1);
  const double fines = burden(candidate.shape, static_cast<std::int32_t>(candidate.place));
  if (from.place >= 0) board_.shift(from, -1);
  board_.move(task, board_.seat_of(candidate));
  return candidate.cost - from.cost - freed + fines;
}

bool Annealer::chain(double temperature, int depth) {
  const std::uint32_t first = choose();
  const double most = limit(first, temperature), freed = relief(first), now = board_.seat(first).cost;
  const Candidate* target = nullptr;
  for (int z = 0; z < 4 && target == nullptr; ++z) {
    const Candidate& candidate = draw(first);
    if (candidate.cost - now - freed <= most && !board_.sits_at(first, candidate)) target = &candidate;
  }
  if (target == nullptr) return false;
  steps_.clear();
  double delta = move_to_candidate(first, *target, freed);
  std::uint32_t last = first;
  bool stands = true, done = false;
  for (int z = 0; z < depth && stands && !done; ++z) stands = push_one_out(first, last, most, delta, done);
  if (stands && (delta < -1e-9 || (temperature > 0 && delta <= most && delta != 0))) return true;
  for (std::size_t i = steps_.size(); i-- > 0;) board_.move(steps_[i].task, steps_[i].seat);
  return false;
}

bool Annealer::push_one_out(std::uint32_t first, std::uint32_t& last, double most, double& delta, bool& done) {
  std::int32_t place = most_overloaded(last);
  if (place < 0 && last != first) {
    last = first;
    place = most_overloaded(first);
  }
  if (place < 0) {
    done = true;
    return true;
  }
  const double without_last = delta - relief(last);
  if (without_last > most) return false;
  const std::int64_t holder = board_.draw_holder(place, last, random_);
  if (holder < 0) {
    done = true;
    return true;
  }
  const auto blocker = static_cast<std::uint32_t>(holder);
  const Seat from = board_.seat(blocker);
  const double freed = relief(blocker), penalty = instance_.tasks[blocker].penalty;
  // What its new cost and fines may be, or the chain can't stand.
  const double affordable = most - without_last + from.cost;
  double least = std::min(penalty, affordable);
  const Candidate* best = best_seat(blocker, least);
  if (best == nullptr && penalty >= affordable) return false;
  steps_.push_back({blocker, from});
  delta += least - from.cost - freed;
  if (best == nullptr) {  // it is left out
    board_.move(blocker, {.cost = penalty});
    done = true;
    return true;
  }
  board_.move(blocker, board_.seat_of(*best));
  last = blocker;
  return true;
}

const Candidate* Annealer::best_seat(std::uint32_t task, double& ceiling) {
  const Seat from = board_.seat(task);
  const Candidate* best = nullptr;
  board_.shift(from, 1);
  for (const Candidate& candidate : candidates_.of(task)) {
    if (candidate.cost >= ceiling || board_.sits_at(task, candidate)) continue;
    const double value = candidate.cost + burden(candidate.shape, static_cast<std::int32_t>(candidate.place));
    if (value >= ceiling) continue;
    ceiling = value;
    best = &candidate;
  }
  board_.shift(from, -1);
  return best;
}

}  // namespace valle::scheduler::solving
