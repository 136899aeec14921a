// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "scheduler/solve/instance.hpp"

namespace valle::scheduler::solving {

/// Power of every run in its first slot, where a site limits how fast planned power may rise. Ends of runs give no room
/// back here, so that what keeps within it keeps the ramp. No resource of a problem has an empty name.
inline constexpr std::string_view k_starting_power = "";

/// Loads of one run, resource by resource.
struct RunLoads {
  std::int32_t length = 0;
  std::vector<Load> held, at_start;
};

/// The resources that some site limits, each with a number, and amounts of them in granules. Others need not be looked
/// at. Borrows the problem.
class ResourceTable {
 public:
  explicit ResourceTable(const Problem& problem);

  /// Fills in what an instance has of resources: capacity that fixed jobs leave, names, granules, fixed jobs.
  void put_into(Instance& instance);

  /// What a job holds in a mode that touches `length` slots.
  [[nodiscard]] RunLoads loads_of(const Job& job, const Mode& mode, std::int64_t length) const;

 private:
  /// Everything about one resource before it is brought to granules.
  struct Raw {
    std::string_view name;
    std::vector<std::int64_t> capacity;  // [site][slot]; unlimited where negative
    std::int64_t granule = 0;            // greatest common divisor of the demands
    std::int64_t demand = 0;             // of all jobs together
  };
  struct Touched {
    std::size_t begin, end;
  };
  Raw& raw_of(std::string_view name);
  [[nodiscard]] Touched touched(const Job& job) const;
  void take_fixed(std::size_t j);
  void count_demand(const Job& job);
  static void count_demand(Raw& raw, std::int64_t amount);
  void limit_ramps();
  void put_granules(std::size_t k, Instance& instance);
  [[nodiscard]] Count granules(std::size_t k, std::int64_t amount) const;

  const Problem& problem_;
  std::size_t slots_, cells_;
  std::map<std::string_view, std::size_t> index_;  // resource → number
  std::vector<Raw> raw_;
  std::vector<Instance::FixedJob> fixed_;
};

}  // namespace valle::scheduler::solving
