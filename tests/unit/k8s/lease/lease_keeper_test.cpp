// SPDX-License-Identifier: Apache-2.0
#include "k8s/lease/lease_keeper.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "k8s/lease/lease_record.hpp"

namespace valle::k8s {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// An API server that holds one Lease, with optimistic locking, and can be broken. Calls take no time.
class OneLease final : public Transport {
 public:
  TransportResult<Response> send(const Request& request, std::stop_token) override {
    const std::scoped_lock lock{mutex_};
    calls_.push_back(request.method);
    changed_.notify_all();
    if (broken_) return tl::unexpected{TransportFailure{TransportFailure::Kind::unreachable, "down"}};
    if (request.method == "GET") return lease_.is_null() ? status(404, "NotFound") : whole(200);
    Json given = Json::parse(request.body);
    if (request.method == "POST" && !lease_.is_null()) return status(409, "AlreadyExists");
    if (request.method == "PUT" && given["metadata"]["resourceVersion"] != lease_["metadata"]["resourceVersion"]) {
      return status(409, "Conflict");
    }
    lease_ = std::move(given);
    lease_["metadata"]["resourceVersion"] = std::to_string(++version_);
    if (std::exchange(loses_answer_, false)) {
      return tl::unexpected{TransportFailure{TransportFailure::Kind::cancelled, "lost"}};
    }
    return whole(request.method == "POST" ? 201 : 200);
  }
  TransportResult<Response> stream(const Request&, const LineSink&, std::stop_token) override {
    return tl::unexpected{TransportFailure{TransportFailure::Kind::unreachable, "no streams here"}};
  }
  void set_broken(bool broken) {
    const std::scoped_lock lock{mutex_};
    broken_ = broken;
  }
  /// The next write happens, but nobody is told.
  void lose_an_answer() {
    const std::scoped_lock lock{mutex_};
    loses_answer_ = true;
  }
  void edit(const std::function<void(Json&)>& change) {
    const std::scoped_lock lock{mutex_};
    change(lease_);
    lease_["metadata"]["resourceVersion"] = std::to_string(++version_);
  }
  Json lease() const {
    const std::scoped_lock lock{mutex_};
    return lease_;
  }
  void wait_for_calls(std::size_t count) const {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] { return calls_.size() >= count; });
  }
  std::size_t calls() const {
    const std::scoped_lock lock{mutex_};
    return calls_.size();
  }

 private:
  Response whole(int code) const { return {code, {}, lease_.dump()}; }
  static Response status(int code, const std::string& reason) {
    return {code, {}, Json{{"kind", "Status"}, {"code", code}, {"reason", reason}}.dump()};
  }
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  Json lease_;
  std::int64_t version_ = 0;
  bool broken_ = false;
  bool loses_answer_ = false;
  std::vector<std::string> calls_;
};

/// Time that stands still until the test moves it; waiters are woken by that, or by a stop.
class SteppedClock final : public Clock {
 public:
  SteadyTime now() const override {
    const std::scoped_lock lock{mutex_};
    return now_;
  }
  bool wait_until(SteadyTime then, std::stop_token stop) override {
    std::unique_lock lock{mutex_};
    rests_until_ = then;
    changed_.notify_all();
    return changed_.wait(lock, stop, [&] { return now_ >= then; });
  }
  /// Waits until the keeper rests, and then lets time pass.
  void pass(milliseconds by) {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] { return rests_until_ > now_; });
    now_ += by;
    changed_.notify_all();
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  SteadyTime now_{std::chrono::hours{10}};
  SteadyTime rests_until_{};
};

class Keeper : public ::testing::Test {
 protected:
  std::unique_ptr<LeaseKeeper> keeper(const std::string& identity) {
    auto client = std::make_shared<Client>(server_, nullptr, clock_, ClientOptions{.rate = {1'000'000, 1'000'000}});
    auto made = LeaseKeeper::make(
        client, [] { return WallTime{}; }, {.space = "v", .identity = identity},
        [this](const Leadership& now) {
          const std::scoped_lock lock{mutex_};
          changes_.push_back(now);
          changed_.notify_all();
        });
    EXPECT_TRUE(made);
    return *std::move(made);
  }
  void wait_for_changes(std::size_t count) {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] { return changes_.size() >= count; });
  }
  std::shared_ptr<OneLease> server_ = std::make_shared<OneLease>();
  std::shared_ptr<SteppedClock> clock_ = std::make_shared<SteppedClock>();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Leadership> changes_;
};

TEST_F(Keeper, takes_a_free_lease_and_gives_it_back) {
  const auto keeper = this->keeper("me");
  EXPECT_FALSE(keeper->leading());
  keeper->start();
  wait_for_changes(1);
  EXPECT_TRUE(keeper->leading());
  EXPECT_EQ(keeper->epoch(), 0);
  EXPECT_EQ(server_->lease()["spec"]["holderIdentity"], "me");
  keeper->stop();
  EXPECT_FALSE(keeper->leading());
  EXPECT_EQ(changes_, (std::vector<Leadership>{{true, 0}, {false, 0}}));
  EXPECT_EQ(lease_record_of(server_->lease()).holder, "");
  EXPECT_EQ(lease_record_of(server_->lease()).duration, seconds{1});
}

TEST_F(Keeper, renews_and_keeps_what_others_wrote_on_the_lease) {
  const auto keeper = this->keeper("me");
  keeper->start();
  wait_for_changes(1);
  clock_->pass(seconds{2});
  server_->wait_for_calls(3);
  server_->edit([](Json& lease) { lease["metadata"]["labels"]["team"] = "x"; });
  clock_->pass(seconds{2});         // 409: our version is old
  clock_->pass(milliseconds{500});  // reads, writes again
  server_->wait_for_calls(6);
  clock_->pass(seconds{2});
  server_->wait_for_calls(7);
  EXPECT_TRUE(keeper->leading());
  keeper->stop();
  EXPECT_EQ(server_->lease()["metadata"]["labels"]["team"], "x");
  EXPECT_EQ(changes_.size(), 2U) << "one term all the time";
}

TEST_F(Keeper, stops_leading_when_the_server_is_away_and_comes_back_with_a_new_epoch) {
  const auto keeper = this->keeper("me");
  keeper->start();
  wait_for_changes(1);
  server_->set_broken(true);
  for (int i = 0; i < 5; ++i) clock_->pass(seconds{2});
  wait_for_changes(2);
  EXPECT_FALSE(keeper->leading());
  EXPECT_NE(keeper->last_error(), "");
  server_->set_broken(false);
  clock_->pass(seconds{5});
  wait_for_changes(3);
  EXPECT_TRUE(keeper->leading());
  EXPECT_EQ(keeper->epoch(), 1);
  EXPECT_EQ(keeper->last_error(), "");
}

TEST_F(Keeper, the_term_ends_by_the_clock_even_if_nobody_looks) {
  const auto keeper = this->keeper("me");
  keeper->start();
  wait_for_changes(1);
  server_->set_broken(true);
  clock_->pass(seconds{10});
  EXPECT_FALSE(keeper->leading());
}

TEST_F(Keeper, yields_to_another_holder) {
  server_->edit([](Json& lease) {
    lease = lease_with(Json{}, {.holder = "other", .duration = seconds{15}, .renew_time = "r", .transitions = 6}, "v",
                       "valle");
  });
  const auto keeper = this->keeper("me");
  keeper->start();
  server_->wait_for_calls(1);
  for (int i = 0; i < 3; ++i) clock_->pass(milliseconds{4'400});
  EXPECT_FALSE(keeper->leading());
  EXPECT_EQ(keeper->holder(), "other");
  clock_->pass(milliseconds{4'400});  // 17.6 s without a renewal
  wait_for_changes(1);
  EXPECT_EQ(keeper->epoch(), 7);
  EXPECT_EQ(keeper->holder(), "me");
}

TEST_F(Keeper, tells_of_a_holder_who_is_silent_and_whose_lease_does_not_run_out) {
  server_->edit([](Json& lease) {
    lease =
        lease_with(Json{}, {.holder = "ghost", .duration = seconds{2'000'000'000}, .renew_time = "r"}, "v", "valle");
  });
  const auto keeper = this->keeper("me");
  EXPECT_FALSE(keeper->silent_for());
  keeper->start();
  server_->wait_for_calls(1);
  for (int i = 0; i < 3; ++i) clock_->pass(milliseconds{4'400});
  EXPECT_FALSE(keeper->silent_for()) << "13.2 s may still be a leader that is alive";
  clock_->pass(milliseconds{4'400});
  EXPECT_EQ(keeper->silent_for(), seconds{17});
  EXPECT_EQ(keeper->rival()->holder, "ghost");
  EXPECT_EQ(keeper->rival()->duration, seconds{2'000'000'000});
  EXPECT_FALSE(keeper->leading());
}

TEST_F(Keeper, who_does_not_lead_gives_nothing_back) {
  server_->edit(
      [](Json& lease) { lease = lease_with(Json{}, {.holder = "other", .duration = seconds{15}}, "v", "valle"); });
  const auto keeper = this->keeper("me");
  keeper->start();
  server_->wait_for_calls(1);
  keeper->stop();
  EXPECT_EQ(server_->lease()["spec"]["holderIdentity"], "other");
  EXPECT_TRUE(changes_.empty());
}

TEST_F(Keeper, a_claim_whose_answer_was_lost_is_given_back_too) {
  server_->lose_an_answer();
  const auto keeper = this->keeper("me");
  keeper->start();
  server_->wait_for_calls(2);
  keeper->stop();
  EXPECT_EQ(server_->lease()["spec"]["holderIdentity"], "");
  EXPECT_TRUE(changes_.empty()) << "it was never led";
}

TEST_F(Keeper, what_it_cannot_work_with_is_refused) {
  auto client = std::make_shared<Client>(server_, nullptr, clock_);
  const auto refused = [&](LeaseOptions options) {
    return !LeaseKeeper::make(
        client, [] { return WallTime{}; }, options);
  };
  EXPECT_TRUE(refused({.space = "", .identity = "me"}));
  EXPECT_TRUE(refused({.space = "v", .identity = ""}));
  EXPECT_TRUE(refused({.space = "v", .name = "", .identity = "me"}));
  EXPECT_TRUE(refused({.space = "v", .identity = "me", .times = {.duration = seconds{1}}}));
  EXPECT_FALSE(refused({.space = "v", .identity = "me"}));
}

}  // namespace
}  // namespace valle::k8s
