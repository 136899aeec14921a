// SPDX-License-Identifier: Apache-2.0
#include "connectors/prometheus/parse.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace valle::connectors::prometheus {
namespace {

using scheduler::Errc;
using scheduler::refuse;
using scheduler::Result;

constexpr std::size_t k_deepest = 16;
constexpr std::size_t k_most_warnings = 16;
constexpr std::size_t k_longest_message = 300;
constexpr double k_latest_second = 4e11;  // the year 14,000; beyond, milliseconds were sent

/// `1802246415.123` → milliseconds
bool is_stamp(double seconds) { return std::isfinite(seconds) && std::abs(seconds) < k_latest_second; }

scheduler::Moment moment_of(double seconds) {
  return scheduler::Moment{std::chrono::milliseconds{std::llround(seconds * 1000)}};
}

/// Sample values are texts, and may be `NaN`, `+Inf`, `-Inf`: no readings, but not errors either.
std::optional<double> value_of(std::string_view text) {
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "+Inf" || text == "Inf") return std::numeric_limits<double>::infinity();
  if (text == "-Inf") return -std::numeric_limits<double>::infinity();
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) return std::numeric_limits<double>::infinity();
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Follows the parser through the document by the names of the members that it is in. What stands elsewhere is skipped.
class Handler : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Handler(const ParseLimits& limits) : limits_{limits} {}

  Result<Envelope> envelope() && {
    if (!problem_.empty()) return refuse(Errc::invalid_request, problem_);
    if (!has_status_) return refuse(Errc::invalid_request, "no answer of Prometheus: there is no status");
    return std::move(envelope_);
  }

  bool null() override { return scalar({}); }
  bool boolean(bool) override { return scalar({}); }
  bool number_integer(number_integer_t value) override { return number(static_cast<double>(value)); }
  bool number_unsigned(number_unsigned_t value) override { return number(static_cast<double>(value)); }
  bool number_float(number_float_t value, const string_t&) override { return number(value); }
  bool binary(binary_t&) override { return true; }
  bool string(string_t& text) override { return scalar(text); }

  bool key(string_t& name) override {
    if (name.size() > limits_.text_bytes) return stop("a name is too long");
    path_.back() = name;
    return true;
  }
  bool start_object(std::size_t) override {
    if (in("data/result/#") && !begin_series()) return false;
    return enter("");
  }
  bool start_array(std::size_t) override {
    if (in("data/result/#/values/#") || in("data/result/#/value")) begin_sample();
    if (in("data/result") && envelope_.result_type == "scalar") {
      if (!begin_series()) return false;
      begin_sample();
    }
    return enter("#");
  }
  bool end_object() override { return leave(); }
  bool end_array() override {
    path_.pop_back();
    const bool ok = ends_sample() ? take_sample() : true;
    return ok;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    return stop("broken JSON at byte " + std::to_string(position));
  }

 private:
  bool stop(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
    return false;
  }
  bool enter(const char* inside) {
    if (path_.size() == k_deepest) return stop("JSON nested too deeply");
    path_.emplace_back(inside);
    return true;
  }
  bool leave() {
    path_.pop_back();
    return true;
  }

  /// Whether the parser stands at this place; `#` is any element of a list, `*` any member.
  [[nodiscard]] bool in(std::string_view place) const {
    std::size_t depth = 0;
    while (true) {
      const std::size_t slash = place.find('/');
      const std::string_view part = place.substr(0, slash);
      if (depth == path_.size() || (part != "*" && path_[depth] != part)) return false;
      ++depth;
      if (slash == std::string_view::npos) return depth == path_.size();
      place.remove_prefix(slash + 1);
    }
  }

  bool begin_series() {
    if (envelope_.series.size() == limits_.series) return stop("more series than are taken");
    envelope_.series.emplace_back();
    return true;
  }

  void begin_sample() {
    stamp_.reset();
    value_.reset();
    parts_ = 0;
  }
  [[nodiscard]] bool ends_sample() const {
    return in("data/result/#/values/#") || in("data/result/#/value") ||
           (in("data/result") && envelope_.result_type == "scalar");
  }
  [[nodiscard]] bool in_sample() const {
    return in("data/result/#/values/#/#") || in("data/result/#/value/#") ||
           (in("data/result/#") && envelope_.result_type == "scalar");
  }

  bool take_sample() {
    if (!stamp_ || !value_ || parts_ != 2) return stop("a sample is no [time, \"value\"]");
    if (samples_ == limits_.samples) return stop("more samples than are taken");
    if (envelope_.series.empty()) return stop("a sample stands outside of a series");
    ++samples_;
    auto& samples = envelope_.series.back().samples;
    if (!samples.empty() && *stamp_ < samples.back().at) return stop("samples are not in the order of time");
    samples.push_back({*stamp_, *value_});
    return true;
  }

  bool number(double value) {
    if (!in_sample()) return true;
    ++parts_;
    if (parts_ != 1 || !is_stamp(value)) return stop("a sample is no [time, \"value\"]");
    stamp_ = moment_of(value);
    return true;
  }

  bool scalar(std::string_view text) {
    if (in_sample()) {
      ++parts_;
      value_ = value_of(text);
      return (parts_ == 2 && value_) || stop("a sample is no [time, \"value\"]");
    }
    if (in("status")) {
      has_status_ = text == "success" || text == "error";
      envelope_.success = text == "success";
    } else if (in("errorType")) {
      envelope_.error_type = text.substr(0, k_longest_message);
    } else if (in("error")) {
      envelope_.error = text.substr(0, k_longest_message);
    } else if (in("data/resultType")) {
      envelope_.result_type = text.substr(0, 16);
    } else if (in("warnings/#")) {
      if (envelope_.warnings.size() < k_most_warnings)
        envelope_.warnings.emplace_back(text.substr(0, k_longest_message));
    } else if (in("data/result/#/metric/*")) {
      return take_label(text);
    }
    return true;
  }

  bool take_label(std::string_view value) {
    if (envelope_.series.empty()) return stop("a label stands outside of a series");
    auto& labels = envelope_.series.back().labels;
    if (labels.size() == limits_.labels) return stop("more labels than are taken");
    if (value.size() > limits_.text_bytes) return stop("a label is too long");
    labels.emplace_back(path_.back(), value);
    return true;
  }

  const ParseLimits& limits_;
  Envelope envelope_;
  std::string problem_;
  std::vector<std::string> path_;
  bool has_status_ = false;
  std::optional<scheduler::Moment> stamp_;
  std::optional<double> value_;
  int parts_ = 0;
  std::size_t samples_ = 0;
};

}  // namespace

Result<Envelope> parse_answer(std::string_view bytes, const ParseLimits& limits) {
  Handler handler{limits};
  (void)nlohmann::json::sax_parse(bytes.begin(), bytes.end(), &handler);
  return std::move(handler).envelope();
}

}  // namespace valle::connectors::prometheus
