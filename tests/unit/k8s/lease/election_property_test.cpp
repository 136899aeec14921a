// SPDX-License-Identifier: Apache-2.0
// Many candidates, one simulated server, random delays, losses and pauses: whoever believes to lead is alone, and
// epochs grow.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "k8s/client/jitter.hpp"
#include "k8s/lease/election.hpp"

namespace valle::k8s {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// The API server: one object with optimistic locking.
struct Server {
  std::optional<LeaseRecord> lease;
  std::int64_t version = 0;
  bool put(const LeaseRecord& record) {
    const std::string present = lease ? lease->resource_version : "";
    if (present != record.resource_version) return false;
    lease = record;
    lease->resource_version = std::to_string(++version);
    return true;
  }
};

/// A candidate whose calls take time: each reaches the server at one moment, and its answer comes at a later one or
/// never.
struct Process {
  Election election;
  std::uint64_t random;
  enum class Calling { nothing, reading, writing } calling = Calling::nothing;
  LeaseRecord record = {};
  SteadyTime begun{}, arrives{}, answered{};
  bool arrived = false, lost = false, accepted = false;
  std::optional<LeaseRecord> answer = {};
  SteadyTime sleeps_until{};

  std::uint64_t dice(std::uint64_t n) { return (random = scrambled(random)) % n; }

  void begin(SteadyTime now, Calling what) {
    calling = what;
    begun = now;
    // Mostly fast, sometimes far slower than any deadline.
    const auto slow = dice(20) == 0 ? dice(20'000) : dice(300);
    arrives = now + milliseconds{static_cast<std::int64_t>(slow)};
    answered = arrives + milliseconds{static_cast<std::int64_t>(dice(20) == 0 ? dice(9'000) : dice(200))};
    arrived = accepted = false;
    lost = dice(15) == 0;
  }

  void step(SteadyTime now, Server& server) {
    if (calling != Calling::nothing && !arrived && now >= arrives) {
      arrived = true;
      if (calling == Calling::writing) accepted = server.put(record);
      answer = server.lease;
    }
    if (now < sleeps_until) return;  // the process is paused; the network is not
    if (dice(3'000) == 0) sleeps_until = now + seconds{static_cast<std::int64_t>(dice(40))};
    if (calling != Calling::nothing) {
      if (now < answered) return;
      const Calling was = std::exchange(calling, Calling::nothing);
      if (lost) {
        election.failed(now);
      } else if (was == Calling::reading) {
        election.saw(answer, now);
      } else if (accepted) {
        election.wrote(*answer, begun, now);
      } else {
        election.lost_race(now);
      }
    }
    const auto next = election.next(now, std::to_string(now.time_since_epoch().count()));
    if (const auto* write = std::get_if<Election::Write>(&next)) {
      record = write->record;
      begin(now, Calling::writing);
    } else if (std::holds_alternative<Election::Read>(next)) {
      begin(now, Calling::reading);
    }
  }
};

TEST(ElectionProperty, two_never_lead_at_once_and_epochs_only_grow) {
  std::size_t terms = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Server server;
    std::vector<Process> processes;
    for (std::uint64_t i = 0; i < 3; ++i) {
      processes.push_back({Election{"candidate-" + std::to_string(i), {}, seed * 10 + i}, scrambled(seed * 100 + i)});
    }
    std::int64_t epoch = -1;
    std::size_t leader = processes.size();
    SteadyTime now{std::chrono::hours{1}};
    for (int tick = 0; tick < 12'000; ++tick, now += milliseconds{25}) {  // five minutes
      for (auto& process : processes) process.step(now, server);
      std::size_t leading = 0;
      for (std::size_t i = 0; i < processes.size(); ++i) {
        if (!processes[i].election.leading(now)) continue;
        ++leading;
        const std::int64_t of_term = processes[i].election.epoch();
        ASSERT_GE(of_term, epoch) << "seed " << seed << " tick " << tick;
        ASSERT_TRUE(of_term != epoch || leader == i) << "one epoch for two terms, seed " << seed << " tick " << tick;
        terms += of_term != epoch;
        epoch = of_term;
        leader = i;
      }
      ASSERT_LE(leading, 1U) << "seed " << seed << " tick " << tick;
      // A term is over by resignation at times, and the Lease is free at once.
      if (leading == 1 && processes[leader].dice(4'000) == 0 &&
          processes[leader].calling == Process::Calling::nothing) {
        const auto record = processes[leader].election.resign("bye");
        ASSERT_TRUE(record);
        (void)server.put(*record);
        processes[leader].sleeps_until = now + seconds{30};
      }
    }
  }
  EXPECT_GT(terms, 200U) << "the simulation must change leaders often to prove anything";
}

TEST(ElectionProperty, with_a_sound_network_somebody_leads_nearly_always_and_nobody_is_ousted) {
  Server server;
  std::vector<Process> processes;
  for (std::uint64_t i = 0; i < 2; ++i) processes.push_back({Election{std::to_string(i), {}, i}, i});
  SteadyTime now{std::chrono::hours{1}};
  int led = 0;
  for (int tick = 0; tick < 40'000; ++tick, now += milliseconds{25}) {
    for (auto& process : processes) {
      // Calls take one tick and never fail.
      const auto next = process.election.next(now, std::to_string(tick));
      if (const auto* write = std::get_if<Election::Write>(&next)) {
        if (server.put(write->record)) {
          process.election.wrote(*server.lease, now, now);
        } else {
          process.election.lost_race(now);
        }
      } else if (std::holds_alternative<Election::Read>(next)) {
        process.election.saw(server.lease, now);
      }
    }
    led += processes[0].election.leading(now) || processes[1].election.leading(now);
  }
  EXPECT_GT(led, 39'990);
  EXPECT_EQ(server.lease->transitions, 0);
}

}  // namespace
}  // namespace valle::k8s
