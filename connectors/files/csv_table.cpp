// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <charconv>
#include <cmath>

#include "connectors/csv/csv.hpp"
#include "connectors/files/columns.hpp"
#include "connectors/files/file_table.hpp"
#include "scheduler/model/zone.hpp"

namespace valle::connectors {
namespace {

using csv::Fields;
using csv::Lines;
using csv::quoted;
using csv::trimmed;
using scheduler::Errc;
using scheduler::Instant;
using scheduler::Result;

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  for (const auto word : words) {
    if (text.size() != word.size()) continue;
    std::size_t i = 0;
    while (i < word.size() && (text[i] | 0x20) == word[i]) ++i;
    if (i == word.size()) return true;
  }
  return false;
}

tl::unexpected<scheduler::Error> malformed(std::string detail) {
  return scheduler::refuse(Errc::invalid_request, std::move(detail));
}

Result<Instant> read_time(std::string_view text, bool utc_without_offset) {
  // An offset can only stand behind the date: 2021-01-01T00:00
  const bool bare = text.size() < 11 || text.substr(11).find_first_of("Zz+-") == std::string_view::npos;
  auto instant =
      bare && utc_without_offset ? scheduler::parse_instant(std::string{text} + 'Z') : scheduler::parse_instant(text);
  if (!instant) return malformed(quoted(text) + ": " + instant.error().detail);
  return instant;
}

/// Empty and the usual words for nothing are null; NaN is a number that the door refuses.
Result<RawNumber> read_number(std::string_view text) {
  if (text.empty() || is_one_of(text, {"null", "none", "na", "n/a", "-"})) return RawNumber{RawNumber::State::null, 0};
  double value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault == std::errc{} && end == text.data() + text.size()) return RawNumber::of(value);
  if (text.find(',') != std::string_view::npos) {
    return malformed(quoted(text) + ": the decimal mark is a dot, not a comma");
  }
  if (fault == std::errc::result_out_of_range)
    return malformed(quoted(text) + ": the number is too large or too small");
  return malformed(quoted(text) + " is not a number");
}

Result<bool> read_flag(std::string_view text) {
  if (is_one_of(text, {"1", "true", "yes"})) return true;
  if (text.empty() || is_one_of(text, {"0", "false", "no", "null", "nan"})) return false;
  return malformed(quoted(text) + " is neither 0 nor 1, true nor false");
}

Result<FileRow> read_row(const Columns& columns, const Fields& fields, std::string_view zone) {
  FileRow row;
  const auto start = read_time(fields.at(columns.time), columns.time_is_utc);
  if (!start) return tl::unexpected{start.error()};
  row.start = *start;
  if (const auto end_text = fields.at(columns.end); !end_text.empty()) {
    const auto end = read_time(end_text, columns.time_is_utc);
    if (!end) return tl::unexpected{end.error()};
    if (*end <= row.start) return malformed(quoted(end_text) + ": a row must end after its start");
    row.end = *end;
  }
  const std::array<std::pair<const std::optional<std::size_t>*, RawNumber*>, 3> numbers{
      {{&columns.lifecycle, &row.lifecycle}, {&columns.direct, &row.direct}, {&columns.price, &row.price}}};
  for (const auto& [column, target] : numbers) {
    if (!column->has_value()) continue;
    const auto number = read_number(fields.at(*column));
    if (!number) return tl::unexpected{number.error()};
    *target = *number;
  }
  if (columns.estimated) {
    const auto flag = read_flag(fields.at(columns.estimated));
    if (!flag) return tl::unexpected{flag.error()};
    row.estimated = *flag;
  }
  if (columns.zone) {
    const auto named = scheduler::Zone::make(fields.at(columns.zone));
    if (!named || named->name() != zone) {
      return malformed("the row is of zone " + quoted(fields.at(columns.zone)) + ", but the file's name says " +
                       std::string{zone} + ": name the file after its zone, such as FR.csv or FR.2021.csv");
    }
  }
  return row;
}

tl::unexpected<scheduler::Error> at_line(std::string_view file, std::size_t line, scheduler::Error error) {
  error.pointer = std::string{file} + ":" + std::to_string(line);
  return tl::unexpected{std::move(error)};
}

scheduler::Error wrong_width(const Columns& columns, std::size_t found) {
  std::string detail = "the line has " + std::to_string(found) + " fields, the header " + std::to_string(columns.count);
  if (found > columns.count) detail += " (a decimal comma? the decimal mark is a dot)";
  return {Errc::invalid_request, std::move(detail)};
}

}  // namespace

Result<FileTable> read_csv_table(std::string_view file, std::string_view zone, std::string_view text) {
  Lines lines{text};
  std::string_view line;
  Fields fields{k_most_columns};
  if (!lines.next(line)) return at_line(file, 1, {Errc::invalid_request, "the file is empty"});
  if (line.size() > k_longest_line || !fields.split(line)) {
    return at_line(file, 1, {Errc::invalid_request, "the header is not a line of CSV"});
  }
  const auto columns = find_columns(fields.all());
  if (!columns) return at_line(file, 1, columns.error());

  FileTable table{.has_lifecycle = columns->lifecycle.has_value(),
                  .has_direct = columns->direct.has_value(),
                  .has_price = columns->price.has_value(),
                  .place_prefix = std::string{file} + ":"};
  table.rows.reserve(text.size() / (line.size() + 1) + 1);
  while (lines.next(line)) {
    if (trimmed(line).empty()) continue;
    if (line.size() > k_longest_line || !fields.split(line)) {
      return at_line(file, lines.number(),
                     {Errc::invalid_request, "not a line of CSV: a quote is not closed, or too long"});
    }
    if (fields.all().size() != columns->count) {
      return at_line(file, lines.number(), wrong_width(*columns, fields.all().size()));
    }
    auto row = read_row(*columns, fields, zone);
    if (!row) return at_line(file, lines.number(), row.error());
    if (table.rows.size() == k_most_rows) {
      return at_line(file, lines.number(), {Errc::too_large, "more rows than valle reads from one file"});
    }
    row->place = lines.number();
    // Views must outlive `fields`, so only unquoted text is kept.
    if (const auto method = fields.at(columns->estimation_method); !method.empty()) {
      row->estimation_method = method.data() >= text.data() && method.data() < text.data() + text.size() ? method : "";
    }
    table.rows.push_back(*row);
  }
  if (table.rows.empty()) return at_line(file, lines.number(), {Errc::invalid_request, "the file has no rows"});
  return table;
}

}  // namespace valle::connectors
