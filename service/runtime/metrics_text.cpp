// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <deque>
#include <string>
#include <utility>
#include <variant>

#include "scheduler/units/require.hpp"
#include "service/runtime/metrics.hpp"

namespace valle::service::runtime {

using scheduler::require;

namespace {

bool is_name(std::string_view text, bool with_colon) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  return std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (with_colon && c == ':');
  });
}

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  require(error == std::errc{}, "a number fits 32 characters");
  return {text.data(), end};
}

std::string escaped(std::string_view text, bool quotes_too) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\\\";
    } else if (c == '\n') {
      result += "\\n";
    } else if (c == '"' && quotes_too) {
      result += "\\\"";
    } else {
      result += c;
    }
  }
  return result;
}

using Labels = std::vector<std::pair<std::string, std::string>>;

void sample(std::string& out, const std::string& name, const Labels& labels, std::string_view value) {
  out += name;
  char separator = '{';
  for (const auto& [label, label_value] : labels) {
    out += separator;
    out += label + "=\"" + escaped(label_value, true) + '"';
    separator = ',';
  }
  if (!labels.empty()) out += '}';
  out += ' ';
  out += value;
  out += '\n';
}

void append(std::string& out, const std::string& name, const Labels& labels, const Counter& counter) {
  sample(out, name, labels, number(counter.value()));
}

void append(std::string& out, const std::string& name, const Labels& labels, const Gauge& gauge) {
  if (const std::optional<double> value = gauge.value()) sample(out, name, labels, number(*value));
}

void append(std::string& out, const std::string& name, const Labels& labels, const Histogram& histogram) {
  const Histogram::Snapshot snapshot = histogram.snapshot();
  std::uint64_t cumulative = 0;
  for (std::size_t i = 0; i < snapshot.counts.size(); ++i) {
    cumulative += snapshot.counts[i];
    Labels with_bound = labels;
    with_bound.emplace_back("le", i < histogram.bounds().size() ? number(histogram.bounds()[i]) : "+Inf");
    sample(out, name + "_bucket", with_bound, std::to_string(cumulative));
  }
  sample(out, name + "_sum", labels, number(snapshot.sum));
  sample(out, name + "_count", labels, std::to_string(cumulative));
}

std::string_view type_of(const Family<Counter>&) { return "counter"; }
std::string_view type_of(const Family<Gauge>&) { return "gauge"; }
std::string_view type_of(const Family<Histogram>&) { return "histogram"; }

template <class Metric>
void append_family(std::string& out, const std::string& name, const std::string& help, const Family<Metric>& family) {
  out += "# HELP " + name + ' ' + escaped(help, false) + '\n';
  out += "# TYPE " + name + ' ';
  out += type_of(family);
  out += '\n';
  for (const auto& [values, metric] : family.series()) {
    Labels labels;
    for (std::size_t i = 0; i < values.size(); ++i) labels.emplace_back(family.labels()[i], values[i]);
    append(out, name, labels, *metric);
  }
}

}  // namespace

struct Metrics::State {
  using AnyFamily = std::variant<std::unique_ptr<Family<Counter>>, std::unique_ptr<Family<Gauge>>,
                                 std::unique_ptr<Family<Histogram>>>;
  struct Declared {
    std::string name;
    std::string help;
    AnyFamily family;
  };

  template <class Metric>
  Family<Metric>& declare(std::string name, std::string help, std::vector<std::string> labels,
                          std::function<std::unique_ptr<Metric>()> make) {
    require(is_name(name, true), "a metric's name follows Prometheus' rules");
    require(std::ranges::all_of(labels, [](const auto& label) { return is_name(label, false); }),
            "a label's name follows Prometheus' rules");
    const bool plain = labels.empty();
    auto family = std::make_unique<Family<Metric>>(std::move(labels), std::move(make));
    Family<Metric>& result = *family;
    if (plain) result.with({});  // a counter without labels shows 0 from the start
    const std::scoped_lock lock{mutex};
    require(std::ranges::none_of(families, [&](const Declared& d) { return d.name == name; }),
            "a metric is declared once");
    families.push_back(Declared{std::move(name), std::move(help), std::move(family)});
    return result;
  }

  std::mutex mutex;
  std::deque<Declared> families;
  std::vector<std::function<void()>> updates;
};

Metrics::Metrics() : state_{std::make_unique<State>()} {}
Metrics::~Metrics() = default;

Family<Counter>& Metrics::counter(std::string name, std::string help, std::vector<std::string> labels) {
  return state_->declare<Counter>(std::move(name), std::move(help), std::move(labels),
                                  [] { return std::make_unique<Counter>(); });
}

Family<Gauge>& Metrics::gauge(std::string name, std::string help, std::vector<std::string> labels) {
  return state_->declare<Gauge>(std::move(name), std::move(help), std::move(labels),
                                [] { return std::make_unique<Gauge>(); });
}

Family<Histogram>& Metrics::histogram(std::string name, std::string help, std::vector<std::string> labels,
                                      std::vector<double> bounds) {
  return state_->declare<Histogram>(std::move(name), std::move(help), std::move(labels),
                                    [bounds] { return std::make_unique<Histogram>(bounds); });
}

void Metrics::before_text(std::function<void()> update) {
  const std::scoped_lock lock{state_->mutex};
  state_->updates.push_back(std::move(update));
}

std::string Metrics::text() const {
  std::vector<std::function<void()>> updates;
  {
    const std::scoped_lock lock{state_->mutex};
    updates = state_->updates;
  }
  for (const auto& update : updates) update();
  const std::scoped_lock lock{state_->mutex};
  std::string out;
  for (const State::Declared& declared : state_->families) {
    std::visit([&](const auto& family) { append_family(out, declared.name, declared.help, *family); }, declared.family);
  }
  return out;
}

}  // namespace valle::service::runtime
