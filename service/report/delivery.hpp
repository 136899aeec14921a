// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "service/app/store_access.hpp"
#include "service/report/reports.hpp"
#include "service/runtime/executors.hpp"
#include "service/runtime/timer.hpp"

namespace valle::service::report {

/// Sends finished weeks by themselves: as files of a folder, and as JSON to a webhook. Looks every hour at the last
/// `k_weeks` weeks; a week is due `schedule.after` its end, and is sent again whenever it has a new revision. A file is
/// named `2026-W48-r2.html`, appears when it is complete and is never overwritten; what a webhook has taken is kept in
/// the store. What fails is tried again at the next look.
class Delivery final {
 public:
  static constexpr int k_weeks = 5;
  static constexpr scheduler::Duration k_every = std::chrono::hours{1};
  /// A webhook gets reports up to this size; larger ones are refused with a line in the log.
  static constexpr std::uint64_t k_largest_post = 16u << 20;

  /// POSTs JSON to an address; blocking. An error says in one sentence, without secrets, why it was not taken.
  using Send = std::function<scheduler::Result<void>(const std::string& url, const std::string& json)>;

  /// All but the functions must outlive this, and `blocking` be closed and idle before it ends.
  struct Services {
    const runtime::Clock& clock;
    runtime::Timers& timers;
    Reports& reports;
    app::StoreAccess& store;
    runtime::WorkQueue& blocking;
    Send send;
    std::function<bool()> may_act = {};  ///< of several replicas only the leader; empty: always
  };

  Delivery(Services services, runtime::ReportSchedule schedule)
      : services_{std::move(services)}, schedule_{std::move(schedule)} {}

  /// The first look is at once.
  void start();
  /// One look; blocking. Returns how many documents were delivered.
  std::size_t look();

 private:
  void post_look();
  [[nodiscard]] scheduler::Result<Document> make(const IsoWeek& week, Format format);
  [[nodiscard]] bool to_folder(const IsoWeek& week, Format format);
  [[nodiscard]] bool to_webhook(const IsoWeek& week, const std::string& time_zone);

  Services services_;
  runtime::ReportSchedule schedule_;
};

}  // namespace valle::service::report
