// SPDX-License-Identifier: Apache-2.0
#include "scheduler/solve/pieces.hpp"

#include <algorithm>
#include <limits>

namespace valle::scheduler::solving {
namespace {

constexpr double k_infinite = std::numeric_limits<double>::infinity();

std::size_t slots_for(std::int64_t seconds, std::int64_t slot) {
  return static_cast<std::size_t>(std::max<std::int64_t>(1, (seconds + slot - 1) / slot));
}

/// The `length` whole slots in a row that are cheapest to run through; of equal ones the first.
PieceCosts cleanest_stretch(const PieceCosts& costs, std::size_t length) {
  length = std::min(length, costs.whole);
  double sum = 0;
  for (std::size_t t = 0; t < length; ++t) sum += costs.energy[t] + costs.room[t];
  double least = sum;
  std::size_t best = 0;
  for (std::size_t t = length; t < costs.whole; ++t) {
    sum += costs.energy[t] + costs.room[t] - costs.energy[t - length] - costs.room[t - length];
    if (sum >= least) continue;
    least = sum;
    best = t + 1 - length;
  }
  const auto of = [&](const auto& values) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(best);
    return std::decay_t<decltype(values)>(begin, begin + static_cast<std::ptrdiff_t>(length));
  };
  return {.first = costs.first + static_cast<std::int32_t>(best),
          .energy = of(costs.energy),
          .room = of(costs.room),
          .open = of(costs.open),
          .resume = of(costs.resume),
          .move = of(costs.move),
          .blocked = of(costs.blocked),
          .closed = of(costs.closed),
          .whole = length,
          .tail = 0};
}

}  // namespace

// --- costs ----------------------------------------------------------------------------------------------------------

void put_piece_costs(const Instance& instance, const Task& task, const Way& way, std::size_t site, PieceCosts& costs) {
  const PauseRule& rule = instance.pauses[static_cast<std::size_t>(task.interruptible)];
  const std::int64_t slot = instance.slot_seconds;
  const std::int64_t whole = std::max<std::int64_t>(0, rule.end / slot - task.first);
  costs.first = task.first;
  costs.whole = static_cast<std::size_t>(whole);
  costs.tail = rule.end / slot < task.first ? 0 : rule.end % slot;
  const std::size_t size = costs.whole + (costs.tail > 0 ? 1 : 0);
  costs.energy.resize(size);
  costs.resume.resize(size);
  costs.move.assign(size, 0.0);
  costs.room.assign(size, 0.0);
  costs.open.assign(size, 0.0);
  costs.blocked.assign(size, false);
  costs.closed.assign(size, false);
  const double* sums = instance.energy.data() + site * (instance.slots + 1) + task.first;
  const double slot_of_hour = 3600.0 / static_cast<double>(slot);
  for (std::size_t t = 0; t < size; ++t) {
    const double of_slot = sums[t + 1] - sums[t];  // of one mW
    costs.energy[t] = way.power * of_slot;
    costs.resume[t] = rule.restart_energy * of_slot * slot_of_hour;
  }
  const Member& member = instance.members[task.first_member];
  if (site == member.home || member.transfer_gb == 0) return;
  const double* moving = instance.transfer.data() + site * instance.slots + task.first;
  for (std::size_t t = 0; t < size; ++t) costs.move[t] = member.transfer_gb * moving[t];
}

void block_full(const State& state, const Way& way, std::size_t site, PieceCosts& costs) {
  const auto block = [&](const Loads& loads, std::vector<bool>& blocked) {
    for (const Load& load : state.instance().loads_of(loads)) {
      const Count* free = state.free(load.resource, site) + costs.first;
      for (std::size_t t = 0; t < costs.size(); ++t) {
        if (free[t] < load.amount) blocked[t] = true;
      }
    }
  };
  block(way.held, costs.blocked);
  block(way.opening, costs.closed);
}

// --- the search -----------------------------------------------------------------------------------------------------

std::optional<PiecesFit> PieceSearch::cheapest(const Instance& instance, const Task& task, const Way& way,
                                               const PieceCosts& costs) {
  const PauseRule& rule = instance.pauses[static_cast<std::size_t>(task.interruptible)];
  if (rule.most_pauses == 0 || costs.size() == 0) return {};
  slot_seconds_ = instance.slot_seconds;
  const std::int64_t first_need = std::clamp<std::int64_t>(rule.min_run, 1, way.seconds);
  const std::int64_t later_need = std::max(first_need, rule.restart + 1);
  const bool counted = rule.restart > 0 || rule.most_pauses < way.length;
  const int most = std::min(rule.most_pauses, k_counted_pauses);
  std::optional<PiecesFit> best;
  // one table for each number of pauses where that changes how long the task runs, else one for all
  for (int pauses = rule.restart > 0 ? 1 : most; pauses <= most; ++pauses) {
    const std::int64_t seconds = way.seconds + pauses * rule.restart;
    const std::int64_t rest = seconds % slot_seconds_;
    const Question question{.full = static_cast<std::size_t>(seconds / slot_seconds_),
                            .rest = rest,
                            .counted = counted,
                            .exact = rule.restart > 0,
                            .first_run = slots_for(first_need, slot_seconds_),
                            .later_run = slots_for(later_need, slot_seconds_),
                            .first_is_rest = rest >= first_need,
                            .later_is_rest = rest >= later_need};
    pause_layers_ = counted ? static_cast<std::size_t>(pauses) + 1 : 1;
    full_ = question.full;
    const std::size_t most_slots = k_most_states / (pause_layers_ * 2 * (full_ + 1));
    if (most_slots <= full_ + 2) break;
    const std::optional<PieceCosts> stretch =
        costs.size() < most_slots ? std::nullopt : std::optional{cleanest_stretch(costs, most_slots - 1)};
    const PieceCosts& searched = stretch ? *stretch : costs;
    solve(question, searched);
    auto found = best_end(question, searched);
    if (found && (!best || found->value < best->value)) best = std::move(found);
  }
  return best;
}

void PieceSearch::reach(Cell& cell, double value, Step step) {
  if (value < cell.value) cell = {value, step};
}

std::optional<double> PieceSearch::run_cost(const PieceCosts& costs, std::size_t t, std::size_t length) const {
  if (t + length > costs.whole || blocked_[t + length] > blocked_[t]) return {};
  return through_[t + length] - through_[t];
}

std::optional<double> PieceSearch::rest_cost(const Question& question, const PieceCosts& costs, std::size_t t) const {
  if (question.rest == 0 || t >= costs.size() || costs.blocked[t]) return {};
  if (t == costs.whole && question.rest > costs.tail) return {};
  return costs.room[t] + costs.energy[t] * static_cast<double>(question.rest) / static_cast<double>(slot_seconds_);
}

void PieceSearch::solve(const Question& question, const PieceCosts& costs) {
  const std::size_t size = costs.size();
  through_.assign(size + 1, 0.0);
  blocked_.assign(size + 1, 0);
  for (std::size_t t = 0; t < size; ++t) {
    through_[t + 1] = through_[t] + costs.energy[t] + costs.room[t];
    blocked_[t + 1] = blocked_[t] + (costs.blocked[t] ? 1 : 0);
  }
  const std::size_t states = (size + 1) * pause_layers_ * 2 * (full_ + 1);
  paused_.assign(states, {k_infinite, Step::none});
  running_.assign(states, {k_infinite, Step::none});
  paused_[at(0, {0, 0, 0})] = {0, Step::fresh};
  for (std::size_t t = 0; t < size; ++t) {
    for (std::size_t pauses = 0; pauses < pause_layers_; ++pauses) {
      for (std::size_t rest_done = 0; rest_done < (question.rest > 0 ? 2U : 1U); ++rest_done) {
        for (std::size_t full = 0; full <= std::min(full_, t); ++full) {
          const Key key{pauses, rest_done, full};
          if (running_[at(t, key)].value < k_infinite) from_running(question, costs, t, key);
          if (paused_[at(t, key)].value < k_infinite) from_paused(question, costs, t, key);
        }
      }
    }
  }
}

void PieceSearch::from_paused(const Question& question, const PieceCosts& costs, std::size_t t, const Key& key) {
  const double value = paused_[at(t, key)].value;
  reach(paused_[at(t + 1, key)], value, Step::wait);
  const bool resumed = key.full > 0 || key.rest_done > 0;
  const std::size_t pauses = key.pauses + (resumed && question.counted ? 1 : 0);
  if (pauses >= pause_layers_) return;
  if (costs.closed[t]) return;
  const double opened = value + costs.open[t] + (resumed ? costs.resume[t] : costs.move[t]);
  const std::size_t run = resumed ? question.later_run : question.first_run;
  if (key.full + run <= full_) {
    if (const auto cost = run_cost(costs, t, run)) {
      reach(running_[at(t + run, {pauses, key.rest_done, key.full + run})], opened + *cost,
            resumed ? Step::begin_later : Step::begin_first);
    }
  }
  if (key.rest_done == 0 && (resumed ? question.later_is_rest : question.first_is_rest)) {
    if (const auto cost = rest_cost(question, costs, t)) {
      reach(paused_[at(t + 1, {pauses, 1, key.full})], opened + *cost, Step::rest_alone);
    }
  }
}

void PieceSearch::from_running(const Question& question, const PieceCosts& costs, std::size_t t, const Key& key) {
  const double value = running_[at(t, key)].value;
  reach(paused_[at(t + 1, key)], value, Step::stop);
  if (key.full < full_ && t < costs.whole && !costs.blocked[t]) {
    reach(running_[at(t + 1, {key.pauses, key.rest_done, key.full + 1})], value + costs.energy[t] + costs.room[t],
          Step::go_on);
  }
  if (key.rest_done == 0) {
    if (const auto cost = rest_cost(question, costs, t)) {
      reach(paused_[at(t + 1, {key.pauses, 1, key.full})], value + *cost, Step::finish_rest);
    }
  }
}

std::optional<PiecesFit> PieceSearch::best_end(const Question& question, const PieceCosts& costs) const {
  double least = k_infinite;
  std::size_t end = 0;
  Key last{}, best{};
  bool running = false;
  for (std::size_t pauses = question.exact ? pause_layers_ - 1 : 0; pauses < pause_layers_; ++pauses) {
    last = {pauses, question.rest > 0 ? 1U : 0U, full_};
    for (std::size_t t = 0; t <= costs.size(); ++t) {
      const double run = running_[at(t, last)].value, pause = paused_[at(t, last)].value;
      if (std::min(run, pause) >= least) continue;
      least = std::min(run, pause);
      end = t;
      best = last;
      running = run <= pause;
    }
  }
  if (least == k_infinite) return {};
  return trace(question, costs, end, best, running);
}

PiecesFit PieceSearch::trace(const Question& question, const PieceCosts& costs, std::size_t t, Key key,
                             bool running) const {
  PiecesFit fit{.value = (running ? running_ : paused_)[at(t, key)].value, .start = 0, .pieces = {}};
  std::size_t piece_end = 0;         // slot after the open piece, walking back
  std::int64_t beyond_boundary = 0;  // of its seconds, those in a slot that is not run through
  bool open = running;
  if (running) piece_end = t;
  const auto close_at = [&](std::size_t begin) {
    const auto slots = static_cast<std::int64_t>(piece_end - begin);
    const std::int64_t seconds =
        beyond_boundary > 0 ? (slots - 1) * slot_seconds_ + beyond_boundary : slots * slot_seconds_;
    fit.pieces.push_back({static_cast<std::int32_t>(begin), static_cast<std::int32_t>(slots), seconds});
    open = false;
    beyond_boundary = 0;
  };
  while (true) {
    const Step step = (running ? running_ : paused_)[at(t, key)].step;
    if (step == Step::fresh) break;
    switch (step) {
      case Step::wait: --t; break;
      case Step::stop:
        --t;
        running = open = true;
        piece_end = t;
        break;
      case Step::go_on:
        --t;
        --key.full;
        break;
      case Step::finish_rest:
        piece_end = t;
        beyond_boundary = question.rest;
        --t;
        key.rest_done = 0;
        running = open = true;
        break;
      case Step::rest_alone:
        piece_end = t;
        beyond_boundary = question.rest;
        --t;
        close_at(t);
        key.rest_done = 0;
        if (question.counted && key.full > 0) --key.pauses;
        break;
      case Step::begin_first:
      case Step::begin_later: {
        const std::size_t run = step == Step::begin_first ? question.first_run : question.later_run;
        t -= run;
        key.full -= run;
        close_at(t);
        running = false;
        if (question.counted && step == Step::begin_later) --key.pauses;
        break;
      }
      case Step::fresh:
      case Step::none: break;
    }
  }
  std::reverse(fit.pieces.begin(), fit.pieces.end());
  const std::int32_t offset = fit.pieces.front().offset;
  fit.start = costs.first + offset;
  for (Piece& piece : fit.pieces) piece.offset -= offset;
  return fit;
}

// --- patterns -------------------------------------------------------------------------------------------------------

Pattern pattern_of(const Way& way, std::vector<Piece> pieces) {
  Pattern pattern{.pieces = std::move(pieces), .extents = {}};
  for (const Piece& piece : pattern.pieces) {
    pattern.extents.push_back({piece.offset, piece.length, way.held});
    if (way.opening.count > 0) pattern.extents.push_back({piece.offset, 1, way.opening});
  }
  return pattern;
}

double pattern_cost(const Instance& instance, const Task& task, const Way& way, const Pattern& pattern,
                    std::size_t site, std::int32_t start) {
  const Member& member = instance.members[task.first_member];
  const PauseRule& rule = instance.pauses[static_cast<std::size_t>(task.interruptible)];
  const double* sums = instance.energy.data() + site * (instance.slots + 1);
  double cost = site == member.home
                    ? 0
                    : member.transfer_gb * instance.transfer[site * instance.slots + static_cast<std::size_t>(start)];
  for (std::size_t i = 0; i < pattern.pieces.size(); ++i) {
    const Piece& piece = pattern.pieces[i];
    const auto first = static_cast<std::size_t>(start + piece.offset);
    const std::size_t last = first + static_cast<std::size_t>(piece.length) - 1;
    const double share = static_cast<double>(piece.seconds - (piece.length - 1) * instance.slot_seconds) /
                         static_cast<double>(instance.slot_seconds);
    cost += way.power * (sums[last] - sums[first] + share * (sums[last + 1] - sums[last]));
    if (i > 0) {
      cost +=
          rule.restart_energy * (sums[first + 1] - sums[first]) * 3600.0 / static_cast<double>(instance.slot_seconds);
    }
  }
  return cost;
}

}  // namespace valle::scheduler::solving
