// SPDX-License-Identifier: Apache-2.0
#include "service/report/document.hpp"

#include <array>
#include <utility>

#include "service/report/report_csv.hpp"
#include "service/report/report_html.hpp"
#include "service/report/report_json.hpp"
#include "service/report/report_markdown.hpp"
#include "service/report/row_json.hpp"

namespace valle::service::report {
namespace {

using scheduler::Errc;
using scheduler::refuse;
using scheduler::ReportRow;
using scheduler::Result;

constexpr std::array<std::pair<std::string_view, Format>, 4> k_formats{
    {{"json", Format::json}, {"csv", Format::csv}, {"html", Format::html}, {"md", Format::markdown}}};

/// Writes rows into a spool, a piece at a time.
class RowSpooler {
 public:
  RowSpooler(Format format, const ReportGrid& grid, runtime::Spool& spool)
      : format_{format}, grid_{grid}, spool_{spool} {
    if (format_ == Format::json) json_.begin_array();
    if (format_ == Format::csv) csv_ = csv_head();
  }
  void take(const ReportRow& row) {
    if (format_ == Format::json) write_row(json_, row, grid_);
    if (format_ == Format::csv) append_csv_row(csv_, row, grid_);
    if (json_.text().size() + csv_.size() > runtime::Spool::k_piece) flush();
  }
  void flush() {
    spool_.append(json_.text());
    json_.clear();
    spool_.append(csv_);
    csv_.clear();
  }

 private:
  Format format_;
  const ReportGrid& grid_;
  runtime::Spool& spool_;
  api::JsonWriter json_;
  std::string csv_;
};

store::ReportKey key_of(const DocumentQuestion& question, const Calendar& calendar) {
  return {format_week(question.week), calendar.time_zone()};
}

/// The grid and the ledger's state that a revision was made from.
Result<store::ReportRevision> stored_revision(store::Database& database, const DocumentQuestion& question,
                                              const Calendar& calendar) {
  const auto stored = store::ReportRepository{database}.find(key_of(question, calendar), question.revision);
  if (!stored) return tl::unexpected{stored.error()};
  if (*stored) return **stored;
  return refuse(Errc::not_found,
                format_week(question.week) + " has no revision " + std::to_string(*question.revision) +
                    " in the time zone " + calendar.time_zone(),
                "revision");
}

}  // namespace

std::optional<Format> format_from_text(std::string_view text) {
  for (const auto& [word, format] : k_formats) {
    if (text == word) return format;
  }
  return std::nullopt;
}

std::string_view to_text(Format format) { return k_formats.at(static_cast<std::size_t>(format)).first; }

std::string_view content_type(Format format) {
  switch (format) {
    case Format::json: return "application/json";
    case Format::csv: return "text/csv; charset=utf-8";
    case Format::html: return "text/html; charset=utf-8";
    case Format::markdown: return "text/markdown; charset=utf-8";
  }
  return "";
}

bool Document::next(std::string& piece) {
  if (part_ == Part::head) {
    part_ = Part::rows;
    piece = std::move(head_);
    if (!piece.empty()) return true;
  }
  if (part_ == Part::rows) {
    if (rows_->next(piece)) return true;
    part_ = Part::over;
    piece = std::move(tail_);
    return !piece.empty();
  }
  return false;
}

Result<Drafting> Drafting::draft(store::Database& database, const DocumentQuestion& question,
                                 const Surroundings& surroundings) {
  const auto calendar = Calendar::of(surroundings.config.time_zone);
  if (!calendar) return tl::unexpected{calendar.error()};
  std::optional<store::ReportRevision> stored;
  ReportGrid grid;
  if (question.revision) {
    auto found = stored_revision(database, question, *calendar);
    if (!found) return tl::unexpected{std::move(found.error())};
    auto read = grid_from_document(found->grid);
    if (!read) return tl::unexpected{std::move(read.error())};
    stored = *std::move(found);
    grid = *std::move(read);
  } else {
    grid = present_grid(surroundings.book, surroundings.sites, surroundings.config, calendar->bounds(question.week),
                        surroundings.now);
  }
  Drafting draft;
  draft.question_ = question;
  draft.config_ = surroundings.config;
  draft.made_anew_ = !stored;
  const bool for_people = question.format == Format::html || question.format == Format::markdown;
  RowSpooler spooler{question.format, grid, *draft.rows_};
  auto report = make_report(
      database, *calendar, grid,
      {.week = question.week, .owner = question.owner, .pictures = for_people ? Pictures::with : Pictures::without},
      stored ? std::optional{stored->ledger} : std::nullopt, [&](const ReportRow& row) { spooler.take(row); });
  if (!report) return tl::unexpected{std::move(report.error())};
  spooler.flush();
  draft.report_ = *std::move(report);
  draft.report_.made_at = surroundings.now;
  if (stored) {
    draft.report_.revision = stored->revision;
    draft.report_.made_at = stored->made_at;
    draft.report_.as_stored = stored->fingerprint == draft.report_.fingerprint;
  }
  return draft;
}

Result<void> Drafting::keep(store::Database& database) {
  if (!made_anew_) return {};
  store::ReportRevision made{.made_at = report_.made_at,
                             .ledger = report_.ledger,
                             .fingerprint = report_.fingerprint,
                             .grid = grid_document(cut(report_.grid, report_.needed)),
                             .totals = totals_json(report_.whole)};
  const auto kept =
      store::ReportRepository{database}.keep({format_week(report_.week), report_.time_zone}, std::move(made));
  if (!kept) return tl::unexpected{kept.error()};
  report_.revision = kept->revision;
  report_.made_at = kept->made_at;
  return {};
}

Document Drafting::finished() && {
  Document::Parts parts{.rows = std::move(rows_)};
  switch (question_.format) {
    case Format::json:
      parts.head = json_head(report_);
      parts.tail = json_tail(report_, config_);
      break;
    case Format::csv: break;
    case Format::html: parts.head = to_html(report_, question_.language); break;
    case Format::markdown: parts.head = to_markdown(report_, question_.language); break;
  }
  return {question_.format, report_.revision, std::move(parts)};
}

}  // namespace valle::service::report
