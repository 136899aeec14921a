// SPDX-License-Identifier: Apache-2.0
#include "service/report/delivery.hpp"

#include <fstream>
#include <future>
#include <system_error>
#include <utility>

#include "service/runtime/log.hpp"
#include "service/store/report_repository.hpp"

namespace valle::service::report {
namespace {

namespace fs = std::filesystem;
namespace log = runtime::log;
using scheduler::Errc;
using scheduler::Instant;
using scheduler::refuse;
using scheduler::Result;

/// The last weeks that are due, the oldest first.
std::vector<IsoWeek> due_weeks(const Calendar& calendar, Instant now, scheduler::Duration after) {
  std::vector<IsoWeek> weeks;
  Instant inside = now - after;
  for (int i = 0; i < Delivery::k_weeks; ++i) {
    inside = calendar.bounds(calendar.week_of(inside)).begin - scheduler::Duration{1};
    if (inside < Instant{}) break;
    weeks.insert(weeks.begin(), calendar.week_of(inside));
  }
  return weeks;
}

/// Under another name first, so that nobody reads half a report.
Result<void> write_file(const fs::path& path, Document document) {
  const fs::path unfinished = fs::path{path}.concat(".unfinished");
  std::ofstream file{unfinished, std::ios::binary | std::ios::trunc};
  for (std::string piece; document.next(piece);) file << piece;
  file.close();
  std::error_code failed;
  if (file) fs::rename(unfinished, path, failed);
  if (!file || failed) {
    std::error_code ignored;
    fs::remove(unfinished, ignored);
    return refuse(Errc::storage_failed, path.string() + " could not be written");
  }
  return {};
}

void tell(const IsoWeek& week, const scheduler::Error& error) {
  log::warning("report_not_delivered", {{"week", format_week(week)}, {"why", error.detail}});
}

}  // namespace

void Delivery::start() {
  services_.timers.every(k_every, [this] { post_look(); });
  post_look();
}

void Delivery::post_look() {
  if (services_.may_act && !services_.may_act()) return;
  if (!services_.blocking.post([this] { (void)look(); })) log::warning("report_delivery_put_off", {});
}

Result<Document> Delivery::make(const IsoWeek& week, Format format) {
  const auto language = parse_language(schedule_.language);
  if (!language) return tl::unexpected{language.error()};
  auto promise = std::make_shared<std::promise<Result<Document>>>();
  auto made = promise->get_future();
  DocumentQuestion question;
  question.week = week;
  question.format = format;
  question.language = *language;
  services_.reports.make(question, [promise](Result<Document> document) { promise->set_value(std::move(document)); });
  promise.reset();
  try {
    return made.get();
  } catch (const std::future_error&) {
    return refuse(Errc::storage_failed, "the store is closing");
  }
}

bool Delivery::to_folder(const IsoWeek& week, Format format) {
  auto document = make(week, format);
  if (!document) {
    tell(week, document.error());
    return false;
  }
  const std::string name = format_week(week) + "-r" + std::to_string(document->revision()) + ".";
  const fs::path path = schedule_.folder / (name + std::string{to_text(format)});
  std::error_code ignored;
  if (fs::exists(path, ignored)) return false;
  fs::create_directories(schedule_.folder, ignored);
  if (const auto written = write_file(path, *std::move(document)); !written) {
    tell(week, written.error());
    return false;
  }
  log::info("report_written", {{"file", path.string()}});
  return true;
}

bool Delivery::to_webhook(const IsoWeek& week, const std::string& time_zone) {
  auto document = make(week, Format::json);
  if (!document) {
    tell(week, document.error());
    return false;
  }
  const store::ReportKey key{format_week(week), time_zone};
  const auto delivered = services_.store.read_now(
      [&](store::Database& database) { return store::ReportRepository{database}.delivered(key); });
  if (!delivered || *delivered >= document->revision()) return false;
  if (document->size() > k_largest_post) {
    tell(week, {Errc::too_large, "the report is too large for a webhook; fetch it by REST"});
    return false;
  }
  const std::int64_t revision = document->revision();
  std::string json;
  for (std::string piece; document->next(piece);) json += piece;
  auto sent = services_.send(schedule_.webhook, json).and_then([&] {
    return services_.store.write_now(
        [&](store::Database& database) { return store::ReportRepository{database}.note_delivered(key, revision); });
  });
  if (!sent) tell(week, sent.error());
  return sent.has_value();
}

std::size_t Delivery::look() {
  const std::string& time_zone = services_.reports.config().time_zone;
  const auto calendar = Calendar::of(time_zone);
  if (!calendar) {
    log::error("report_delivery_impossible", {{"why", calendar.error().detail}});
    return 0;
  }
  std::size_t delivered = 0;
  for (const IsoWeek& week : due_weeks(*calendar, services_.clock.now(), schedule_.after)) {
    if (!schedule_.folder.empty()) {
      for (const auto& word : schedule_.formats) {
        if (const auto format = format_from_text(word)) delivered += to_folder(week, *format) ? 1 : 0;
      }
    }
    if (!schedule_.webhook.empty()) delivered += to_webhook(week, time_zone) ? 1 : 0;
  }
  return delivered;
}

}  // namespace valle::service::report
