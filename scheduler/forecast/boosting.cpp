// SPDX-License-Identifier: Apache-2.0
#include "scheduler/forecast/boosting.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace valle::scheduler::forecast {
namespace {

constexpr std::size_t k_bins = 64;  // the first is for what is missing
constexpr std::size_t k_sampled = 20'000;

/// A feature's values as the bins between its cuts.
struct BinnedFeature {
  std::vector<float> cuts;         // ascending; bin b > 0 holds values above cuts[b - 2], up to cuts[b - 1]
  std::vector<std::uint8_t> bins;  // by row
};

BinnedFeature binned(std::span<const float> rows, std::size_t features, std::size_t feature) {
  BinnedFeature result;
  const std::size_t count = rows.size() / features;
  std::vector<float> seen;
  const std::size_t step = std::max<std::size_t>(1, count / k_sampled);
  for (std::size_t row = 0; row < count; row += step) {
    const float value = rows[row * features + feature];
    if (!std::isnan(value)) seen.push_back(value);
  }
  std::sort(seen.begin(), seen.end());
  for (std::size_t b = 1; b < k_bins - 1 && !seen.empty(); ++b) {
    const float cut = seen[b * seen.size() / (k_bins - 1)];
    if (cut < seen.back() && (result.cuts.empty() || result.cuts.back() < cut)) result.cuts.push_back(cut);
  }
  result.bins.resize(count);
  for (std::size_t row = 0; row < count; ++row) {
    const float value = rows[row * features + feature];
    if (std::isnan(value)) continue;
    const auto above = std::lower_bound(result.cuts.begin(), result.cuts.end(), value) - result.cuts.begin();
    result.bins[row] = static_cast<std::uint8_t>(1 + above);
  }
  return result;
}

/// Sum of what is left over and number of rows, by bin.
struct Bin {
  double sum = 0;
  double count = 0;
};
using Histogram = std::vector<std::array<Bin, k_bins>>;  // by feature

struct Split {
  double gain = 0;
  std::size_t feature = 0;
  std::size_t bin = 0;  // rows up to and with it go left
};

/// A leaf while its tree grows: a stretch of the list of rows.
struct Leaf {
  std::size_t node = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
  Histogram histogram;
  Bin all;
  Split split;
};

}  // namespace

/// Grows one tree on what is left over.
class TreeGrower {
 public:
  TreeGrower(const std::vector<BinnedFeature>& features, std::vector<double>& left_over, const BoostingOptions& options)
      : features_{features}, left_over_{left_over}, options_{options}, rows_(left_over.size()) {
    std::iota(rows_.begin(), rows_.end(), 0U);
  }

  /// Takes what the tree explains off `left_over`.
  std::vector<BoostedTrees::Node> grow() {
    std::vector<BoostedTrees::Node> nodes(1);
    std::vector<Leaf> leaves(1);
    leaves.front().end = rows_.size();
    leaves.front().histogram = histogram_of(leaves.front());
    find_split(leaves.front());
    while (leaves.size() < options_.leaves) {
      const auto best = std::max_element(leaves.begin(), leaves.end(),
                                         [](const Leaf& a, const Leaf& b) { return a.split.gain < b.split.gain; });
      if (best->split.gain <= 0) break;
      leaves.push_back(divide(*best, nodes));
    }
    for (const Leaf& leaf : leaves) {
      const double value = options_.rate * leaf.all.sum / std::max(1.0, leaf.all.count);
      nodes[leaf.node].cut = value;
      for (std::size_t i = leaf.begin; i < leaf.end; ++i) left_over_[rows_[i]] -= value;
    }
    return nodes;
  }

 private:
  Histogram histogram_of(const Leaf& leaf) const {
    Histogram histogram(features_.size());
    for (std::size_t f = 0; f < features_.size(); ++f) {
      const std::vector<std::uint8_t>& bins = features_[f].bins;
      auto& of_feature = histogram[f];
      for (std::size_t i = leaf.begin; i < leaf.end; ++i) {
        Bin& bin = of_feature[bins[rows_[i]]];
        bin.sum += left_over_[rows_[i]];
        bin.count += 1;
      }
    }
    return histogram;
  }

  void find_split(Leaf& leaf) const {
    leaf.all = {};
    for (const Bin& bin : leaf.histogram.front()) {
      leaf.all.sum += bin.sum;
      leaf.all.count += bin.count;
    }
    leaf.split = {};
    const auto least = static_cast<double>(options_.least_rows);
    const double before = leaf.all.sum * leaf.all.sum / std::max(1.0, leaf.all.count);
    for (std::size_t f = 0; f < features_.size(); ++f) {
      Bin left;
      for (std::size_t b = 0; b + 1 < k_bins; ++b) {
        left.sum += leaf.histogram[f][b].sum;
        left.count += leaf.histogram[f][b].count;
        const double right_count = leaf.all.count - left.count;
        if (left.count < least) continue;
        if (right_count < least) break;
        const double right_sum = leaf.all.sum - left.sum;
        const double gain = left.sum * left.sum / left.count + right_sum * right_sum / right_count - before;
        if (gain > leaf.split.gain + 1e-12) leaf.split = {gain, f, b};
      }
    }
  }

  /// The leaf becomes its own left child; the right one is returned.
  Leaf divide(Leaf& leaf, std::vector<BoostedTrees::Node>& nodes) {
    const auto& [gain, feature, bin] = leaf.split;
    const std::vector<std::uint8_t>& bins = features_[feature].bins;
    const auto first = rows_.begin() + static_cast<std::ptrdiff_t>(leaf.begin);
    const auto last = rows_.begin() + static_cast<std::ptrdiff_t>(leaf.end);
    const auto middle = std::stable_partition(first, last, [&](std::uint32_t row) { return bins[row] <= bin; });
    const auto& cuts = features_[feature].cuts;
    nodes[leaf.node] = {.feature = static_cast<std::int32_t>(feature),
                        .left = static_cast<std::int32_t>(nodes.size()),
                        .cut = bin == 0 ? -HUGE_VAL : static_cast<double>(cuts[bin - 1])};
    Leaf right{.node = nodes.size() + 1,
               .begin = static_cast<std::size_t>(middle - rows_.begin()),
               .end = leaf.end,
               .histogram = {},
               .all = {},
               .split = {}};
    leaf.node = nodes.size();
    leaf.end = right.begin;
    nodes.resize(nodes.size() + 2);
    // The larger child's histogram is what the smaller one's leaves of the parent's.
    const bool left_is_smaller = leaf.end - leaf.begin < right.end - right.begin;
    Histogram smaller = histogram_of(left_is_smaller ? leaf : right);
    Histogram larger = std::move(leaf.histogram);
    for (std::size_t f = 0; f < larger.size(); ++f) {
      for (std::size_t b = 0; b < k_bins; ++b) {
        larger[f][b].sum -= smaller[f][b].sum;
        larger[f][b].count -= smaller[f][b].count;
      }
    }
    leaf.histogram = left_is_smaller ? std::move(smaller) : std::move(larger);
    right.histogram = left_is_smaller ? std::move(larger) : std::move(smaller);
    find_split(leaf);
    find_split(right);
    return right;
  }

  const std::vector<BinnedFeature>& features_;
  std::vector<double>& left_over_;
  const BoostingOptions& options_;
  std::vector<std::uint32_t> rows_;
};

BoostedTrees BoostedTrees::train(std::span<const float> rows, std::size_t features, std::span<const double> answers,
                                 const BoostingOptions& options) {
  BoostedTrees trees;
  if (answers.empty()) return trees;
  std::vector<BinnedFeature> columns;
  for (std::size_t f = 0; f < features; ++f) columns.push_back(binned(rows, features, f));
  trees.mean_ = std::accumulate(answers.begin(), answers.end(), 0.0) / static_cast<double>(answers.size());
  std::vector<double> left_over{answers.begin(), answers.end()};
  for (double& value : left_over) value -= trees.mean_;
  for (std::size_t round = 0; round < options.rounds; ++round) {
    trees.trees_.push_back(TreeGrower{columns, left_over, options}.grow());
    if (trees.trees_.back().size() == 1) break;
  }
  return trees;
}

double BoostedTrees::at(std::span<const double> features) const {
  double sum = mean_;
  for (const auto& tree : trees_) {
    std::size_t at = 0;
    while (tree[at].feature >= 0) {
      // As it was binned. What is missing goes left.
      const auto value = static_cast<float>(features[static_cast<std::size_t>(tree[at].feature)]);
      const bool right = value > static_cast<float>(tree[at].cut);
      at = static_cast<std::size_t>(tree[at].left) + (right ? 1 : 0);
    }
    sum += tree[at].cut;
  }
  return sum;
}

}  // namespace valle::scheduler::forecast
