// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "scheduler/model/error.hpp"
#include "scheduler/units/time.hpp"
#include "service/runtime/config.hpp"

namespace valle::service {

struct ServiceOptions {
  runtime::Config config;
  std::optional<scheduler::Instant> test_clock =
      {};  ///< stands still until POST /test/clock; loopback only, no Kubernetes
  std::size_t solver_threads = 2;
  std::map<std::string, std::string> environment = {};  ///< where a cluster says that we run in it
};

/// Everything that `valle serve` runs, wired together: store, sources, fetching, planning, REST. The one place, besides
/// main, that knows all parts.
class Service final {
 public:
  /// Opens and migrates the database, listens, and begins the first round of fetching. Refused with the place of what
  /// is wrong: configuration, database, address, TLS files, tokens.
  [[nodiscard]] static scheduler::Result<std::unique_ptr<Service>> start(ServiceOptions options);
  ~Service();  ///< stop()
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  /// `http://127.0.0.1:8080`
  [[nodiscard]] std::string url() const;
  /// The first round of fetching is over, at least one zone has data, and the webhook (if any) has a certificate.
  [[nodiscard]] bool ready() const;
  /// Not ready → no new connections → queues are told to stop → answers in flight → database closed. Bounded; once.
  void stop();

 private:
  struct Parts;
  explicit Service(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace valle::service
