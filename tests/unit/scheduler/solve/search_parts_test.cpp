// SPDX-License-Identifier: Apache-2.0
// The parts of the search on their own: board, anneal, negotiated start, start by size, branch and bound.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/solve/anneal.hpp"
#include "scheduler/solve/exhaust.hpp"
#include "scheduler/solve/market.hpp"
#include "scheduler/solve/negotiate.hpp"
#include "scheduler/solve/outcome.hpp"
#include "scheduler/solve/random.hpp"
#include "scheduler/solve/repair.hpp"
#include "scheduler/solve/tiers.hpp"
#include "scheduler/solve/volume.hpp"
#include "tests/support/brute_force.hpp"
#include "tests/support/problems.hpp"
#include "tests/support/random_problem.hpp"

namespace valle::tests {
namespace {

using namespace core::solving;
using core::Problem;
using core::Sequential;

/// A problem with everything that the parts work on.
struct World {
  explicit World(Problem of) : problem{std::move(of)}, instance{problem, Objective::carbon}, prices{instance} {
    const auto hopeless = hopeless_tasks(instance);
    for (std::uint32_t t = 0; t < instance.tasks.size(); ++t) {
      if (!hopeless[t]) tasks.push_back(t);
    }
  }
  /// Prices that mean something, and the market's state.
  State cleared() {
    State state{instance};
    prices = clear_market(state, tasks, {.sweeps = 40}, sequential, stop).prices;
    return state;
  }
  Problem problem;
  Instance instance;
  Prices prices;
  TaskList tasks;
  Sequential sequential;
  std::stop_token stop;
};

/// `count` jobs of one to four hours that want one to three GPUs, on two sites of eight, in two days.
Problem crowded(std::size_t count, std::uint64_t seed = 1) {
  Random random{seed};
  std::vector<double> fr, es;
  for (int t = 0; t < 48; ++t) {
    fr.push_back(static_cast<double>(30 + random.below(60)));
    es.push_back(static_cast<double>(80 + random.below(160)));
  }
  auto problem = a_problem(48).with(a_site("fr", fr).holding("gpu", 8)).with(a_site("es", es).holding("gpu", 8));
  for (std::size_t i = 0; i < count; ++i) {
    const auto from = static_cast<double>(random.below(30));
    problem = std::move(problem).with(a_job("j" + std::to_string(i))
                                          .running(std::chrono::hours{1 + random.below(4)})
                                          .drawing(500 + static_cast<double>(random.below(1500)))
                                          .needing("gpu", static_cast<double>(1 + random.below(3)))
                                          .from(from)
                                          .done_by(from + 6 + static_cast<double>(random.below(12))));
  }
  return problem;
}

/// What a state's tasks leave of the capacity, counted anew.
std::vector<Count> counted(const State& state) {
  State again{state.instance()};
  for (std::uint32_t t = 0; t < state.instance().tasks.size(); ++t) {
    if (state.spot(t).placed()) place(again, t, fit_in(state, t));
  }
  return again.residual();
}

std::size_t left_out_count(const State& state, const TaskList& tasks) {
  return static_cast<std::size_t>(
      std::count_if(tasks.begin(), tasks.end(), [&](std::uint32_t t) { return !state.spot(t).placed(); }));
}

TEST(Board, knows_what_is_free_after_any_moves) {
  World world{crowded(60)};
  const State state = world.cleared();
  const Candidates candidates{world.instance, world.tasks, world.prices, 12, world.sequential};
  const Layout layout{state, world.tasks, candidates};
  Board board{layout};
  for (const std::uint32_t t : world.tasks) board.take_over(t, layout.first_seat(t));
  Random random{5};
  for (int i = 0; i < 2000; ++i) {
    const std::uint32_t t = world.tasks[random.below(world.tasks.size())];
    const auto all = candidates.of(t);
    if (random.below(10) == 0) {
      board.move(t, {.cost = world.instance.tasks[t].penalty});
    } else {
      board.move(t, board.seat_of(all[random.below(all.size())]));
    }
  }
  State after = state;
  for (const std::uint32_t t : world.tasks) sit_down(after, t, board.seat(t), candidates);
  EXPECT_EQ(board.free(), after.residual());
  EXPECT_EQ(board.free(), counted(after));
}

TEST(Board, finds_only_tasks_that_hold_the_slot) {
  World world{crowded(60)};
  const State state = world.cleared();
  const Candidates candidates{world.instance, world.tasks, world.prices, 12, world.sequential};
  const Layout layout{state, world.tasks, candidates};
  Board board{layout};
  for (const std::uint32_t t : world.tasks) board.take_over(t, layout.first_seat(t));
  Random random{9};
  int found = 0;
  for (int i = 0; i < 2000; ++i) {
    const auto place = static_cast<std::int32_t>(random.below(world.instance.cells()));
    const std::int64_t holder = board.draw_holder(place, world.tasks[0], random);
    if (holder < 0) continue;
    ++found;
    ASSERT_NE(holder, world.tasks[0]);
    const Spot& spot = state.spot(static_cast<std::size_t>(holder));
    ASSERT_EQ(spot.site, place / 48);
    ASSERT_LE(spot.start, place % 48);
    ASSERT_GT(spot.start + layout.span(board.seat(static_cast<std::uint32_t>(holder)).shape), place % 48);
  }
  EXPECT_GT(found, 500);
}

TEST(Anneal, with_hard_capacity_never_overloads_what_was_not) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    World world{random_problem(seed)};
    State state = world.cleared();
    repair(state, world.tasks, world.prices);
    ASSERT_EQ(state.overload(), 0);
    const Candidates candidates{world.instance, world.tasks, world.prices, 16, world.sequential};
    anneal(
        state, world.tasks, world.prices, candidates,
        {.moves = 3000, .seed = seed, .capacity = CapacityKind::hard, .first_temperature = 1e4, .last_temperature = 1},
        world.sequential, world.stop);
    EXPECT_EQ(state.overload(), 0);
    EXPECT_EQ(state.residual(), counted(state));
  }
}

TEST(Anneal, without_heat_never_costs_more_fines_included) {
  World world{crowded(80)};
  State state = world.cleared();
  repair(state, world.tasks, world.prices);
  const double before = state.objective();
  const Candidates candidates{world.instance, world.tasks, world.prices, 24, world.sequential};
  anneal(state, world.tasks, world.prices, candidates, {.moves = 20'000, .capacity = CapacityKind::hard},
         world.sequential, world.stop);
  EXPECT_LE(state.objective(), before);
}

/// Work in another order than that of the parts.
class Backwards final : public core::Parallel {
 public:
  [[nodiscard]] std::size_t width() const override { return 2; }
  void for_each(std::size_t count, const std::function<void(std::size_t)>& work) override {
    for (std::size_t i = count; i-- > 0;) work(i);
  }
};

TEST(Anneal, in_parts_does_not_depend_on_who_comes_first_and_keeps_count) {
  World world{crowded(300, 3)};
  const State start = world.cleared();
  const Candidates candidates{world.instance, world.tasks, world.prices, 24, world.sequential};
  Backwards backwards;
  std::vector<State> ends(2, start);
  const AnnealOptions options{.moves = 60'000,
                              .first_temperature = 3e4,
                              .last_temperature = 30,
                              .first_fine = 0.3,
                              .last_fine = 30,
                              .parts = 3,
                              .rounds = 12};
  anneal(ends[0], world.tasks, world.prices, candidates, options, world.sequential, world.stop);
  anneal(ends[1], world.tasks, world.prices, candidates, options, backwards, world.stop);
  EXPECT_EQ(ends[0].residual(), ends[1].residual());
  EXPECT_EQ(ends[0].objective(), ends[1].objective());
  EXPECT_EQ(ends[0].residual(), counted(ends[0]));
}

TEST(Negotiation, leads_close_to_what_fits) {
  World world{crowded(90)};
  (void)world.cleared();
  State state = negotiated_start(world.instance, world.tasks, world.prices, {}, world.stop);
  std::int64_t held = 0;
  for (std::size_t i = 0; i < state.residual().size(); ++i) held += world.instance.capacity[i] - state.residual()[i];
  EXPECT_LT(state.overload() * 20, held) << "a twentieth";
  repair(state, world.tasks, world.prices);
  EXPECT_EQ(state.overload(), 0);
  EXPECT_LE(left_out_count(state, world.tasks), 3U);
}

TEST(Tiers, settle_the_large_first_and_within_capacity) {
  auto problem = a_problem(24).with(a_site("fr", std::vector<double>(24, 50)).holding("gpu", 8));
  for (int i = 0; i < 5; ++i) {
    problem = std::move(problem).with(a_job("large" + std::to_string(i)).running(4h).needing("gpu", 6));
  }
  for (int i = 0; i < 30; ++i) problem = std::move(problem).with(a_job("small" + std::to_string(i)).needing("gpu", 1));
  World world{problem};
  const State market = world.cleared();
  const TieredStart start = tiered_start(market, world.tasks, world.prices, {}, world.stop);
  State large{world.instance};
  for (std::uint32_t t = 0; t < 5; ++t) {
    ASSERT_TRUE(start.state.spot(t).placed());
    place(large, t, fit_in(start.state, t));
  }
  EXPECT_EQ(large.overload(), 0);
}

TEST(Exhaustion, finds_the_optimum_and_proves_it) {
  int improved = 0, looked = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    World world{random_problem(seed)};
    if (world.problem.eur_per_tonne > 0 || !can_exhaust(world.instance, world.tasks)) continue;
    State state = world.cleared();
    repair(state, world.tasks, world.prices);
    if (left_out_count(state, world.tasks) > 0 || world.tasks.empty()) continue;
    SCOPED_TRACE(seed);
    const Exhausted found = exhaust(state, world.tasks, world.prices, {}, world.stop);
    const State& best = found.better ? *found.better : state;
    double cost = 0;
    for (const std::uint32_t t : world.tasks) cost += best.spot(t).cost;
    ASSERT_NEAR(found.bound, cost, 1e-6 * (1 + std::fabs(cost))) << "small enough to be gone through";
    EXPECT_EQ(best.overload(), 0);
    ++looked;
    improved += found.better ? 1 : 0;
  }
  EXPECT_GT(looked, 20);
}

TEST(Exhaustion, proves_a_part_where_the_whole_is_too_much) {
  World world{crowded(60)};
  State state = world.cleared();
  repair(state, world.tasks, world.prices);
  ASSERT_EQ(left_out_count(state, world.tasks), 0U);
  const double bound = raise_bound(world.instance, world.tasks, world.prices, state.objective(), {.iterations = 50},
                                   world.sequential, world.stop)
                           .bound;
  const Exhausted found = exhaust(state, world.tasks, world.prices, {.work = 20'000}, world.stop);
  EXPECT_LE(found.bound, (found.better ? *found.better : state).objective());
  EXPECT_GT(found.bound, 0.9 * bound);
}

}  // namespace
}  // namespace valle::tests
