// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "scheduler/model/problem.hpp"

namespace valle::bench {

/// What planning problems of one kind are like.
struct Family {
  std::string_view name;
  double slack_low, slack_high;  ///< hours between a job's run and its window, log-uniform
  enum class Work { mixed, alike, few_large, unit, trace } work;
  std::string_view trace = {};  ///< file in the folder of workloads
};
[[nodiscard]] std::span<const Family> families();

struct ProblemOptions {
  std::size_t jobs = 1000;
  std::size_t hours = 168;
  std::size_t slots_an_hour = 1;
  std::size_t sites = 3;  ///< at most 9
  double load = 0.7;      ///< demanded GPU hours by those there are
  std::uint64_t seed = 2;
  std::size_t first_hour = 12'500;  ///< of the intensity files
  /// Folder with intensity/{FR,ES,DE,…}.csv and workloads/*.csv; without it curves are synthetic and traces left out.
  std::optional<std::filesystem::path> data = {};
};

/// Nothing if the family needs data that are not there.
[[nodiscard]] std::optional<scheduler::Problem> make_problem(const Family& family, const ProblemOptions& options);

/// Column two of an hourly file, from an hour on.
[[nodiscard]] std::vector<double> read_curve(const std::filesystem::path& file, std::size_t first, std::size_t hours);

/// Jobs of an hour from 2022-01-01T00Z on, for 90 days four an hour at home in each of FR, ES and DE; each may wait for
/// 24 hours and run at any site, of which each has room for `capacity` jobs at a time. The best plan is a matroid's
/// basis of least weight, so it is known exactly.
[[nodiscard]] scheduler::Problem hour_jobs(const std::filesystem::path& data, double capacity);

}  // namespace valle::bench
