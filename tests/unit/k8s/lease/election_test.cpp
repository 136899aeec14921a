// SPDX-License-Identifier: Apache-2.0
#include "k8s/lease/election.hpp"

#include <gtest/gtest.h>

#include "k8s/lease/lease_record.hpp"

namespace valle::k8s {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr LeaseTimes k_times{};  // 15 s, 10 s, 2 s

LeaseRecord held_by(const std::string& holder, std::int64_t transitions = 3, const std::string& version = "10",
                    const std::string& renewed = "r1") {
  return {.holder = holder,
          .duration = seconds{15},
          .acquire_time = "a",
          .renew_time = renewed,
          .transitions = transitions,
          .resource_version = version};
}

class Candidate : public ::testing::Test {
 protected:
  SteadyTime at(milliseconds since) const { return start_ + since; }
  template <class Kind>
  bool next_is(milliseconds since) {
    step_ = election_.next(at(since), "now");
    return std::holds_alternative<Kind>(step_);
  }
  LeaseRecord written(milliseconds since) {
    EXPECT_TRUE(next_is<Election::Write>(since));
    const auto* write = std::get_if<Election::Write>(&step_);
    return write ? write->record : LeaseRecord{};
  }
  SteadyTime waiting(milliseconds since) {
    EXPECT_TRUE(next_is<Election::Wait>(since));
    const auto* wait = std::get_if<Election::Wait>(&step_);
    return wait ? wait->until : SteadyTime{};
  }
  /// Takes a free lease at 0 s.
  void lead() {
    election_.saw(std::nullopt, at(seconds{0}));
    LeaseRecord record = written(seconds{0});
    record.resource_version = "1";
    election_.wrote(record, at(seconds{0}), at(seconds{0}));
    ASSERT_TRUE(election_.leading(at(seconds{0})));
  }
  const SteadyTime start_{std::chrono::hours{100}};
  Election election_{"me", k_times, 1};
  Election::Step step_;
};

TEST_F(Candidate, reads_first) {
  EXPECT_TRUE(next_is<Election::Read>(seconds{0}));
  EXPECT_EQ(election_.epoch(), -1);
  EXPECT_EQ(election_.holder(), "");
}

TEST_F(Candidate, creates_the_lease_where_there_is_none) {
  election_.saw(std::nullopt, at(seconds{0}));
  const LeaseRecord record = written(seconds{0});
  EXPECT_EQ(record, (LeaseRecord{.holder = "me", .duration = seconds{15}, .acquire_time = "now", .renew_time = "now"}));
  election_.wrote({.holder = "me", .duration = seconds{15}, .resource_version = "1"}, at(seconds{0}), at(seconds{1}));
  EXPECT_TRUE(election_.leading(at(seconds{1})));
  EXPECT_EQ(election_.epoch(), 0);
}

TEST_F(Candidate, leads_from_the_time_at_which_the_write_was_sent) {
  election_.saw(std::nullopt, at(seconds{0}));
  const LeaseRecord record = written(seconds{0});
  election_.wrote(record, at(seconds{0}), at(seconds{4}));
  EXPECT_TRUE(election_.leading(at(milliseconds{9'999})));
  EXPECT_FALSE(election_.leading(at(milliseconds{10'000})));
}

TEST_F(Candidate, waits_while_another_holds_it_and_looks_again_within_the_jitter) {
  election_.saw(held_by("other"), at(seconds{0}));
  const SteadyTime until = waiting(seconds{0});
  EXPECT_GE(until, at(seconds{2}));
  EXPECT_LE(until, at(milliseconds{4'400}));
  EXPECT_EQ(waiting(seconds{1}), until);
  EXPECT_TRUE(next_is<Election::Read>(milliseconds{4'400}));
  EXPECT_EQ(election_.holder(), "other");
  ASSERT_TRUE(election_.rival());
  EXPECT_EQ(election_.rival()->changed_at, at(seconds{0}));
  EXPECT_EQ(election_.rival()->free_at(), at(seconds{15}));
}

TEST_F(Candidate, has_no_rival_where_it_holds_the_lease_itself_or_nobody_does) {
  EXPECT_FALSE(election_.rival());
  election_.saw(held_by(""), at(seconds{0}));
  EXPECT_FALSE(election_.rival());
  election_.wrote(written(seconds{0}), at(seconds{0}), at(seconds{0}));
  EXPECT_FALSE(election_.rival());
}

TEST_F(Candidate, looks_again_the_moment_that_the_lease_runs_out) {
  LeaseRecord record = held_by("other");
  record.duration = seconds{1};  // less than the shortest wait
  election_.saw(record, at(seconds{0}));
  EXPECT_EQ(waiting(seconds{0}), at(seconds{1}));
  EXPECT_TRUE(next_is<Election::Read>(seconds{1}));
  election_.saw(record, at(seconds{1}));
  EXPECT_TRUE(next_is<Election::Write>(seconds{1}));
}

TEST_F(Candidate, counts_from_the_local_time_of_the_last_change_that_it_saw) {
  election_.saw(held_by("other"), at(seconds{0}));
  election_.saw(held_by("other", 3, "11", "r2"), at(seconds{10}));
  election_.saw(held_by("other", 3, "11", "r2"), at(milliseconds{24'999}));
  EXPECT_TRUE(next_is<Election::Wait>(milliseconds{24'999}));
  election_.saw(held_by("other", 3, "11", "r2"), at(seconds{25}));
  const LeaseRecord record = written(seconds{25});
  EXPECT_EQ(record.transitions, 4);
  EXPECT_EQ(record.resource_version, "11");
  EXPECT_EQ(record.acquire_time, "now");
}

TEST_F(Candidate, a_label_on_the_lease_is_no_renewal_but_the_write_is_guarded_by_the_latest_version) {
  election_.saw(held_by("other", 3, "10"), at(seconds{0}));
  election_.saw(held_by("other", 3, "12"), at(seconds{15}));
  EXPECT_EQ(written(seconds{15}).resource_version, "12");
}

TEST_F(Candidate, takes_a_released_lease_at_once) {
  election_.saw(held_by("", 3), at(seconds{0}));
  EXPECT_EQ(written(seconds{0}).transitions, 4);
}

TEST_F(Candidate, the_duration_in_the_record_counts_not_our_own) {
  LeaseRecord record = held_by("other");
  record.duration = seconds{60};
  election_.saw(record, at(seconds{0}));
  election_.saw(record, at(seconds{59}));
  EXPECT_TRUE(next_is<Election::Wait>(seconds{59}));
  election_.saw(record, at(seconds{60}));
  EXPECT_TRUE(next_is<Election::Write>(seconds{60}));
}

TEST_F(Candidate, a_record_without_a_duration_gets_ours_and_not_zero) {
  LeaseRecord record = held_by("other");
  record.duration = seconds{0};
  election_.saw(record, at(seconds{0}));
  EXPECT_TRUE(next_is<Election::Wait>(seconds{0}));
  election_.saw(record, at(seconds{15}));
  EXPECT_TRUE(next_is<Election::Write>(seconds{15}));
}

TEST_F(Candidate, who_was_slower_waits_and_reads) {
  election_.saw(std::nullopt, at(seconds{0}));
  (void)written(seconds{0});
  election_.lost_race(at(seconds{0}));
  EXPECT_GE(waiting(seconds{0}), at(seconds{2}));
  EXPECT_TRUE(next_is<Election::Read>(seconds{5}));
  EXPECT_FALSE(election_.leading(at(seconds{5})));
}

TEST_F(Candidate, a_write_whose_outcome_is_unknown_is_no_term_until_it_is_claimed_anew) {
  election_.saw(std::nullopt, at(seconds{0}));
  (void)written(seconds{0});
  election_.failed(at(seconds{5}));
  EXPECT_FALSE(election_.leading(at(seconds{5})));
  election_.saw(held_by("me", 0), at(seconds{9}));  // it had come through
  EXPECT_EQ(written(seconds{9}).transitions, 1);
}

TEST_F(Candidate, the_holder_renews_every_period_and_keeps_term_and_acquire_time) {
  lead();
  EXPECT_EQ(waiting(seconds{1}), at(seconds{2}));
  const LeaseRecord record = written(seconds{2});
  EXPECT_EQ(record.transitions, 0);
  EXPECT_EQ(record.acquire_time, "now");
  EXPECT_EQ(record.resource_version, "1");
  LeaseRecord stored = record;
  stored.resource_version = "2";
  election_.wrote(stored, at(seconds{2}), at(seconds{3}));
  EXPECT_TRUE(election_.leading(at(milliseconds{11'999})));
  EXPECT_FALSE(election_.leading(at(seconds{12})));
  EXPECT_EQ(written(seconds{5}).resource_version, "2");
}

TEST_F(Candidate, the_holder_who_cannot_renew_stops_at_the_renew_deadline) {
  lead();
  (void)written(seconds{2});
  election_.failed(at(seconds{7}));
  EXPECT_TRUE(next_is<Election::Read>(seconds{9}));
  election_.failed(at(milliseconds{9'500}));
  EXPECT_EQ(waiting(milliseconds{9'600}), at(seconds{10})) << "woken at the end of the term, not after it";
  EXPECT_FALSE(election_.leading(at(seconds{10})));
  (void)election_.next(at(seconds{10}), "now");
  EXPECT_EQ(election_.leading_until(), std::nullopt);
}

TEST_F(Candidate, after_a_lapsed_term_the_next_has_an_epoch_of_its_own) {
  lead();
  (void)election_.next(at(seconds{10}), "now");
  election_.saw(held_by("me", 0, "1"), at(seconds{20}));
  LeaseRecord record = written(seconds{20});
  EXPECT_EQ(record.transitions, 1);
  election_.wrote(record, at(seconds{20}), at(seconds{20}));
  EXPECT_EQ(election_.epoch(), 1);
}

TEST_F(Candidate, a_renewal_that_comes_through_too_late_does_not_revive_the_term) {
  lead();
  const LeaseRecord record = written(seconds{2});
  election_.wrote(record, at(seconds{2}), at(seconds{10}));
  EXPECT_FALSE(election_.leading(at(seconds{10})));
  EXPECT_EQ(written(seconds{10}).transitions, 1) << "it is still ours to claim";
}

TEST_F(Candidate, a_holder_who_meets_a_conflict_looks_soon_and_goes_on_if_it_is_still_his) {
  lead();
  (void)written(seconds{2});
  election_.failed(at(seconds{4}));  // the answer was lost, but the write was not
  EXPECT_TRUE(next_is<Election::Read>(seconds{6}));
  election_.saw(held_by("me", 0, "2"), at(seconds{6}));
  EXPECT_TRUE(election_.leading(at(seconds{6})));
  EXPECT_EQ(written(seconds{6}).resource_version, "2");
  election_.lost_race(at(seconds{6}));
  EXPECT_EQ(waiting(seconds{6}), at(milliseconds{6'500}));
  EXPECT_TRUE(next_is<Election::Read>(milliseconds{6'500}));
}

TEST_F(Candidate, a_holder_who_finds_another_there_stops_at_once) {
  lead();
  election_.saw(held_by("other", 1), at(seconds{3}));
  EXPECT_FALSE(election_.leading(at(seconds{3})));
  EXPECT_TRUE(next_is<Election::Wait>(seconds{3}));
}

TEST_F(Candidate, a_holder_whose_lease_was_deleted_or_edited_stops_and_claims_a_higher_epoch) {
  lead();
  election_.saw(std::nullopt, at(seconds{3}));
  EXPECT_FALSE(election_.leading(at(seconds{3})));
  EXPECT_EQ(written(seconds{3}).transitions, 1);

  Election edited{"me", k_times, 1};
  edited.saw(std::nullopt, at(seconds{0}));
  const auto step = edited.next(at(seconds{0}), "now");
  edited.wrote(std::get<Election::Write>(step).record, at(seconds{0}), at(seconds{0}));
  edited.saw(held_by("me", 40), at(seconds{1}));
  EXPECT_FALSE(edited.leading(at(seconds{1})));
  const auto claim = edited.next(at(seconds{1}), "now");
  EXPECT_EQ(std::get<Election::Write>(claim).record.transitions, 41);
}

TEST_F(Candidate, resigning_ends_the_term_and_frees_the_lease) {
  lead();
  const auto record = election_.resign("later");
  ASSERT_TRUE(record);
  EXPECT_EQ(*record, (LeaseRecord{.holder = "",
                                  .duration = seconds{1},
                                  .acquire_time = "now",
                                  .renew_time = "later",
                                  .transitions = 0,
                                  .resource_version = "1"}));
  EXPECT_FALSE(election_.leading(at(seconds{0})));
}

TEST_F(Candidate, who_never_led_has_nothing_to_resign) {
  EXPECT_EQ(election_.resign("later"), std::nullopt);
  election_.saw(held_by("other"), at(seconds{0}));
  EXPECT_EQ(election_.resign("later"), std::nullopt);
}

TEST(LeaseTimes, the_rules_are_checked_at_their_edges) {
  EXPECT_TRUE(check({}));
  EXPECT_TRUE(check({seconds{15}, milliseconds{14'999}, milliseconds{2'000}}));
  EXPECT_FALSE(check({seconds{15}, seconds{15}, seconds{2}}));
  EXPECT_TRUE(check({seconds{15}, milliseconds{2'401}, milliseconds{2'000}}));
  EXPECT_FALSE(check({seconds{15}, milliseconds{2'400}, milliseconds{2'000}}));
  EXPECT_FALSE(check({seconds{15}, seconds{10}, seconds{0}}));
  EXPECT_FALSE(check({seconds{15}, seconds{10}, seconds{-1}}));
  EXPECT_FALSE(check({seconds{3601}, seconds{10}, seconds{2}}));
}

TEST(LeaseRecord, is_read_and_written_with_all_else_kept) {
  const Json lease =
      Json::parse(R"({"metadata":{"name":"valle","namespace":"v","resourceVersion":"7","labels":{"a":"b"}},
    "spec":{"holderIdentity":"other","leaseDurationSeconds":15,"acquireTime":"a","renewTime":"r","leaseTransitions":4,"strategy":"x"}})");
  LeaseRecord record = lease_record_of(lease);
  EXPECT_EQ(record, (LeaseRecord{"other", seconds{15}, "a", "r", 4, "7"}));
  record.holder = "me";
  const Json written = lease_with(lease, record, "v", "valle");
  EXPECT_EQ(lease_record_of(written), record);
  EXPECT_EQ(written["metadata"]["labels"]["a"], "b");
  EXPECT_FALSE(written["spec"].contains("strategy"));
}

TEST(LeaseRecord, what_is_odd_is_as_if_it_were_not_there) {
  EXPECT_EQ(lease_record_of(Json::parse("null")), LeaseRecord{});
  EXPECT_EQ(lease_record_of(Json::parse(R"({"spec":null,"metadata":[]})")), LeaseRecord{});
  EXPECT_EQ(lease_record_of(Json::parse(
                R"({"spec":{"holderIdentity":7,"leaseDurationSeconds":-3,"leaseTransitions":"x","renewTime":null}})")),
            LeaseRecord{});
}

TEST(LeaseRecord, a_new_lease_has_no_version) {
  const Json lease = lease_with(Json{}, {.holder = "me", .duration = seconds{15}}, "v", "valle");
  EXPECT_EQ(
      lease,
      Json::parse(R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"valle","namespace":"v"},
    "spec":{"holderIdentity":"me","leaseDurationSeconds":15,"leaseTransitions":0}})"));
}

}  // namespace
}  // namespace valle::k8s
