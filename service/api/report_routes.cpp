// SPDX-License-Identifier: Apache-2.0
#include "service/api/report_routes.hpp"

#include <memory>
#include <utility>

#include "service/api/answer.hpp"
#include "service/api/run_codec.hpp"
#include "service/http/problem.hpp"

namespace valle::service::api {
namespace {

using http::Request;
using http::Respond;
using http::Response;
using scheduler::Errc;
using scheduler::Result;

constexpr std::string_view k_parameters[] = {"format", "owner", "lang", "revision"};
constexpr std::string_view k_formats[] = {"json", "csv", "html", "md"};
/// A report of a million rows takes seconds to make and more to send.
constexpr std::chrono::milliseconds k_report_time{120'000};
/// Up to here an answer is sent from memory.
constexpr std::uint64_t k_small_document = 1u << 20;
constexpr std::int64_t k_last_revision = 1'000'000'000;

void post_runs(const ReportServices& services, const Request& request, const Respond& respond) {
  const auto body = body_alone(request, k_array_limits);
  if (!body) return respond(http::problem(body.error()));
  const auto sites = services.places.sites(*services.book.get());
  auto runs = read_runs(*body, sites, services.clock.now());
  if (!runs) return respond(http::problem(runs.error()));
  const bool taken = services.store.write([respond, runs = *std::move(runs)](store::Database& database) {
    respond(answer(store::RunRepository{database}.post(runs).map(posted_json)));
  });
  if (!taken) respond(busy());
}

Result<report::DocumentQuestion> read_question(const Request& request) {
  FirstError first;
  auto reader = MemberReader::of_query(request.query, k_parameters, first);
  report::DocumentQuestion question;
  if (const auto format = reader.word("format", k_formats)) {
    question.format = report::format_from_text(k_formats[*format]).value();
  }
  question.owner = reader.text("owner");
  question.revision = reader.integer("revision", 1, k_last_revision);
  if (const auto language = reader.text("lang")) {
    auto read = report::parse_language(*language, reader.pointer("lang"));
    if (!read) return tl::unexpected{std::move(read.error())};
    question.language = *read;
  }
  if (first.failed()) return tl::unexpected{first.take()};
  const auto week = report::parse_week(request.path_parameter("week"), "week");
  if (!week) return tl::unexpected{week.error()};
  question.week = *week;
  return question;
}

/// A document as it is sent piece by piece.
class DocumentBody final : public http::BodySource {
 public:
  explicit DocumentBody(report::Document document) : document_{std::move(document)}, size_{document_.size()} {}
  [[nodiscard]] std::uint64_t size() const override { return size_; }
  [[nodiscard]] bool next(std::string& piece) override { return document_.next(piece); }

 private:
  report::Document document_;
  std::uint64_t size_;
};

Response response_of(report::Document document) {
  Response response{.content_type = std::string{report::content_type(document.format())}};
  if (document.size() > k_small_document) {
    response.source = std::make_shared<DocumentBody>(std::move(document));
    return response;
  }
  std::string piece;
  while (document.next(piece)) response.body += piece;
  return response;
}

}  // namespace

std::span<const std::string_view> report_parameters() { return k_parameters; }

void add_report_routes(http::Router& router, const ReportServices& services) {
  router.add("POST", "/v1/runs",
             [services](const Request& request, const Respond& respond) {
               if (services.may_write && !services.may_write()) {
                 return respond(http::problem({Errc::not_leader,
                                               "another replica is the leader and has the ledger; ask again",
                                               "",
                                               {{"retryAfterSeconds", "2"}}}));
               }
               const bool taken = services.long_questions.post(
                   [services, request, respond] { post_runs(services, request, respond); });
               if (!taken) respond(busy());
             },
             {.largest_body = http::k_array_body});
  router.add("GET", "/v1/reports/weekly/{week}",
             [services](const Request& request, const Respond& respond) {
               const auto question = read_question(request);
               if (!question) return respond(http::problem(question.error()));
               services.reports.make(*question, [respond](Result<report::Document> document) {
                 respond(document ? response_of(*std::move(document)) : http::problem(document.error()));
               });
             },
             {.time_limit = k_report_time});
}

}  // namespace valle::service::api
