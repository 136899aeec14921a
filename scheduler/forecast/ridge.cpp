// SPDX-License-Identifier: Apache-2.0
#include "scheduler/forecast/ridge.hpp"

#include <algorithm>
#include <cmath>

namespace valle::scheduler::forecast {
namespace {

std::size_t row_begin(std::size_t row) { return row * (row + 1) / 2; }

/// Cholesky's factor of a positive definite matrix, in the place of its lower triangle.
void factorise(std::vector<double>& lower, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    double* const row = lower.data() + row_begin(i);
    for (std::size_t j = 0; j <= i; ++j) {
      const double* const other = lower.data() + row_begin(j);
      double rest = row[j];
      for (std::size_t k = 0; k < j; ++k) rest -= row[k] * other[k];
      row[j] = i == j ? std::sqrt(rest) : rest / other[j];
    }
  }
}

/// x with L Lᵀ x = b, where `x` comes in as b.
void substitute(const std::vector<double>& lower, std::vector<double>& x) {
  const std::size_t size = x.size();
  for (std::size_t i = 0; i < size; ++i) {
    const double* const row = lower.data() + row_begin(i);
    for (std::size_t k = 0; k < i; ++k) x[i] -= row[k] * x[k];
    x[i] /= row[i];
  }
  for (std::size_t i = size; i-- > 0;) {
    for (std::size_t k = i + 1; k < size; ++k) x[i] -= lower[row_begin(k) + i] * x[k];
    x[i] /= lower[row_begin(i) + i];
  }
}

}  // namespace

RidgeSums::RidgeSums(std::size_t features)
    : features_{features}, sums_(features), squares_(row_begin(features)), products_(features * k_answers) {}

void RidgeSums::add(std::span<const double> features, const Answers& answers) {
  ++rows_;
  for (std::size_t i = 0; i < features_; ++i) {
    const double value = features[i];
    sums_[i] += value;
    double* const row = squares_.data() + row_begin(i);
    for (std::size_t j = 0; j <= i; ++j) row[j] += value * features[j];
    for (std::size_t a = 0; a < k_answers; ++a) products_[i * k_answers + a] += value * answers[a];
  }
  for (std::size_t a = 0; a < k_answers; ++a) answer_sums_[a] += answers[a];
}

RidgeSums::Solution RidgeSums::solve(double penalty) const {
  Solution solution;
  solution.weights.resize(features_ * k_answers);
  if (rows_ == 0) return solution;
  const auto rows = static_cast<double>(rows_);
  std::vector<double> lower = squares_;
  for (std::size_t i = 0; i < features_; ++i) {
    for (std::size_t j = 0; j <= i; ++j) lower[row_begin(i) + j] -= sums_[i] * sums_[j] / rows;
    // Rounding may leave a feature that never moves a shade below zero.
    lower[row_begin(i) + i] = std::max(0.0, lower[row_begin(i) + i]) + penalty;
  }
  factorise(lower, features_);
  std::vector<double> x(features_);
  for (std::size_t a = 0; a < k_answers; ++a) {
    const double mean = answer_sums_[a] / rows;
    for (std::size_t i = 0; i < features_; ++i) x[i] = products_[i * k_answers + a] - sums_[i] * mean;
    substitute(lower, x);
    solution.constants[a] = mean;
    for (std::size_t i = 0; i < features_; ++i) {
      solution.weights[i * k_answers + a] = x[i];
      solution.constants[a] -= x[i] * sums_[i] / rows;
    }
  }
  return solution;
}

RidgeSums::Answers RidgeSums::Solution::at(std::span<const double> features) const {
  Answers result = constants;
  for (std::size_t i = 0; i < features.size(); ++i) {
    for (std::size_t a = 0; a < k_answers; ++a) result[a] += features[i] * weights[i * k_answers + a];
  }
  return result;
}

}  // namespace valle::scheduler::forecast
