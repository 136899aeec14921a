// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace valle::scheduler::forecast {

struct BoostingOptions {
  std::size_t rounds = 200;
  double rate = 0.06;
  std::size_t leaves = 31;      ///< of a tree, at most
  std::size_t least_rows = 60;  ///< in a leaf
};

/// Regression trees, each fitted to what those before it leave over (squared error), grown leaf by leaf where that
/// helps most, on histograms of at most 63 bins a feature. A missing feature (NaN) counts as smaller than all others.
/// Deterministic: nothing is drawn at random. Immutable once trained.
class BoostedTrees {
 public:
  /// `rows` holds one row of `features` values for each answer. Memory: a byte a value, besides what is given.
  [[nodiscard]] static BoostedTrees train(std::span<const float> rows, std::size_t features,
                                          std::span<const double> answers, const BoostingOptions& options = {});
  [[nodiscard]] double at(std::span<const double> features) const;

 private:
  /// An inner node asks whether its feature is at most `cut`; a leaf has no feature.
  struct Node {
    std::int32_t feature = -1;
    std::int32_t left = 0;  ///< index into its tree; the right one follows it
    double cut = 0;         ///< of a leaf: what it adds
  };
  std::vector<std::vector<Node>> trees_;
  double mean_ = 0;

  friend class TreeGrower;
};

}  // namespace valle::scheduler::forecast
