// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "connectors/chain/chain.hpp"
#include "service/app/intensity_book.hpp"
#include "service/store/intensity_repository.hpp"

namespace valle::service::app {

/// What became of one harvest.
struct IngestReport {
  std::string source;
  scheduler::Zone zone;
  store::StoreReport stored;
  [[nodiscard]] std::size_t rejected() const;
};

/// For the log and the command line: `source=esios zone=ES added=24 revised=3 unchanged=21 outdated=0 forecast_rows=0
/// prices=24 rejected=2 rejected_zero=2`. Counts of nothing are left out but for the first four.
[[nodiscard]] std::string to_text(const IngestReport& report);

/// Brings harvests into the store and then into the book. Lives in the store's writing thread.
class Ingest final {
 public:
  /// Both must outlive this.
  Ingest(store::IntensityRepository& repository, CurrentBook& book) : repository_{repository}, book_{book} {}

  /// Stores a harvest in one transaction, then publishes a book that knows it. On an error neither has changed, or, if
  /// reading back failed, the store has and the book follows at the next success.
  [[nodiscard]] scheduler::Result<IngestReport> take(const std::string& source, const std::string& attribution,
                                                     const scheduler::Zone& zone, const scheduler::Harvest& harvest,
                                                     scheduler::Instant now);
  /// The same for a chain's answer; nothing to report if no source served anything fresh. Rows refused from sources
  /// that served nothing are counted too. The bundled sample goes into the book only, never into the store.
  [[nodiscard]] scheduler::Result<std::optional<IngestReport>> take(const scheduler::Zone& zone,
                                                                    const connectors::ChainAnswer& answer,
                                                                    scheduler::Instant now);

  /// The same for a forecast that the service made itself.
  [[nodiscard]] scheduler::Result<void> take(const store::OwnIssue& own);

  /// Reads the whole store into the book again: another program has written to it.
  [[nodiscard]] scheduler::Result<void> reload();

 private:
  [[nodiscard]] scheduler::Result<void> count_refused(const scheduler::Zone& zone,
                                                      const connectors::ChainAnswer& answer, scheduler::Instant now);
  [[nodiscard]] scheduler::Result<void> note(const std::string& source, const std::string& attribution);
  [[nodiscard]] scheduler::Result<void> publish(const store::StoreReport& stored);

  store::IntensityRepository& repository_;
  CurrentBook& book_;
  std::map<std::string, std::string> noted_;  // attributions that the store has already
  bool behind_ = false;                       // the book missed a change: read everything again
};

}  // namespace valle::service::app
