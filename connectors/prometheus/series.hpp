// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scheduler/energy/sample.hpp"

namespace valle::connectors::prometheus {

/// One series of an answer: its labels, `__name__` included, and its samples by time. Values are as they were sent; a
/// text such as `NaN` is not a number and stays one.
struct Series {
  std::vector<std::pair<std::string, std::string>> labels = {};
  scheduler::Samples samples = {};

  /// The label's value; empty where it is not there: Prometheus knows no difference.
  [[nodiscard]] std::string_view label(std::string_view name) const {
    for (const auto& [known, value] : labels) {
      if (known == name) return value;
    }
    return {};
  }
  friend bool operator==(const Series&, const Series&) = default;
};

}  // namespace valle::connectors::prometheus
