// SPDX-License-Identifier: Apache-2.0
#include "connectors/chain/chain.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <barrier>
#include <deque>
#include <map>
#include <thread>

#include "tests/support/connectors/scripted_transport.hpp"
#include "tests/support/readings.hpp"

namespace valle::connectors {
namespace {

using scheduler::Outcome;
using scheduler::Signal;
using scheduler::SourceAnswer;
using scheduler::SourceRequest;
using scheduler::Zone;
using std::chrono::hours;
using std::chrono::minutes;
using tests::at;

const auto k_now = at("2027-05-12T09:20:00Z");

SourceAnswer rows(std::string_view zone, double grams) {
  SourceAnswer answer{.outcome = Outcome::data};
  answer.harvest.intensity.push_back(tests::a_reading(zone, "2027-05-12T08:00:00Z", grams));
  return answer;
}

SourceAnswer without(Outcome outcome, std::string detail = "as told") {
  return {.outcome = outcome, .detail = std::move(detail)};
}

/// Answers for each zone what it was told last; counts how often it was asked.
class ToldSource final : public scheduler::IntensitySource {
 public:
  explicit ToldSource(std::string name, scheduler::Duration refresh = hours{1})
      : name_{std::move(name)}, refresh_{refresh} {}
  void tell(std::string_view zone, SourceAnswer answer) { told_[Zone::of(zone)] = std::move(answer); }

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::string attribution() const override { return name_ + " licence"; }
  [[nodiscard]] bool offers(const Zone& zone, Signal) const override { return told_.contains(zone); }
  [[nodiscard]] std::vector<Zone> known_zones() const override {
    std::vector<Zone> zones;
    for (const auto& [zone, answer] : told_) zones.push_back(zone);
    return zones;
  }
  [[nodiscard]] scheduler::Duration refresh_interval() const override { return refresh_; }
  [[nodiscard]] std::string stamp() const override { return name_; }
  [[nodiscard]] SourceAnswer fetch(const SourceRequest& request) override {
    ++asked;
    if (on_fetch) on_fetch();
    last = request;
    return told_.at(request.zone);
  }

  std::atomic<int> asked = 0;
  SourceRequest last{.zone = Zone::of("FR"), .wanted = {}, .now = {}};
  std::function<void()> on_fetch;

 private:
  std::string name_;
  scheduler::Duration refresh_;
  std::map<Zone, SourceAnswer> told_;
};

class ChainTest : public testing::Test {
 protected:
  /// Two remote sources in order, then a local one if wanted.
  void SetUp() override {
    std::vector<std::unique_ptr<scheduler::IntensitySource>> sources;
    auto first = std::make_unique<ToldSource>("first");
    auto second = std::make_unique<ToldSource>("second");
    first_ = first.get();
    second_ = second.get();
    sources.push_back(std::move(first));
    sources.push_back(std::move(second));
    chain_ = std::make_unique<Chain>(std::move(sources));
  }
  ChainAnswer ask(std::string_view zone, scheduler::Instant now = k_now) {
    return chain_->ask({.zone = Zone::of(zone), .wanted = {now - hours{24}, now}, .now = now});
  }
  static double grams(const ChainAnswer& answer) {
    return answer.harvest ? scheduler::grams_per_kwh(answer.harvest->intensity.at(0).value) : -1;
  }
  std::unique_ptr<Chain> chain_;
  ToldSource* first_ = nullptr;
  ToldSource* second_ = nullptr;
};

TEST_F(ChainTest, serves_from_the_first_source_that_has_data_and_says_so) {
  first_->tell("FR", rows("FR", 34));
  second_->tell("FR", rows("FR", 99));
  const auto answer = ask("FR");
  EXPECT_EQ(grams(answer), 34);
  EXPECT_EQ(answer.source, "first");
  EXPECT_EQ(answer.attribution, "first licence");
  EXPECT_EQ(answer.grade, Grade::fresh);
  EXPECT_EQ(answer.fetched_at, k_now);
  ASSERT_EQ(answer.said.size(), 1U);
  EXPECT_TRUE(answer.said[0].asked);
  EXPECT_EQ(second_->asked, 0);
}

TEST_F(ChainTest, asks_the_next_source_whatever_the_first_one_lacks) {
  second_->tell("FR", rows("FR", 99));
  for (const auto outcome : {Outcome::no_data, Outcome::bad_answer, Outcome::authentication, Outcome::not_covered,
                             Outcome::blocked, Outcome::rate_limited, Outcome::unavailable, Outcome::not_offered,
                             Outcome::budget_spent, Outcome::misconfigured}) {
    SetUp();
    second_->tell("FR", rows("FR", 99));
    first_->tell("FR", without(outcome));
    const auto answer = ask("FR");
    EXPECT_EQ(answer.source, "second") << to_text(outcome);
    ASSERT_EQ(answer.said.size(), 2U);
    EXPECT_EQ(answer.said[0].outcome, outcome);
    EXPECT_EQ(answer.said[0].detail, "as told");
  }
}

TEST_F(ChainTest, serves_the_other_zones_where_one_has_no_data) {
  first_->tell("FR", rows("FR", 34));
  first_->tell("ES", rows("ES", 112));
  first_->tell("DE", without(Outcome::no_data));
  EXPECT_EQ(grams(ask("FR")), 34);
  const auto germany = ask("DE");
  EXPECT_EQ(germany.harvest, nullptr);
  EXPECT_EQ(germany.grade, Grade::none);
  EXPECT_EQ(grams(ask("ES")), 112);
}

TEST_F(ChainTest, shuts_off_only_the_zone_that_the_plan_does_not_cover_and_tries_it_again_after_a_day) {
  first_->tell("FR", rows("FR", 23));
  first_->tell("DE", without(Outcome::not_covered, "the plan covers neither DE nor past-range"));
  EXPECT_EQ(ask("DE").said[0].next_attempt, k_now + hours{24});
  EXPECT_EQ(grams(ask("FR")), 23);
  EXPECT_EQ(first_->asked, 2);
  const auto later = ask("DE", k_now + hours{23});
  EXPECT_EQ(later.said[0].detail, "the plan covers neither DE nor past-range");
  EXPECT_FALSE(later.said[0].asked);
  EXPECT_EQ(first_->asked, 2);
  first_->tell("DE", rows("DE", 400));
  EXPECT_EQ(grams(ask("DE", k_now + hours{24})), 400);
}

TEST_F(ChainTest, leaves_a_source_alone_for_all_zones_after_a_firewall) {
  first_->tell("FR", without(Outcome::blocked));
  first_->tell("ES", rows("ES", 1));
  second_->tell("ES", rows("ES", 2));
  (void)ask("FR");
  const auto spain = ask("ES", k_now + minutes{59});
  EXPECT_EQ(spain.source, "second");
  EXPECT_EQ(spain.said[0].outcome, Outcome::blocked);
  EXPECT_FALSE(spain.said[0].asked);
  EXPECT_EQ(spain.said[0].next_attempt, k_now + hours{1});
  EXPECT_EQ(ask("ES", k_now + hours{1}).source, "first");
}

TEST_F(ChainTest, waits_as_long_as_a_limit_says) {
  auto limited = without(Outcome::rate_limited);
  limited.retry_after = std::chrono::seconds{700};
  first_->tell("FR", limited);
  (void)ask("FR");
  first_->tell("FR", rows("FR", 34));
  EXPECT_EQ(ask("FR", k_now + std::chrono::seconds{699}).harvest, nullptr);
  EXPECT_EQ(grams(ask("FR", k_now + std::chrono::seconds{700})), 34);
}

TEST_F(ChainTest, takes_one_zone_in_trouble_as_its_own_affair_and_two_as_an_outage) {
  for (const auto* zone : {"FR", "ES", "DE"}) first_->tell(zone, without(Outcome::unavailable));
  (void)ask("FR");
  (void)ask("ES");
  EXPECT_EQ(first_->asked, 2);
  (void)ask("DE");
  EXPECT_EQ(first_->asked, 2) << "the third zone is not made to wait for a time-out of its own";
}

TEST_F(ChainTest, asks_a_source_once_an_hour_however_many_ask) {
  first_->tell("FR", rows("FR", 34));
  (void)ask("FR", at("2027-05-12T09:00:00Z"));
  for (int minute = 1; minute < 60; ++minute) {
    const auto answer = ask("FR", at("2027-05-12T09:00:00Z") + minutes{minute});
    EXPECT_EQ(grams(answer), 34);
    EXPECT_EQ(answer.grade, Grade::fresh);
    EXPECT_EQ(answer.fetched_at, at("2027-05-12T09:00:00Z"));
  }
  EXPECT_EQ(first_->asked, 1);
  (void)ask("FR", at("2027-05-12T10:00:00Z"));
  EXPECT_EQ(first_->asked, 2);
}

TEST_F(ChainTest, asks_again_within_the_hour_where_more_is_wanted) {
  first_->tell("FR", rows("FR", 34));
  (void)ask("FR");
  (void)chain_->ask({.zone = Zone::of("FR"), .wanted = {k_now - hours{48}, k_now}, .now = k_now});
  EXPECT_EQ(first_->asked, 2);
  EXPECT_EQ(first_->last.wanted, (scheduler::Interval{at("2027-05-10T09:00:00Z"), at("2027-05-12T10:00:00Z")}));
  (void)ask("FR");
  EXPECT_EQ(first_->asked, 2) << "the longer answer serves the shorter question";
}

TEST_F(ChainTest, sends_one_flight_for_many_threads) {
  first_->tell("FR", rows("FR", 34));
  constexpr int k_threads = 16;
  std::barrier all_here{k_threads};
  std::atomic<int> served = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < k_threads; ++i) {
    threads.emplace_back([&] {
      all_here.arrive_and_wait();
      served += grams(ask("FR")) == 34 ? 1 : 0;
    });
  }
  threads.clear();
  EXPECT_EQ(served, k_threads);
  EXPECT_EQ(first_->asked, 1);
}

TEST_F(ChainTest, lets_who_waits_give_up_with_its_own_time) {
  first_->tell("FR", rows("FR", 34));
  std::barrier in_flight{2};
  std::barrier may_land{2};
  first_->on_fetch = [&] {
    in_flight.arrive_and_wait();
    may_land.arrive_and_wait();
  };
  std::jthread slow{[&] { (void)ask("FR"); }};
  in_flight.arrive_and_wait();
  const auto hurried = chain_->ask({.zone = Zone::of("FR"),
                                    .wanted = {k_now - hours{24}, k_now},
                                    .now = k_now,
                                    .time_left = std::chrono::milliseconds{1}});
  EXPECT_EQ(hurried.said[0].outcome, Outcome::unavailable);
  EXPECT_EQ(hurried.said[0].detail, "first is still being asked about FR");
  may_land.arrive_and_wait();
}

TEST(ChainWithWaiter, shares_the_callers_time_between_the_sources) {
  tests::VirtualWaiter waiter;
  std::vector<std::unique_ptr<scheduler::IntensitySource>> sources;
  std::vector<ToldSource*> told;
  for (const auto* name : {"first", "second", "third"}) {
    auto source = std::make_unique<ToldSource>(name);
    source->tell("FR", without(Outcome::no_data));
    source->on_fetch = [&] { waiter.wait(std::chrono::seconds{6}); };
    told.push_back(source.get());
    sources.push_back(std::move(source));
  }
  Chain chain{std::move(sources), {.waiter = &waiter}};
  const auto answer = chain.ask({.zone = Zone::of("FR"),
                                 .wanted = {k_now - hours{24}, k_now},
                                 .now = k_now,
                                 .time_left = std::chrono::seconds{10}});
  EXPECT_EQ(told[0]->last.time_left, std::chrono::seconds{10});
  EXPECT_EQ(told[1]->last.time_left, std::chrono::seconds{4});
  EXPECT_EQ(told[2]->asked, 0);
  EXPECT_EQ(answer.said.at(2).detail, "no time was left to ask third");
  EXPECT_EQ(chain.health().size(), 2U) << "the third is not to blame";
}

TEST_F(ChainTest, does_not_hang_after_a_source_that_threw) {
  first_->tell("FR", rows("FR", 34));
  first_->on_fetch = [] { throw std::bad_alloc{}; };
  EXPECT_THROW((void)ask("FR"), std::bad_alloc);
  first_->on_fetch = nullptr;
  EXPECT_EQ(grams(ask("FR")), 34);
}

TEST_F(ChainTest, serves_the_last_good_answer_with_its_grade_through_seventy_two_hours_of_outage) {
  first_->tell("FR", rows("FR", 34));
  (void)ask("FR");
  first_->tell("FR", without(Outcome::unavailable));
  const int before = first_->asked;
  for (minutes passed{5}; passed <= hours{72}; passed += minutes{5}) {
    const auto answer = ask("FR", k_now + passed);
    ASSERT_EQ(grams(answer), 34) << passed.count();
    EXPECT_EQ(answer.fetched_at, k_now);
    // Until the next full hour the answer counts as fresh and nobody asks.
    const auto expected = passed < minutes{40} ? Grade::fresh : passed <= hours{24} ? Grade::aged : Grade::stale;
    EXPECT_EQ(answer.grade, expected) << passed.count();
  }
  const int attempts = first_->asked - before;
  EXPECT_GE(attempts, 72 * 2 - 4) << "at least every half an hour";
  EXPECT_LE(attempts, 72 * 4 + 8) << "but never more often than the pause allows";
  const auto health = chain_->health();
  ASSERT_EQ(health.size(), 1U);
  EXPECT_EQ(health[0].last_success, k_now);
  EXPECT_EQ(health[0].last_outcome, Outcome::unavailable);
  EXPECT_EQ(health[0].consecutive_failures, static_cast<unsigned>(attempts));
  EXPECT_GT(*health[0].next_attempt, k_now + hours{72} - minutes{30});

  first_->tell("FR", rows("FR", 40));
  const auto back = ask("FR", k_now + hours{73});
  EXPECT_EQ(grams(back), 40);
  EXPECT_EQ(back.grade, Grade::fresh);
  EXPECT_EQ(chain_->health()[0].consecutive_failures, 0U);
  EXPECT_FALSE(chain_->health()[0].next_attempt.has_value());
}

TEST_F(ChainTest, serves_the_newest_of_two_last_good_answers) {
  first_->tell("FR", rows("FR", 34));
  second_->tell("FR", rows("FR", 50));
  (void)ask("FR");
  first_->tell("FR", without(Outcome::unavailable));
  EXPECT_EQ(grams(ask("FR", k_now + hours{1})), 50);
  second_->tell("FR", without(Outcome::no_data));
  const auto answer = ask("FR", k_now + hours{5});
  EXPECT_EQ(answer.source, "second");
  EXPECT_EQ(answer.grade, Grade::aged);
  EXPECT_EQ(answer.said.size(), 2U);
}

TEST_F(ChainTest, flags_what_is_unusual_for_a_zone_and_serves_it_all_the_same) {
  first_->tell("FR", rows("FR", 480));
  EXPECT_EQ(grams(ask("FR")), 480);
  EXPECT_EQ(chain_->health()[0].unusual, 1U);
}

TEST(ChainOfLocalSources, reads_anew_each_time_and_never_waits) {
  auto local = std::make_unique<ToldSource>("files", scheduler::Duration{0});
  auto* files = local.get();
  std::vector<std::unique_ptr<scheduler::IntensitySource>> sources;
  sources.push_back(std::move(local));
  Chain chain{std::move(sources)};
  const SourceRequest request{.zone = Zone::of("FR"), .wanted = {k_now - hours{24}, k_now}, .now = k_now};
  files->tell("FR", without(Outcome::misconfigured, "FR.csv:3: not a number"));
  EXPECT_EQ(chain.ask(request).said[0].detail, "FR.csv:3: not a number");
  files->tell("FR", rows("FR", 34));
  EXPECT_EQ(chain.ask(request).source, "files");
  EXPECT_EQ(chain.ask(request).source, "files");
  EXPECT_EQ(files->asked, 3);
  EXPECT_FALSE(chain.health()[0].next_attempt.has_value());
}

TEST_F(ChainTest, counts_what_each_source_answered_and_knows_zones_stamp_and_attribution) {
  first_->tell("FR", without(Outcome::no_data));
  second_->tell("FR", rows("FR", 50));
  second_->tell("DE", rows("DE", 400));
  (void)ask("FR");
  (void)ask("DE");
  const auto counts = chain_->counts();
  ASSERT_EQ(counts.size(), 2U);
  EXPECT_EQ(counts[0].source, "first");
  EXPECT_EQ(counts[0].outcome, Outcome::no_data);
  EXPECT_EQ(counts[0].requests, 1U);
  EXPECT_EQ(counts[1].requests, 2U);
  EXPECT_EQ(chain_->known_zones(), (std::vector{Zone::of("DE"), Zone::of("FR")}));
  EXPECT_EQ(chain_->stamp(), "firstsecond");
  EXPECT_EQ(chain_->attribution("second"), "second licence");
  EXPECT_EQ(chain_->attribution("third"), "");
}

TEST(Chain, without_sources_says_that_nothing_is_known) {
  Chain chain{{}};
  const auto answer = chain.ask({.zone = Zone::of("FR"), .wanted = {k_now - hours{24}, k_now}, .now = k_now});
  EXPECT_EQ(answer.grade, Grade::none);
  EXPECT_TRUE(answer.said.empty());
}

}  // namespace
}  // namespace valle::connectors
