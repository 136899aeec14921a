// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace valle::scheduler::forecast {

/// Several ridge regressions on the same features, one answer each. Collects sums row by row, so that rows need not be
/// kept and more can follow after a solution. Features come in standardised. One thread.
class RidgeSums {
 public:
  static constexpr std::size_t k_answers = 2;
  using Answers = std::array<double, k_answers>;

  explicit RidgeSums(std::size_t features);
  void add(std::span<const double> features, const Answers& answers);
  [[nodiscard]] std::size_t rows() const { return rows_; }

  /// answer ≈ constant + weights · features
  struct Solution {
    std::array<double, k_answers> constants{};
    std::vector<double> weights;  ///< k_answers a feature, feature by feature
    [[nodiscard]] Answers at(std::span<const double> features) const;
  };
  /// Least squares on centred rows with `penalty` · |weights|². Any number of rows will do: without any, all is 0.
  [[nodiscard]] Solution solve(double penalty) const;

 private:
  std::size_t features_;
  std::size_t rows_ = 0;
  std::vector<double> sums_;      // of each feature
  std::vector<double> squares_;   // lower triangle of Σ z zᵀ, row by row
  std::vector<double> products_;  // Σ z y, k_answers a feature
  Answers answer_sums_{};
};

}  // namespace valle::scheduler::forecast
