// SPDX-License-Identifier: Apache-2.0
#include "scheduler/forecast/shape_model.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <span>

namespace valle::scheduler::forecast {
namespace {

constexpr Hour k_least_training = 60 * 24;
constexpr Hour k_issue_every = 5;  // not a divisor of 24: all clock hours come up
constexpr double k_penalty = 1000;
constexpr double k_farthest = 5;          // standard deviations; beyond it a feature counts as if it were there
constexpr std::size_t k_trees_every = 3;  // trees learn from every third window: neighbours teach them little more
constexpr double k_smallest = 1;          // g/kWh: what a forecast is divided by stays away from zero
constexpr Hour k_missing_at_most = 6;     // hours of a window that may be gaps

std::size_t index(Hour hour) { return static_cast<std::size_t>(hour); }

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviation_of(const std::vector<double>& values, double mean) {
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size()));
}

/// 0 for the cleanest hour … 1 for the dirtiest; the earlier first on ties.
std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    ranks[order[i]] = static_cast<double>(i) / static_cast<double>(values.size() - 1);
  }
  return ranks;
}

/// The window that came, if enough of it was measured.
std::optional<std::vector<double>> truth_of(const Timeline& timeline, Hour issue) {
  const auto first = static_cast<std::ptrdiff_t>(issue);
  const auto measured =
      std::count(timeline.is_measured.begin() + first, timeline.is_measured.begin() + first + k_window, 1);
  if (measured < k_window - k_missing_at_most) return {};
  return std::vector<double>{timeline.intensity.begin() + first, timeline.intensity.begin() + first + k_window};
}

/// Each value's departure from their mean, as a share of it.
std::vector<double> shape_of(const std::vector<double>& values) {
  const double mean = mean_of(values);
  std::vector<double> shape(values.size());
  std::transform(values.begin(), values.end(), shape.begin(), [mean](double value) { return value / mean - 1; });
  return shape;
}

/// The order of hours with the spread of `shape`.
std::vector<double> stretched(std::vector<double> order, const std::vector<double>& shape) {
  const double mean = mean_of(order);
  const double stretch = deviation_of(shape, 0) / std::max(1e-9, deviation_of(order, mean));
  for (double& value : order) value = (value - mean) * stretch;
  return order;
}

/// One window of training: its features, what the two ridges should answer, and the trees.
struct Example {
  AsOf known;
  std::vector<double> rows;  // k_window rows of features
  std::vector<RidgeSums::Answers> answers;
  std::vector<float> for_trees;
};

std::optional<Example> example_at(const Timeline& timeline, Hour issue) {
  const auto known = as_of(timeline, timeline.begin_of(issue), Knowledge::replayed);
  if (!known || known->last < k_feature_history || known->issue - known->last > 24) return {};
  const auto truth = truth_of(timeline, issue);
  if (!truth) return {};
  const WindowFeatures features{timeline, *known};
  Example example{.known = *known, .rows = {}, .answers = {}, .for_trees = {}};
  example.rows.reserve(index(k_window) * WindowFeatures::count(timeline));
  const std::vector<double> ranks = ranks_of(*truth);
  for (Hour h = 0; h < k_window; ++h) {
    features.append(h, example.rows);
    const double came = (*truth)[index(h)];
    const double usual = features.usual()[index(h)];
    example.answers.push_back({ranks[index(h)], (came - usual) / features.level()});
    example.for_trees.push_back(static_cast<float>(came / features.level()));
  }
  return example;
}

/// What trees are asked: the features of an hour as they are, how far ahead it is, and its local hour.
void append_tree_row(std::vector<float>& row, std::span<const double> features, Hour ahead, int local_hour) {
  std::transform(features.begin(), features.end(), std::back_inserter(row),
                 [](double value) { return static_cast<float>(value); });
  row.push_back(static_cast<float>(ahead));
  row.push_back(static_cast<float>(local_hour));
}

BoostedTrees trees_from(const Timeline& timeline, std::span<const Example> examples) {
  const std::size_t features = WindowFeatures::count(timeline);
  TreeRows rows{.features = features + 2, .values = {}, .answers = {}};
  for (std::size_t i = 0; i < examples.size(); i += k_trees_every) {
    const Example& example = examples[i];
    for (std::size_t h = 0; h < index(k_window); ++h) {
      const auto ahead = static_cast<Hour>(h);
      append_tree_row(rows.values, std::span{example.rows}.subspan(h * features, features), ahead,
                      timeline.civil[index(example.known.issue + ahead)].hour);
    }
    rows.answers.insert(rows.answers.end(), example.for_trees.begin(), example.for_trees.end());
  }
  return BoostedTrees::train(rows, index(k_window));
}

/// Keeps what standardising needs of rows that pass by.
class Moments {
 public:
  explicit Moments(std::size_t features) : counts_(features), sums_(features), squares_(features) {}
  void add(const std::vector<double>& rows) {
    const std::size_t features = counts_.size();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (std::isnan(rows[i])) continue;
      counts_[i % features] += 1;
      sums_[i % features] += rows[i];
      squares_[i % features] += rows[i] * rows[i];
    }
  }
  [[nodiscard]] double mean(std::size_t i) const { return counts_[i] > 0 ? sums_[i] / counts_[i] : 0; }
  [[nodiscard]] double deviation(std::size_t i) const {
    if (counts_[i] == 0) return 1;
    return std::sqrt(std::max(0.0, squares_[i] / counts_[i] - mean(i) * mean(i))) + 1e-6;
  }

 private:
  std::vector<double> counts_, sums_, squares_;
};

}  // namespace

std::size_t ShapeModel::group_of(const Timeline& timeline, const AsOf& known, Hour hour) {
  const bool priced = hour < timeline.size() && known.knows_price(timeline, hour);
  return static_cast<std::size_t>(timeline.civil[index(hour)].hour) + (priced ? 24U : 0U);
}

void ShapeModel::standardise(std::vector<double>& row) const {
  for (std::size_t i = 0; i < row.size(); ++i) {
    const double scaled = (row[i] - means_[i]) / deviations_[i];
    row[i] = std::isnan(scaled) ? 0 : std::clamp(scaled, -k_farthest, k_farthest);  // what is missing is as on average
  }
}

void ShapeModel::solve(const std::vector<RidgeSums>& sums) {
  for (std::size_t group = 0; group < k_groups; ++group) solutions_[group] = sums[group].solve(k_penalty);
}

std::optional<ShapeModel> ShapeModel::train(const Timeline& timeline, Hour before) {
  const Hour end = std::min(before, timeline.size()) - k_window;
  // Counted from the epoch, so that what is learnt does not depend on where the history begins.
  const Hour since_epoch = timeline.origin.time_since_epoch() / std::chrono::hours{1};
  Hour first = std::max(k_feature_history + 2, before - k_longest_training);
  first += (k_issue_every - (first + since_epoch) % k_issue_every) % k_issue_every;
  if (end - first < k_least_training) return {};

  std::vector<Example> examples;
  Moments moments{WindowFeatures::count(timeline)};
  for (Hour issue = first; issue < end; issue += k_issue_every) {
    if (auto example = example_at(timeline, issue)) {
      moments.add(example->rows);
      examples.push_back(std::move(*example));
    }
  }
  if (static_cast<Hour>(examples.size()) * k_issue_every < k_least_training) return {};

  ShapeModel model;
  const std::size_t features = WindowFeatures::count(timeline);
  for (std::size_t i = 0; i < features; ++i) {
    model.means_.push_back(moments.mean(i));
    model.deviations_.push_back(moments.deviation(i));
  }
  std::vector<RidgeSums> sums(k_groups, RidgeSums{features});
  std::vector<double> row;
  const auto learn = [&](const Example& example) {
    for (std::size_t h = 0; h < index(k_window); ++h) {
      const Hour hour = example.known.issue + static_cast<Hour>(h);
      if (timeline.is_measured[index(hour)] == 0) continue;
      const auto begin = example.rows.begin() + static_cast<std::ptrdiff_t>(h * features);
      row.assign(begin, begin + static_cast<std::ptrdiff_t>(features));
      model.standardise(row);
      sums[group_of(timeline, example.known, hour)].add(row, example.answers[h]);
    }
  };
  const Hour held_from = end - (end - first) / 5;
  std::size_t next = 0;
  for (; next < examples.size() && examples[next].known.issue < held_from - k_window; ++next) learn(examples[next]);
  model.solve(sums);
  model.trees_ = trees_from(timeline, std::span{examples}.first(next));
  for (std::size_t i = next; i < examples.size(); ++i) {
    const AsOf& known = examples[i].known;
    if (known.issue < held_from) continue;
    model.held_out_.push_back({timeline.begin_of(known.issue), model.forecast(timeline, known)});
    model.record_.add(timeline, known, model.held_out_.back().forecast);
  }
  for (; next < examples.size(); ++next) learn(examples[next]);
  model.solve(sums);
  model.trees_ = trees_from(timeline, examples);
  return model;
}

std::vector<double> ShapeModel::forecast(const Timeline& timeline, const AsOf& known) const {
  const WindowFeatures features{timeline, known};
  std::vector<double> order;
  std::vector<double> by_ridge;
  std::vector<double> by_trees;
  std::vector<double> row;
  std::vector<float> tree_row;
  for (Hour h = 0; h < k_window; ++h) {
    const Hour hour = known.issue + h;
    row.clear();
    features.append(h, row);
    tree_row.clear();
    append_tree_row(tree_row, row, h, timeline.civil[index(hour)].hour);
    by_trees.push_back(std::max(k_smallest, trees_.at(tree_row) * features.level()));
    standardise(row);
    const auto answers = solutions_[group_of(timeline, known, hour)].at(row);
    order.push_back(answers[0]);
    by_ridge.push_back(std::max(k_smallest, answers[1] * features.level() + features.usual()[index(h)]));
  }
  const std::vector<double> ridge_shape = shape_of(by_ridge);
  const std::vector<double> tree_shape = shape_of(by_trees);
  const std::vector<double> order_shape = stretched(order, ridge_shape);
  const double level = mean_of(by_ridge);
  std::vector<double> values;
  for (std::size_t h = 0; h < order.size(); ++h) {
    values.push_back(std::max(0.0, level * (1 + (order_shape[h] + ridge_shape[h] + tree_shape[h]) / 3)));
  }
  return values;
}

}  // namespace valle::scheduler::forecast
