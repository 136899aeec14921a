// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "service/app/places.hpp"
#include "service/app/store_access.hpp"
#include "service/report/document.hpp"
#include "service/runtime/clock.hpp"

namespace valle::service::report {

/// The use case of reports. Returns at once and answers through `done`, exactly once, from a thread of the store (or
/// from this one if its queue is full). Safe from any thread; what it is given outlives it.
class Reports final {
 public:
  struct Services {
    const runtime::Clock& clock;
    const app::CurrentBook& book;
    const app::Places& places;
    app::StoreAccess& store;
    runtime::ReportConfig config;
  };
  using Done = std::function<void(scheduler::Result<Document>)>;

  explicit Reports(Services services) : services_{std::move(services)} {}

  /// Makes a document; a report that was made anew is kept as a revision if a number has changed.
  void make(const DocumentQuestion& question, Done done);

  [[nodiscard]] const runtime::ReportConfig& config() const { return services_.config; }

 private:
  void keep(std::shared_ptr<Drafting> drafting, Done done);
  Services services_;
};

}  // namespace valle::service::report
