// SPDX-License-Identifier: Apache-2.0
#include "scheduler/forecast/boosted_trees.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>

namespace valle::scheduler::forecast {
namespace {

constexpr float k_missing_value = std::numeric_limits<float>::quiet_NaN();
constexpr std::size_t k_together = 10;

/// Two features between −1 and 1; what `answer` makes of them.
template <class Answer>
TreeRows rows_of(std::size_t count, Answer answer) {
  std::mt19937 random{3};
  std::uniform_real_distribution<float> number{-1, 1};
  TreeRows rows{.features = 2, .values = {}, .answers = {}};
  for (std::size_t i = 0; i < count; ++i) {
    const float a = number(random);
    const float b = number(random);
    rows.values.insert(rows.values.end(), {a, b});
    rows.answers.push_back(answer(a, b));
  }
  return rows;
}

TEST(BoostedTrees, Learn_what_no_line_can_tell) {
  // The sign of a product: a line would answer 0 everywhere.
  const auto trees = BoostedTrees::train(
      rows_of(4000, [](float a, float b) { return (a > 0) == (b > 0) ? 5.0F : -5.0F; }), k_together);
  EXPECT_GT(trees.at(std::array{0.5F, 0.5F}), 3);
  EXPECT_GT(trees.at(std::array{-0.5F, -0.5F}), 3);
  EXPECT_LT(trees.at(std::array{-0.5F, 0.5F}), -3);
}

TEST(BoostedTrees, Answer_the_mean_where_nothing_tells_more) {
  const auto trees = BoostedTrees::train(rows_of(500, [](float, float) { return 7.0F; }), k_together);
  EXPECT_NEAR(trees.at(std::array{0.1F, 0.9F}), 7, 1e-5);
}

TEST(BoostedTrees, Take_a_missing_value_as_a_case_of_its_own) {
  TreeRows rows = rows_of(2000, [](float, float) { return 1.0F; });
  for (std::size_t i = 0; i < rows.answers.size(); i += 2) {
    rows.values[2 * i] = k_missing_value;
    rows.answers[i] = 9;
  }
  const auto trees = BoostedTrees::train(rows, 1);
  EXPECT_NEAR(trees.at(std::array{k_missing_value, 0.0F}), 9, 0.5);
  EXPECT_NEAR(trees.at(std::array{-1.0F, 0.0F}), 1, 0.5);
}

TEST(BoostedTrees, Never_leave_the_range_of_what_they_saw_far_beyond_it) {
  const auto trees = BoostedTrees::train(rows_of(2000, [](float a, float) { return a; }), k_together);
  EXPECT_LT(trees.at(std::array{1e9F, 0.0F}), 1.2);
  EXPECT_GT(trees.at(std::array{-1e9F, 0.0F}), -1.2);
}

TEST(BoostedTrees, Are_the_same_from_the_same_rows) {
  const TreeRows rows = rows_of(1000, [](float a, float b) { return a * b; });
  const auto one = BoostedTrees::train(rows, k_together);
  const auto other = BoostedTrees::train(rows, k_together);
  for (float a = -1; a < 1; a += 0.1F) EXPECT_EQ(one.at(std::array{a, -a / 2}), other.at(std::array{a, -a / 2}));
}

TEST(BoostedTrees, Without_rows_answer_zero) {
  EXPECT_EQ(BoostedTrees{}.at(std::array{1.0F}), 0);
  EXPECT_EQ(BoostedTrees::train({.features = 3, .values = {}, .answers = {}}, k_together).at(std::array{1.0F}), 0);
}

TEST(BoostedTrees, Of_a_column_without_any_value_make_nothing) {
  TreeRows rows = rows_of(500, [](float, float b) { return b; });
  for (std::size_t i = 0; i < rows.values.size(); i += 2) rows.values[i] = k_missing_value;
  const auto trees = BoostedTrees::train(rows, k_together);
  EXPECT_GT(trees.at(std::array{k_missing_value, 0.9F}), 0.5);
}

}  // namespace
}  // namespace valle::scheduler::forecast
