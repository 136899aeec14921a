// SPDX-License-Identifier: Apache-2.0
#include "scheduler/solve/candidates.hpp"

#include <algorithm>

#include "scheduler/solve/fit.hpp"
#include "scheduler/solve/random.hpp"

namespace valle::scheduler::solving {
namespace {

struct Priced {
  double value;  // cost and price of what it holds
  Candidate run;
  friend bool operator<(const Priced& a, const Priced& b) {
    if (a.value != b.value) return a.value < b.value;
    return a.run.place != b.run.place ? a.run.place < b.run.place : a.run.option < b.run.option;
  }
};

/// Buffers of one chunk of tasks.
struct Chunk {
  StartScratch scratch;
  std::vector<double> cost;
  std::vector<Priced> priced;
  std::vector<Candidate> kept;
  std::vector<Pattern> patterns;
  std::vector<std::size_t> counts;  // of each task of the chunk
};

/// Gives each kept run its pattern and replaces the last third by runs in pieces.
void add_patterns(const Instance& instance, const Task& task, const Prices& prices, std::size_t keep, Chunk& chunk) {
  const std::size_t in_pieces = std::max<std::size_t>(1, keep / 3);
  chunk.priced.resize(std::min(chunk.priced.size(), keep - in_pieces));
  for (Priced& priced : chunk.priced) {
    priced.run.pattern = static_cast<std::int32_t>(chunk.patterns.size());
    chunk.patterns.push_back(without_pause(instance, task, instance.options_of(task)[priced.run.option]));
  }
  Random random{task.first_member + 1ULL};
  std::vector<double> shake(instance.slots, 1.0);
  for (std::size_t i = 0; i < in_pieces; ++i) {
    const double more = i == 0 ? 0 : 0.05 * instance.spread;  // where prices are zero something must differ too
    const auto price = [&](const Load& load) {
      return [&, amount = load.amount](std::size_t cell) {
        return amount * shake[cell % instance.slots] * (prices.of_cell[cell] + more);
      };
    };
    const auto pieces = cheapest_pieces(instance, task, price, nullptr, chunk.scratch.pieces);
    if (!pieces) return;
    Fit fit = fit_of(instance, task, *pieces);
    const auto place = static_cast<std::uint32_t>(static_cast<std::size_t>(fit.spot.site) * instance.slots +
                                                  static_cast<std::size_t>(fit.spot.start));
    const auto number = static_cast<std::int32_t>(chunk.patterns.size());
    chunk.priced.push_back({pieces->fit.value, {place, fit.spot.option, number, 0, fit.spot.cost}});
    chunk.patterns.push_back(std::move(fit.pattern));
    for (double& factor : shake) factor = 2 * random.unit();
  }
}

void keep_best(const Instance& instance, const Task& task, const Prices& prices, std::size_t keep, CandidateCost cost,
               Chunk& chunk) {
  chunk.priced.clear();
  const double* of_cell = prices.of_cell.data();
  for_each_site(task.sites, [&](std::size_t site) {
    for (std::uint32_t o = 0; o < task.options; ++o) {
      const Option& option = instance.options_of(task)[o];
      const StartRange starts = starts_of(task, option);
      if (starts.count == 0) continue;
      put_costs(instance, task, option, site, starts, chunk.scratch);
      chunk.cost.assign(chunk.scratch.value.begin(), chunk.scratch.value.begin() + starts.count);
      add_prices(
          instance, instance.extents_of(option.footprint), site, starts,
          [=](const Load& load) {
            return [of_cell, amount = load.amount](std::size_t cell) { return amount * of_cell[cell]; };
          },
          chunk.scratch);
      for (std::int32_t i = 0; i < starts.count; ++i) {
        const auto n = static_cast<std::size_t>(i);
        const auto place =
            static_cast<std::uint32_t>(site * instance.slots + static_cast<std::size_t>(starts.first + i));
        chunk.priced.push_back({chunk.scratch.value[n], {place, o, -1, option.footprint, chunk.cost[n]}});
      }
    }
  });
  if (chunk.priced.size() > keep) {
    const auto end = chunk.priced.begin() + static_cast<std::ptrdiff_t>(keep);
    std::nth_element(chunk.priced.begin(), end, chunk.priced.end());
    chunk.priced.erase(end, chunk.priced.end());
  }
  std::sort(chunk.priced.begin(), chunk.priced.end());
  if (task.interruptible >= 0) add_patterns(instance, task, prices, keep, chunk);
  for (const Priced& priced : chunk.priced) {
    chunk.kept.push_back(priced.run);
    if (cost == CandidateCost::priced) chunk.kept.back().cost = priced.value;
  }
  chunk.counts.push_back(chunk.priced.size());
}

}  // namespace

Candidates::Candidates(const Instance& instance, const TaskList& tasks, const Prices& prices, std::size_t keep,
                       Parallel& parallel, CandidateCost cost) {
  std::vector<Chunk> chunks(std::clamp<std::size_t>(tasks.size() / 256, 1, 16));
  parallel.for_each(chunks.size(), [&](std::size_t c) {
    for (std::size_t i = tasks.size() * c / chunks.size(); i < tasks.size() * (c + 1) / chunks.size(); ++i) {
      keep_best(instance, instance.tasks[tasks[i]], prices, keep, cost, chunks[c]);
    }
  });
  std::vector<std::size_t> counts(instance.tasks.size(), 0);
  std::size_t i = 0, total = 0;
  for (const Chunk& chunk : chunks) {
    for (const std::size_t count : chunk.counts) counts[tasks[i++]] = count;
    total += chunk.kept.size();
  }
  first_.reserve(counts.size() + 1);
  first_.push_back(0);
  for (const std::size_t count : counts) first_.push_back(first_.back() + count);
  all_.reserve(total);
  for (Chunk& chunk : chunks) {  // `tasks` is ascending, so that chunks follow each other
    const auto offset = static_cast<std::int32_t>(patterns_.size());
    for (Candidate& candidate : chunk.kept) {
      if (candidate.pattern < 0) continue;
      candidate.pattern += offset;
      candidate.shape =
          static_cast<std::uint32_t>(instance.footprints.size()) + static_cast<std::uint32_t>(candidate.pattern);
    }
    all_.insert(all_.end(), chunk.kept.begin(), chunk.kept.end());
    std::move(chunk.patterns.begin(), chunk.patterns.end(), std::back_inserter(patterns_));
    chunk = {};
  }
}

}  // namespace valle::scheduler::solving
