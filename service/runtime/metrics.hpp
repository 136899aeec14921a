// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// A small Prometheus registry of our own: what we need fits in two files, while prometheus-cpp keeps no series absent
/// (an unknown intensity must not be written as 0 or NaN), has no bound on the series of a family, and would be one
/// more package.
namespace valle::service::runtime {

/// Only rises. Safe from any thread.
class Counter final {
 public:
  void add(double amount = 1);  ///< negative amounts are a programmer error
  /// Follows a total that is counted elsewhere; one that is lower than ours changes nothing.
  void raise_to(double total);
  [[nodiscard]] double value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_{0};
};

/// Absent from the text until set, and again after clear(). Safe from any thread.
class Gauge final {
 public:
  void set(double value);
  void clear();
  [[nodiscard]] std::optional<double> value() const;

 private:
  mutable std::mutex mutex_;
  std::optional<double> value_;
};

/// Counts observations in buckets `le`. Safe from any thread.
class Histogram final {
 public:
  explicit Histogram(std::vector<double> bounds);
  void observe(double value);
  struct Snapshot {
    std::vector<std::uint64_t> counts;  ///< one a bound, then +Inf; not cumulative
    double sum = 0;
  };
  [[nodiscard]] Snapshot snapshot() const;
  [[nodiscard]] const std::vector<double>& bounds() const { return bounds_; }

 private:
  std::vector<double> bounds_;
  mutable std::mutex mutex_;
  Snapshot snapshot_;
};

/// 0.5 ms … 10 s
[[nodiscard]] std::vector<double> default_seconds_buckets();

/// All series of one name, told apart by the values of its labels. A family holds at most `k_most_series`; further
/// label values share one series whose values are all `other`, so that a label that is not closed after all can't eat
/// the memory.
template <class Metric>
class Family final {
 public:
  static constexpr std::size_t k_most_series = 1000;
  Family(std::vector<std::string> labels, std::function<std::unique_ptr<Metric>()> make);

  /// The series with these values, one a label in the order declared; made on first use, stable for ever.
  Metric& with(std::initializer_list<std::string_view> values);
  [[nodiscard]] std::vector<std::pair<std::vector<std::string>, const Metric*>> series() const;
  [[nodiscard]] const std::vector<std::string>& labels() const { return labels_; }

 private:
  struct Entry {
    std::vector<std::string> values;
    std::unique_ptr<Metric> metric;
  };

  std::vector<std::string> labels_;
  std::function<std::unique_ptr<Metric>()> make_;
  mutable std::mutex mutex_;
  std::vector<Entry> series_;  ///< by values
  std::unique_ptr<Metric> overflow_;
};

extern template class Family<Counter>;
extern template class Family<Gauge>;
extern template class Family<Histogram>;

/// Declares families and writes them as Prometheus text. Families live as long as the registry. Names and labels follow
/// Prometheus' rules, a name is declared once; else it is a programmer error.
class Metrics final {
 public:
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  Family<Counter>& counter(std::string name, std::string help, std::vector<std::string> labels = {});
  Family<Gauge>& gauge(std::string name, std::string help, std::vector<std::string> labels = {});
  Family<Histogram>& histogram(std::string name, std::string help, std::vector<std::string> labels = {},
                               std::vector<double> bounds = default_seconds_buckets());

  /// Called before each text(), to set gauges that follow the clock (ages). Must not block.
  void before_text(std::function<void()> update);

  /// Prometheus text format 0.0.4: HELP and TYPE of each declared family, series in the order of their labels' values.
  [[nodiscard]] std::string text() const;
  static constexpr std::string_view k_content_type = "text/plain; version=0.0.4; charset=utf-8";

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace valle::service::runtime
