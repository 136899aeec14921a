// SPDX-License-Identifier: Apache-2.0
#include "service/runtime/metrics.hpp"

#include <algorithm>
#include <utility>

#include "scheduler/units/require.hpp"

namespace valle::service::runtime {

using scheduler::require;

void Counter::add(double amount) {
  require(amount >= 0, "a counter only rises");
  value_.fetch_add(amount, std::memory_order_relaxed);
}

void Counter::raise_to(double total) {
  double before = value();
  while (before < total && !value_.compare_exchange_weak(before, total, std::memory_order_relaxed)) {
  }
}

void Gauge::set(double value) {
  const std::scoped_lock lock{mutex_};
  value_ = value;
}

void Gauge::clear() {
  const std::scoped_lock lock{mutex_};
  value_.reset();
}

std::optional<double> Gauge::value() const {
  const std::scoped_lock lock{mutex_};
  return value_;
}

Histogram::Histogram(std::vector<double> bounds) : bounds_{std::move(bounds)} {
  require(std::ranges::is_sorted(bounds_) && std::ranges::adjacent_find(bounds_) == bounds_.end(),
          "a histogram's bounds rise");
  snapshot_.counts.assign(bounds_.size() + 1, 0);
}

void Histogram::observe(double value) {
  const auto bucket = static_cast<std::size_t>(std::ranges::lower_bound(bounds_, value) - bounds_.begin());
  const std::scoped_lock lock{mutex_};
  ++snapshot_.counts[bucket];
  snapshot_.sum += value;
}

Histogram::Snapshot Histogram::snapshot() const {
  const std::scoped_lock lock{mutex_};
  return snapshot_;
}

std::vector<double> default_seconds_buckets() {
  return {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};
}

template <class Metric>
Family<Metric>::Family(std::vector<std::string> labels, std::function<std::unique_ptr<Metric>()> make)
    : labels_{std::move(labels)}, make_{std::move(make)} {}

template <class Metric>
Metric& Family<Metric>::with(std::initializer_list<std::string_view> values) {
  require(values.size() == labels_.size(), "a series has one value a label");
  const std::scoped_lock lock{mutex_};
  const auto found = std::ranges::lower_bound(
      series_, values, [](const auto& a, const auto& b) { return std::ranges::lexicographical_compare(a, b); },
      [](const auto& entry) -> const std::vector<std::string>& { return entry.values; });
  if (found != series_.end() && std::ranges::equal(found->values, values)) return *found->metric;
  if (series_.size() >= k_most_series && !labels_.empty()) {
    if (!overflow_) overflow_ = make_();
    return *overflow_;
  }
  return *series_.insert(found, Entry{{values.begin(), values.end()}, make_()})->metric;
}

template <class Metric>
std::vector<std::pair<std::vector<std::string>, const Metric*>> Family<Metric>::series() const {
  const std::scoped_lock lock{mutex_};
  std::vector<std::pair<std::vector<std::string>, const Metric*>> all;
  for (const Entry& entry : series_) all.emplace_back(entry.values, entry.metric.get());
  if (overflow_) all.emplace_back(std::vector<std::string>(labels_.size(), "other"), overflow_.get());
  return all;
}

template class Family<Counter>;
template class Family<Gauge>;
template class Family<Histogram>;

}  // namespace valle::service::runtime
