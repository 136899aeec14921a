// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "service/report/page/words.hpp"
#include "service/report/weekly_report.hpp"
#include "service/runtime/config.hpp"
#include "service/runtime/spool.hpp"
#include "service/store/report_repository.hpp"

namespace valle::service::report {

enum class Format { json, csv, html, markdown };
[[nodiscard]] std::optional<Format> format_from_text(std::string_view text);  ///< json, csv, html, md
[[nodiscard]] std::string_view to_text(Format format);
/// `application/json`, `text/csv; charset=utf-8`, …
[[nodiscard]] std::string_view content_type(Format format);

/// What a user asks for.
struct DocumentQuestion {
  IsoWeek week;
  Format format = Format::json;
  Language language = Language::en;
  std::optional<std::string> owner = {};
  std::optional<std::int64_t> revision = {};  ///< nothing: made from what is known now
};

/// A finished text of any length.
class Document final {
 public:
  struct Parts {
    std::string head = {};
    std::unique_ptr<runtime::Spool> rows;
    std::string tail = {};
  };
  Document(Format format, std::int64_t revision, Parts parts)
      : format_{format},
        revision_{revision},
        head_{std::move(parts.head)},
        rows_{std::move(parts.rows)},
        tail_{std::move(parts.tail)} {}
  [[nodiscard]] Format format() const { return format_; }
  [[nodiscard]] std::int64_t revision() const { return revision_; }  ///< of the report that it shows
  [[nodiscard]] std::uint64_t size() const { return head_.size() + rows_->size() + tail_.size(); }
  /// Replaces `piece` by what comes next; false after the end. Throws if a temporary file can't be read.
  [[nodiscard]] bool next(std::string& piece);

 private:
  enum class Part { head, rows, over };
  Format format_;
  std::int64_t revision_;
  Part part_ = Part::head;
  std::string head_;
  std::unique_ptr<runtime::Spool> rows_;
  std::string tail_;
};

/// Makes documents in two steps, so that reading and writing of the store stay in their own threads: `draft` reads the
/// ledger, `keep` gives the report its revision, `finished` renders what comes before and after the rows.
class Drafting final {
 public:
  /// What the service knows at this moment.
  struct Surroundings {
    const runtime::ReportConfig& config;
    const app::IntensityBook& book;
    std::span<const runtime::SiteConfig> sites;
    scheduler::Instant now;
  };

  /// With a revision: the report as it was then (`not_found` if there is none). In the thread of `database`.
  [[nodiscard]] static scheduler::Result<Drafting> draft(store::Database& database, const DocumentQuestion& question,
                                                         const Surroundings& surroundings);
  /// Keeps a report that was made anew, if a number has changed since its last revision. Needs a writing connection.
  [[nodiscard]] scheduler::Result<void> keep(store::Database& database);
  [[nodiscard]] Document finished() &&;
  [[nodiscard]] const WeeklyReport& report() const { return report_; }

 private:
  Drafting() = default;
  DocumentQuestion question_;
  runtime::ReportConfig config_;
  WeeklyReport report_;
  std::unique_ptr<runtime::Spool> rows_ = std::make_unique<runtime::Spool>();
  bool made_anew_ = true;
};

}  // namespace valle::service::report
