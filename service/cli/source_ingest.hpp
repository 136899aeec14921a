// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>

#include "service/cli/command.hpp"
#include "service/store/intensity_repository.hpp"

namespace valle::service::cli {

struct SourceIngest {
  std::string source;    ///< the kind of a configured source
  std::string config;    ///< the configuration file; empty: variables and defaults only
  std::string database;  ///< where the rows go
};

/// Asks one configured source, once, for all that the service would ask it for now, stores what it says and prints what
/// became of it. What could not be fetched stands on `err`; the command fails if the source failed, or had nothing.
[[nodiscard]] Exit ingest_from_source(const SourceIngest& asked, const Surroundings& surroundings);

/// What `valle ingest` prints for one zone.
void print_ingested(std::ostream& out, const scheduler::Zone& zone, const store::StoreReport& report);

}  // namespace valle::service::cli
