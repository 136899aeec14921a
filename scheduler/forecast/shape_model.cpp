// SPDX-License-Identifier: Apache-2.0
#include "scheduler/forecast/shape_model.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace valle::scheduler::forecast {
namespace {

constexpr Hour k_least_training = 60 * 24;
constexpr Hour k_issue_every = 5;  // not a divisor of 24: all clock hours come up
constexpr double k_penalty = 1000;
constexpr double k_farthest = 5;  // standard deviations; beyond it a feature counts as if it were there
constexpr double k_order_weight = 2.0 / 3;
constexpr Hour k_missing_at_most = 6;  // hours of a window that may be gaps

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

/// One window of training: its features and what the three ridges should answer.
struct Example {
  AsOf known;
  std::vector<double> rows;  // k_window rows of features
  std::vector<RidgeSums::Answers> answers;
};

std::optional<Example> example_at(const Timeline& timeline, Hour issue) {
  const auto known = as_of(timeline, timeline.begin_of(issue), Knowledge::replayed);
  if (!known || known->last < k_feature_history || known->issue - known->last > 24) return {};
  const auto truth = truth_of(timeline, issue);
  if (!truth) return {};
  const WindowFeatures features{timeline, *known};
  Example example{.known = *known, .rows = {}, .answers = {}};
  example.rows.reserve(index(k_window) * WindowFeatures::count(timeline));
  const double mean = std::max(1.0, mean_of(*truth));
  const double usual_mean = std::max(1.0, mean_of(features.usual()));
  const std::vector<double> ranks = ranks_of(*truth);
  for (Hour h = 0; h < k_window; ++h) {
    features.append(h, example.rows);
    const double came = (*truth)[index(h)];
    const double usual = features.usual()[index(h)];
    example.answers.push_back({came / mean - usual / usual_mean, ranks[index(h)], (came - usual) / features.level()});
  }
  return example;
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
  for (std::size_t i = next; i < examples.size(); ++i) {
    const AsOf& known = examples[i].known;
    if (known.issue < held_from) continue;
    model.held_out_.push_back({timeline.begin_of(known.issue), model.forecast(timeline, known)});
    model.record_.add(timeline, known, model.held_out_.back().forecast);
  }
  for (; next < examples.size(); ++next) learn(examples[next]);
  model.solve(sums);
  return model;
}

std::vector<double> ShapeModel::forecast(const Timeline& timeline, const AsOf& known) const {
  const WindowFeatures features{timeline, known};
  const double usual_mean = std::max(1.0, mean_of(features.usual()));
  std::vector<double> shape;
  std::vector<double> order;
  double level = 0;
  std::vector<double> row;
  for (Hour h = 0; h < k_window; ++h) {
    row.clear();
    features.append(h, row);
    standardise(row);
    const auto answers = solutions_[group_of(timeline, known, known.issue + h)].at(row);
    const double usual = features.usual()[index(h)];
    shape.push_back(answers[0] + usual / usual_mean);
    order.push_back(answers[1]);
    level += (answers[2] * features.level() + usual) / static_cast<double>(k_window);
  }
  const double shape_mean = mean_of(shape);
  const double order_mean = mean_of(order);
  const double stretch = deviation_of(shape, shape_mean) / std::max(1e-9, deviation_of(order, order_mean));
  for (std::size_t h = 0; h < shape.size(); ++h) {
    const double by_order = (order[h] - order_mean) * stretch;
    const double mixed = (1 - k_order_weight) * (shape[h] - shape_mean) + k_order_weight * by_order;
    shape[h] = std::max(0.0, level * (1 + mixed));
  }
  return shape;
}

}  // namespace valle::scheduler::forecast
