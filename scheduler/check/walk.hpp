// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "scheduler/check/check.hpp"
#include "scheduler/model/problem.hpp"

// What the parts of the verifier share: runs with their names resolved, and plain slot-by-slot arithmetic.
namespace valle::scheduler::checking {

/// A claim whose job, site and mode exist.
struct Run {
  std::size_t job;
  std::size_t site;
  std::size_t mode;
  std::vector<Interval> segments;  ///< ascending, apart, none empty
  const ClaimedPlan::Claim* claim;
};

/// The violations found so far.
class Findings {
 public:
  void add(ViolationKind kind, std::string detail) { violations_.push_back({kind, std::move(detail)}); }
  [[nodiscard]] std::vector<Violation> take() { return std::move(violations_); }

 private:
  std::vector<Violation> violations_;
};

/// The slots of a problem as instants.
[[nodiscard]] Interval horizon(const Problem& problem);
[[nodiscard]] Interval slot_at(const Problem& problem, std::size_t t);
[[nodiscard]] bool on_boundary(const Problem& problem, Instant t);
/// The slots of the horizon that the segments touch, ascending, each once.
[[nodiscard]] std::vector<std::size_t> touched_slots(const Problem& problem, const std::vector<Interval>& segments);

/// Energy and carbon of a run, from the seconds that it spends in each slot.
struct Account {
  Energy energy{};
  Energy facility_energy{};
  Emissions emissions{};
};
[[nodiscard]] Account account_of(const Problem& problem, const Run& run);

/// Carbon of the job at once at home, capacity ignored: at its earliest start, in the first mode that ends inside the
/// horizon. Of a fixed job the part that counts, from the earliest moment at which it counts.
[[nodiscard]] Emissions run_now_of(const Problem& problem, const Run& run);

// The rules, each group in a file of its own.
void check_run(const Problem& problem, const Run& run, Findings& findings);
void check_groups(const Problem& problem, const std::vector<Run>& runs, Findings& findings);
void check_capacity(const Problem& problem, const std::vector<Run>& runs, Findings& findings);
void check_ramps(const Problem& problem, const std::vector<Run>& runs, Findings& findings);
void check_account(const Problem& problem, const Run& run, Findings& findings);
void check_totals(const Problem& problem, const ClaimedPlan& plan, const std::vector<Run>& runs, Findings& findings);

// Words for details.
[[nodiscard]] std::string job_at_site(const Problem& problem, const Run& run);  ///< job "a" at site "fr"
[[nodiscard]] std::string in_units(Amount amount);                              ///< 2.5
[[nodiscard]] std::string in_watts(Power power);
[[nodiscard]] std::string in_kwh(Energy energy);
[[nodiscard]] std::string in_grams(Emissions emissions);

}  // namespace valle::scheduler::checking
