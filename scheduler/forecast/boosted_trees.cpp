// SPDX-License-Identifier: Apache-2.0
#include "scheduler/forecast/boosted_trees.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "scheduler/units/require.hpp"

namespace valle::scheduler::forecast {
namespace {

constexpr std::size_t k_trees = 80;
constexpr double k_rate = 0.15;
constexpr double k_penalty = 20;     // rows of answer 0 that each leaf has besides its own
constexpr std::size_t k_bins = 32;   // the first for what is missing
constexpr std::size_t k_sample = 7;  // every so many rows make the edges of bins; not a divisor of a window

/// Sum and number of the rows in one bin.
struct Bin {
  float sum = 0;
  float rows = 0;
};

/// Edges that part the values into bins of like size; a value at an edge lies above it.
std::vector<float> edges_of(std::vector<float> values) {
  std::vector<float> edges;
  std::sort(values.begin(), values.end());
  for (std::size_t bin = 1; bin + 1 < k_bins && !values.empty(); ++bin) {
    const float edge = values[values.size() * bin / (k_bins - 1)];
    if (edges.empty() || edge > edges.back()) edges.push_back(edge);
  }
  return edges;
}

double worth(double sum, double rows) { return sum * sum / (rows + k_penalty); }

}  // namespace

/// What is kept while trees are added one by one.
class BoostedTrees::Training {
 public:
  Training(BoostedTrees& result, const TreeRows& rows, std::size_t together)
      : result_{result}, together_{together}, rest_{rows.answers} {
    const std::size_t count = rest_.size();
    result.constant_ = std::accumulate(rest_.begin(), rest_.end(), 0.0) / static_cast<double>(count);
    for (float& rest : rest_) rest -= static_cast<float>(result.constant_);
    for (std::size_t f = 0; f < rows.features; ++f) {
      std::vector<float> sample;
      for (std::size_t i = 0; i < count; i += k_sample) {
        const float value = rows.values[i * rows.features + f];
        if (!std::isnan(value)) sample.push_back(value);
      }
      result.edges_.push_back(edges_of(std::move(sample)));
      std::vector<std::uint8_t>& bins = bins_.emplace_back(count);
      for (std::size_t i = 0; i < count; ++i) bins[i] = result.bin_of(f, rows.values[i * rows.features + f]);
    }
  }

  void add_tree() {
    draw();
    Tree tree;
    leaf_.assign(drawn_.size(), 0);
    for (std::size_t depth = 0; depth < k_depth; ++depth) {
      tree.questions[depth] = best_question(std::size_t{1} << depth);
      const auto& [feature, bin] = tree.questions[depth];
      for (std::size_t i = 0; i < drawn_.size(); ++i) {
        if (bins_[feature][drawn_[i]] > bin) leaf_[i] = static_cast<std::uint8_t>(leaf_[i] | 1U << depth);
      }
    }
    std::array<double, k_leaves> sums{};
    std::array<double, k_leaves> rows{};
    for (std::size_t i = 0; i < drawn_.size(); ++i) {
      sums[leaf_[i]] += rest_drawn_[i];
      rows[leaf_[i]] += 1;
    }
    for (std::size_t leaf = 0; leaf < k_leaves; ++leaf) {
      tree.leaves[leaf] = static_cast<float>(k_rate * sums[leaf] / (rows[leaf] + k_penalty));
    }
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      std::size_t leaf = 0;
      for (std::size_t depth = 0; depth < k_depth; ++depth) {
        const auto& [feature, bin] = tree.questions[depth];
        leaf |= static_cast<std::size_t>(bins_[feature][i] > bin) << depth;
      }
      rest_[i] -= tree.leaves[leaf];
    }
    result_.trees_.push_back(tree);
  }

 private:
  void draw() {
    drawn_.clear();
    rest_drawn_.clear();
    for (std::size_t begin = 0; begin < rest_.size(); begin += together_) {
      if (random_() % 2 == 0) continue;
      for (std::size_t i = begin; i < std::min(rest_.size(), begin + together_); ++i) {
        drawn_.push_back(static_cast<std::uint32_t>(i));
        rest_drawn_.push_back(rest_[i]);
      }
    }
    features_.clear();
    for (std::size_t f = 0; f < bins_.size(); ++f) {
      if (random_() % 10 < 7) features_.push_back(f);
    }
  }

  /// The question that brings all `leaves` together nearest to their rows.
  Question best_question(std::size_t leaves) {
    Question best;
    double most = -1;
    for (const std::size_t feature : features_) {
      std::array<std::array<Bin, k_bins>, k_leaves / 2> counts{};
      const std::vector<std::uint8_t>& bins = bins_[feature];
      for (std::size_t i = 0; i < drawn_.size(); ++i) {
        Bin& bin = counts[leaf_[i]][bins[drawn_[i]]];
        bin.sum += rest_drawn_[i];
        bin.rows += 1;
      }
      std::array<double, k_bins> gains{};
      for (std::size_t leaf = 0; leaf < leaves; ++leaf) add_gains(gains, counts[leaf]);
      for (std::size_t bin = 0; bin + 1 < k_bins; ++bin) {
        if (gains[bin] <= most) continue;
        most = gains[bin];
        best = {feature, static_cast<std::uint8_t>(bin)};
      }
    }
    return best;
  }

  static void add_gains(std::array<double, k_bins>& gains, const std::array<Bin, k_bins>& bins) {
    double sum = 0;
    double rows = 0;
    for (const Bin& bin : bins) {
      sum += bin.sum;
      rows += bin.rows;
    }
    double below = 0;
    double rows_below = 0;
    for (std::size_t bin = 0; bin < k_bins; ++bin) {
      below += bins[bin].sum;
      rows_below += bins[bin].rows;
      gains[bin] += worth(below, rows_below) + worth(sum - below, rows - rows_below) - worth(sum, rows);
    }
  }

  BoostedTrees& result_;
  std::size_t together_;
  std::vector<float> rest_;                      ///< what is left to explain of each row
  std::vector<std::vector<std::uint8_t>> bins_;  ///< of each row, feature by feature
  std::mt19937 random_{1};
  // Of the tree that grows:
  std::vector<std::uint32_t> drawn_;
  std::vector<float> rest_drawn_;
  std::vector<std::uint8_t> leaf_;
  std::vector<std::size_t> features_;
};

BoostedTrees BoostedTrees::train(const TreeRows& rows, std::size_t together) {
  require(rows.features <= k_most_features && together > 0, "trees take at most 128 features");
  require(rows.values.size() == rows.features * rows.answers.size(), "trees learn from whole rows");
  BoostedTrees result;
  if (rows.answers.empty() || rows.features == 0) return result;
  Training training{result, rows, together};
  for (std::size_t tree = 0; tree < k_trees; ++tree) training.add_tree();
  return result;
}

std::uint8_t BoostedTrees::bin_of(std::size_t feature, float value) const {
  if (std::isnan(value)) return 0;
  const std::vector<float>& edges = edges_[feature];
  return static_cast<std::uint8_t>(1 + (std::upper_bound(edges.begin(), edges.end(), value) - edges.begin()));
}

double BoostedTrees::at(std::span<const float> features) const {
  if (trees_.empty()) return 0;
  require(features.size() == edges_.size(), "trees answer rows like those that they learnt from");
  std::array<std::uint8_t, k_most_features> bins{};
  for (std::size_t f = 0; f < features.size(); ++f) bins[f] = bin_of(f, features[f]);
  double sum = constant_;
  for (const Tree& tree : trees_) {
    std::size_t leaf = 0;
    for (std::size_t depth = 0; depth < k_depth; ++depth) {
      leaf |= static_cast<std::size_t>(bins[tree.questions[depth].feature] > tree.questions[depth].bin) << depth;
    }
    sum += tree.leaves[leaf];
  }
  return sum;
}

}  // namespace valle::scheduler::forecast
