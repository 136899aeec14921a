// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <nlohmann/json.hpp>

#include "connectors/files/file_table.hpp"
#include "connectors/json/json.hpp"

namespace valle::connectors {
namespace {

using scheduler::Duration;
using scheduler::Errc;
using scheduler::Result;

/// .NET's TimeSpan, `[d.]hh:mm:ss`, or an ISO 8601 duration. Nothing if it is neither or not positive.
std::optional<Duration> read_span(std::string_view text) {
  if (text.starts_with('P')) {
    const auto duration = scheduler::parse_duration(text);
    return duration && duration->count() > 0 ? std::optional{*duration} : std::nullopt;
  }
  unsigned days = 0;
  unsigned parts[3] = {0, 0, 0};
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto take = [&](unsigned& value) {
    const auto [next, fault] = std::from_chars(at, end, value);
    const bool good = fault == std::errc{} && value < 10'000;
    at = next;
    return good;
  };
  if (const auto dot = text.find('.'); dot != std::string_view::npos && dot < text.find(':')) {
    if (!take(days) || at == end || *at++ != '.') return std::nullopt;
  }
  for (int i = 0; i < 3; ++i) {
    if (i > 0 && (at == end || *at++ != ':')) return std::nullopt;
    if (!take(parts[i])) return std::nullopt;
  }
  if (at != end || parts[1] > 59 || parts[2] > 59) return std::nullopt;
  const Duration span = std::chrono::hours{days * 24 + parts[0]} + std::chrono::minutes{parts[1]} + Duration{parts[2]};
  return span.count() > 0 ? std::optional{span} : std::nullopt;
}

Result<FileRow> read_row(const json::Value& element) {
  const auto wrong = [](std::string detail) { return scheduler::refuse(Errc::invalid_request, std::move(detail)); };
  if (!element.is_object()) return wrong("a row is an object with Time, Rating and Duration");
  const auto time = json::text(json::member_in_any_case(element, "Time"));
  if (!time) return wrong("a row needs a Time");
  const auto start = scheduler::parse_instant(*time);
  if (!start) return wrong("Time: " + start.error().detail);
  FileRow row{.start = *start};
  if (const auto* duration = json::member_in_any_case(element, "Duration");
      duration != nullptr && !duration->is_null()) {
    const auto span = json::text(duration) ? read_span(*json::text(duration)) : std::nullopt;
    if (!span) return wrong("Duration is written as hh:mm:ss, such as 00:15:00, and is positive");
    row.end = row.start + *span;
  }
  row.lifecycle = json::number(json::member_in_any_case(element, "Rating"));
  if (row.lifecycle.state == RawNumber::State::wrong_type) return wrong("Rating is not a number");
  return row;
}

}  // namespace

Result<FileTable> read_sdk_table(std::string_view file, std::string_view text) {
  const auto at = [&](scheduler::Error error, const std::string& place) -> tl::unexpected<scheduler::Error> {
    error.pointer = std::string{file} + place;
    return tl::unexpected{std::move(error)};
  };
  const auto document = json::parse(text);
  if (!document) {
    // "line 3, column 14" becomes file:3
    const std::string& place = document.error().pointer;
    const auto line = place.starts_with("line ") ? place.substr(5, place.find(',') - 5) : std::string{"1"};
    return at({Errc::invalid_request, document.error().detail + (place.empty() ? "" : " at " + place)}, ":" + line);
  }
  const bool bare = document->is_array();
  const auto* rows = json::list(bare ? &*document : json::member_in_any_case(*document, "Emissions"));
  if (rows == nullptr) {
    return at(
        {Errc::invalid_request, "not a Carbon Aware SDK file: a list Emissions of {Time, Rating, Duration} is needed"},
        ":1");
  }
  if (rows->empty()) return at({Errc::invalid_request, "the file has no rows"}, bare ? ":/" : ":/Emissions");
  if (rows->size() > k_most_rows) return at({Errc::too_large, "more rows than valle reads from one file"}, ":/");
  const std::string prefix = bare ? ":/" : ":/Emissions/";
  FileTable table{.has_lifecycle = true, .place_prefix = std::string{file} + prefix};
  table.rows.reserve(rows->size());
  std::optional<std::string_view> location;
  for (std::size_t i = 0; i < rows->size(); ++i) {
    auto row = read_row((*rows)[i]);
    if (!row) return at(row.error(), prefix + std::to_string(i));
    const auto here = json::text(json::member_in_any_case((*rows)[i], "Location"));
    if (i > 0 && here != location) {
      return at({Errc::invalid_request, "rows of several locations in one file: write one file a zone"},
                prefix + std::to_string(i));
    }
    location = here;
    row->place = i;
    table.rows.push_back(*row);
  }
  return table;
}

}  // namespace valle::connectors
