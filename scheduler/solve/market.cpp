// SPDX-License-Identifier: Apache-2.0
#include "scheduler/solve/market.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "scheduler/solve/random.hpp"
#include "scheduler/solve/response.hpp"

namespace valle::scheduler::solving {
namespace {

/// How strongly the price of each resource reacts to one granule too many, before it falls: in proportion to what a
/// granule's energy could save, smaller where jobs are large or capacity is wide.
std::vector<double> first_reactions(const Instance& instance, const TaskList& tasks, double first_step) {
  double energy = 0;  // mW · slots
  std::vector<double> work(instance.resources, 0), square(instance.resources, 0);
  for (const std::uint32_t t : tasks) {
    const Task& task = instance.tasks[t];
    const Option& option = instance.options_of(task)[0];
    for (const std::uint32_t w : instance.ways_of(task, option))
      energy += instance.ways[w].power * instance.ways[w].length;
    for (const Extent& extent : instance.extents_of(option.footprint)) {
      for (const Load& load : instance.loads_of(extent)) {
        const double amount = load.amount;
        work[load.resource] += amount * extent.length;
        square[load.resource] += amount * amount * extent.length;
      }
    }
  }
  std::vector<double> reaction(instance.resources, 0);
  for (std::size_t k = 0; k < instance.resources; ++k) {
    if (work[k] <= 0) continue;
    double capacity = 0;
    for (std::size_t i = 0; i < instance.cells(); ++i) capacity += instance.capacity[k * instance.cells() + i];
    capacity = std::max(1.0, capacity / static_cast<double>(instance.cells()));
    const double mean_demand = square[k] / work[k];  // weighted by work
    reaction[k] = 0.3 * instance.spread * (energy / work[k]) * first_step * std::min(1 / mean_demand, 60 / capacity);
  }
  return reaction;
}

/// One seller's view: residual capacity that follows the tasks of its share within a block.
struct Stall {
  std::vector<Count> residual;
  StartScratch scratch;
};

class Market {
 public:
  Market(State& state, const TaskList& tasks, const MarketOptions& options, Parallel& parallel)
      : state_{state},
        instance_{state.instance()},
        tasks_{tasks},
        options_{options},
        parallel_{parallel},
        base_{options.warm != nullptr ? *options.warm : Prices{instance_}},
        first_reaction_{first_reactions(instance_, tasks, options.first_step)},
        reaction_{first_reaction_},
        order_{tasks},
        stalls_(tasks.size() > 5000 ? 4 : 1),
        answers_(instance_.tasks.size()) {
    Random random{options.seed};
    random.shuffle(order_);
  }

  MarketResult run(const std::stop_token& stop) {
    MarketResult best{.prices = base_, .bound = std::numeric_limits<double>::lowest()};
    Dual dual{instance_, tasks_, LeavingOut::at_penalty, parallel_};
    Prices mean{instance_};
    for (int sweep = 0; sweep < options_.sweeps && !stop.stop_requested(); ++sweep) {
      set_reaction(static_cast<double>(sweep) / options_.sweeps);
      ask_interruptible_ = sweep % 4 == 0 || sweep + 1 == options_.sweeps;
      sweep_once();
      raise_base();
      const double weight = std::max(0.1, 2.0 / (sweep + 2));
      for (std::size_t i = 0; i < mean.of_cell.size(); ++i) {
        mean.of_cell[i] += weight * (base_.of_cell[i] - mean.of_cell[i]);
      }
      if (sweep < 3 || (sweep % 2 != 0 && sweep != options_.sweeps - 1)) continue;
      const double bound = dual.evaluate(mean);
      if (bound > best.bound) best = {mean, bound};
    }
    return best;
  }

 private:
  void set_reaction(double progress) {
    const double c = options_.constant_share;
    const double factor = progress < c ? 1.0 : std::pow(options_.last_step, (progress - c) / (1 - c));
    for (std::size_t k = 0; k < reaction_.size(); ++k) reaction_[k] = factor * first_reaction_[k];
  }

  /// All tasks once, in blocks: the stalls of a block decide side by side on the same residual, then all is committed.
  void sweep_once() {
    const std::size_t count = order_.size(), stalls = stalls_.size();
    const std::size_t a_block = stalls == 1 ? 64 : 48 * stalls;
    const std::size_t blocks = std::max<std::size_t>(1, count / a_block);
    for (std::size_t b = 0; b < blocks; ++b) {
      const std::size_t begin = count * b / blocks, end = count * (b + 1) / blocks;
      parallel_.for_each(stalls, [&](std::size_t s) {
        decide(stalls_[s], begin + (end - begin) * s / stalls, begin + (end - begin) * (s + 1) / stalls);
      });
      for (std::size_t i = begin; i < end; ++i) commit(order_[i]);
    }
  }

  void decide(Stall& stall, std::size_t begin, std::size_t end) {
    stall.residual = state_.residual();
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t t = order_[i];
      if (instance_.tasks[t].interruptible >= 0 && !ask_interruptible_) continue;
      shift_if_placed(state_.spot(t), state_.extents(t), 1, stall);
      answers_[t] = best_answer(instance_.tasks[t], stall);
      const Fit& answer = answers_[t];
      if (answer.spot.placed()) shift_if_placed(answer.spot, extents_of(instance_.tasks[t], answer), -1, stall);
    }
  }

  void shift_if_placed(const Spot& spot, std::span<const Extent> extents, Count sign, Stall& stall) const {
    if (!spot.placed()) return;
    shift_cells(instance_, extents, static_cast<std::size_t>(spot.site), spot.start, sign, stall.residual.data());
  }

  std::span<const Extent> extents_of(const Task& task, const Fit& answer) const {
    if (task.interruptible >= 0) return answer.pattern.extents;
    return instance_.extents_of(instance_.options_of(task)[answer.spot.option].footprint);
  }

  Fit best_answer(const Task& task, Stall& stall) const {
    const Count* residual = stall.residual.data();
    const double* base = base_.of_cell.data();
    const auto price = [&](const Load& load) {
      const double reaction = reaction_[load.resource], amount = load.amount, half = 0.5 * amount;
      return [=](std::size_t cell) {  // of the middle granule
        return amount * std::max(0.0, base[cell] + reaction * (half - residual[cell]));
      };
    };
    return best_response(instance_, task, price, nullptr, 0, stall.scratch);
  }

  void commit(std::uint32_t t) {
    const Fit& answer = answers_[t];
    const bool interruptible = instance_.tasks[t].interruptible >= 0;
    if (interruptible ? !ask_interruptible_ : state_.spot(t) == answer.spot) return;
    state_.remove(t);
    if (answer.spot.placed()) state_.place(t, answer.spot, &answer.pattern);
  }

  void raise_base() {
    for (std::size_t k = 0; k < instance_.resources; ++k) {
      for (std::size_t i = k * instance_.cells(); i < (k + 1) * instance_.cells(); ++i) {
        base_.of_cell[i] = std::max(0.0, base_.of_cell[i] - reaction_[k] * state_.residual()[i]);
      }
    }
  }

  State& state_;
  const Instance& instance_;
  const TaskList& tasks_;
  const MarketOptions& options_;
  Parallel& parallel_;
  Prices base_;
  std::vector<double> first_reaction_, reaction_;  // one a resource
  TaskList order_;
  std::vector<Stall> stalls_;
  bool ask_interruptible_ = true;  // not in each sweep: their search takes many times as long
  std::vector<Fit> answers_;       // one a task: where it wants to go
};

}  // namespace

MarketResult clear_market(State& state, const TaskList& tasks, const MarketOptions& options, Parallel& parallel,
                          const std::stop_token& stop) {
  return Market{state, tasks, options, parallel}.run(stop);
}

}  // namespace valle::scheduler::solving
