// SPDX-License-Identifier: Apache-2.0
#include "service/api/nearest_name.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace valle::service::api {
namespace {

constexpr std::size_t k_longest_name = 64;

std::string folded(std::string_view name) {
  std::string result;
  for (const char c : name.substr(0, k_longest_name)) {
    if (c != '_' && c != '-') result += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return result;
}

/// Levenshtein's distance: insertions, deletions and replacements.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

}  // namespace

std::optional<std::string_view> nearest_name(std::string_view name, std::span<const std::string_view> known) {
  std::optional<std::string_view> nearest;
  std::size_t fewest = name.size() <= 4 ? 2 : 3;  // one past the slips that are forgiven
  for (const auto candidate : known) {
    const auto slips = distance(folded(name), folded(candidate));
    if (slips < fewest) {
      fewest = slips;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace valle::service::api
