// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "connectors/energy_files/energy_file.hpp"
#include "scheduler/ports/job_ledger.hpp"
#include "service/runtime/config.hpp"

namespace valle::service::app {

/// What was already known of a boundary, with what a tool has told: pieces of the same tool that follow each other are
/// one figure, each a slice of its profile. A piece that holds an earlier one takes its place (tools report a run
/// anew while it goes on). Refused (`conflict`): pieces that overlap otherwise, which would count energy twice.
/// A figure of another source stays unless it is worse: of lower quality, or of none.
[[nodiscard]] scheduler::Result<scheduler::EnergyFigure> with_piece(const std::optional<scheduler::EnergyFigure>& known,
                                                                    scheduler::EnergyFigure piece,
                                                                    scheduler::Interval piece_ran,
                                                                    scheduler::Interval attempt_ran);

/// What became of imported runs.
struct EnergyImported {
  std::size_t attached = 0;   ///< to runs that the ledger has
  std::size_t added = 0;      ///< as runs of their own
  std::size_t unchanged = 0;  ///< were there with the same figures
  struct Left {
    std::string name;
    std::string reason;
    friend bool operator==(const Left&, const Left&) = default;
  };
  std::vector<Left> left;  ///< those that found no place
};

/// How runs of tools find their jobs.
struct EnergyImportRules {
  /// The job that all of them belong to, by id or name; else each is matched by what its user called it (project), or
  /// by its own id.
  std::string job = {};
  /// Where runs ran that match no job: they become runs of their own. Without it they are left.
  std::string site = {};
  std::vector<runtime::SiteConfig> sites = {};  ///< for the PUE of `site`
};

/// Puts energy that tools have told into the ledger, each with the attempt that it overlaps most. All that belongs to
/// one job is written in one transaction. Blocking.
class EnergyImport final {
 public:
  /// The most runs of the ledger that are looked through for names.
  static constexpr std::size_t k_most_runs = 200'000;

  EnergyImport(scheduler::JobLedger& ledger, EnergyImportRules rules) : ledger_{ledger}, rules_{std::move(rules)} {}

  /// Refused: the ledger's own failures. What finds no place is not an error: see `left`.
  [[nodiscard]] scheduler::Result<EnergyImported> take(std::vector<connectors::energy::ToolRun> runs);

 private:
  using ToolRun = connectors::energy::ToolRun;
  [[nodiscard]] scheduler::Result<void> learn_names(std::span<const ToolRun> runs);
  [[nodiscard]] std::optional<std::string> job_of(const ToolRun& run) const;

  scheduler::JobLedger& ledger_;
  EnergyImportRules rules_;
  /// Ids of the ledger's runs by name; a name that several have, with the times that they ran.
  std::multimap<std::string, std::pair<std::string, scheduler::Interval>> by_name_;
};

/// The run with a tool's figures on the attempt that it overlaps most. Refused: a run that was not going on then.
[[nodiscard]] scheduler::Result<scheduler::Run> with_tool_run(scheduler::Run run,
                                                              const connectors::energy::ToolRun& tool);

}  // namespace valle::service::app
