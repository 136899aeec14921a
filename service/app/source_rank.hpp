// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <span>
#include <string>

namespace valle::service::app {

/// Where a source stands: the configured order, then those that are not configured any more by name, the sample last.
struct SourceRank {
  bool sample;
  std::size_t place;
  std::string name;
  friend auto operator<=>(const SourceRank&, const SourceRank&) = default;
};

[[nodiscard]] SourceRank rank_of(const std::string& source, std::span<const std::string> order);

}  // namespace valle::service::app
