// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "scheduler/model/error.hpp"
#include "service/app/posted_run.hpp"

namespace valle::service::app {

/// A line that is not taken, and why.
struct RefusedLine {
  std::size_t line;  ///< from 1
  std::string why;
};

/// Reads finished runs from CSV text with one run a line, columns found by name whatever their order: id, submitted_at,
/// started_at, finished_at, site (also camelCase, as in `POST /v1/runs`); optional home_site, owner, energy_kwh,
/// uncertainty_kwh, start_by, label, gpus, outcome. Instants need an offset. A line of another width than the header,
/// or with a value that is none, is refused and the rest is read. In any size: line by line.
class RunTable final {
 public:
  struct Limits {
    static constexpr std::size_t k_columns = 64;
    static constexpr std::size_t k_line = 64u << 10;
  };
  using TakeRun = std::function<void(std::size_t line, scheduler::Run run)>;
  using TakeRefused = std::function<void(const RefusedLine& refused)>;

  /// Refused as a whole (`invalid_request`): an empty text, a header without one of the needed columns, or with a
  /// column twice or one that is not known.
  [[nodiscard]] static scheduler::Result<void> read(std::istream& text, std::span<const runtime::SiteConfig> sites,
                                                    scheduler::Instant now, const TakeRun& take,
                                                    const TakeRefused& refused);
};

}  // namespace valle::service::app
