// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cmath>
#include <map>

#include "connectors/csv/csv.hpp"
#include "connectors/traces/trace_formats.hpp"

namespace valle::connectors {

using namespace scheduler;
using csv::quoted;

namespace {

constexpr std::size_t k_most_columns = 256;
constexpr std::size_t k_longest_line = 16'384;
constexpr double k_longest_seconds = 100.0 * 365 * 86400;
constexpr double k_largest_number = 1e9;

/// The columns by name; each at most once.
class Header {
 public:
  static Result<Header> make(std::span<const std::string_view> names) {
    Header header;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!header.columns_.insert({std::string{names[i]}, i}).second) {
        return refuse(Errc::invalid_request, "column " + quoted(names[i]) + " comes twice");
      }
    }
    for (const auto* needed : {"job_id", "duration_s"}) {
      if (!header.find(needed)) return refuse(Errc::invalid_request, "there is no column " + std::string{needed});
    }
    if (header.find("arrival_s").has_value() == header.find("submitted_at").has_value()) {
      return refuse(Errc::invalid_request, "there must be one of the columns arrival_s and submitted_at");
    }
    return header;
  }
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const {
    const auto found = columns_.find(name);
    return found == columns_.end() ? std::nullopt : std::optional{found->second};
  }
  [[nodiscard]] std::size_t count() const { return columns_.size(); }

 private:
  std::map<std::string, std::size_t, std::less<>> columns_;
};

/// Reads the fields of a row by column; the first fault is kept.
class Row {
 public:
  Row(const Header& header, const csv::Fields& fields) : header_{header}, fields_{fields} {}

  [[nodiscard]] std::string_view text(std::string_view column) const { return fields_.at(header_.find(column)); }

  /// Nothing where there is no such column or the field is empty.
  std::optional<double> number(std::string_view column, double least, double most) {
    const std::string_view field = text(column);
    if (field.empty()) return std::nullopt;
    double value = 0;
    const auto [end, fault] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (fault != std::errc{} || end != field.data() + field.size() || !(value >= least && value <= most)) {
      fail(std::string{column} + " " + quoted(field) + " is not a number within its limits");
      return std::nullopt;
    }
    return value;
  }

  std::optional<Instant> instant(std::string_view column) {
    const std::string_view field = text(column);
    if (field.empty()) return std::nullopt;
    const auto instant = parse_instant(field);
    if (!instant) fail(std::string{column} + " " + quoted(field) + ": " + instant.error().detail);
    return instant ? std::optional{*instant} : std::nullopt;
  }

  void fail(std::string detail) {
    if (fault_.empty()) fault_ = std::move(detail);
  }
  [[nodiscard]] const std::string& fault() const { return fault_; }

 private:
  const Header& header_;
  const csv::Fields& fields_;
  std::string fault_;
};

Amount amount_of(std::optional<double> number) {
  return Amount::of_base(number ? static_cast<std::int64_t>(std::ceil(*number * 1000 - 1e-6)) : 0);
}

Result<TraceJob> read_job(Row row, Instant start) {
  TraceJob job;
  job.id = row.text("job_id");
  if (job.id.empty()) row.fail("job_id is empty");
  const auto arrival = row.number("arrival_s", 0, k_longest_seconds);
  const auto submitted = row.instant("submitted_at");
  if (arrival) job.submitted_at = start + Duration{static_cast<std::int64_t>(std::ceil(*arrival))};
  if (submitted) job.submitted_at = *submitted;
  if (!arrival && !submitted) row.fail("the time of submission is empty");
  const auto seconds = row.number("duration_s", 0, k_longest_seconds);
  job.duration = Duration{seconds ? static_cast<std::int64_t>(std::ceil(*seconds)) : 0};
  if (job.duration <= Duration{0}) row.fail("duration_s must be larger than 0");
  job.gpus = amount_of(row.number("gpus", 0, k_largest_number));
  job.cpus = amount_of(row.number("cpus", 0, k_largest_number));
  job.finish_by = row.instant("finish_by");
  job.owner = row.text("owner");
  const auto power = row.number("power_watts", 1e-3, k_largest_number);
  const auto energy = row.number("energy_kwh", 1e-6, k_largest_number);
  if (!row.fault().empty()) return refuse(Errc::invalid_request, row.fault());
  if (power) job.power = power_from_watts(*power);
  if (energy && !power) {
    job.power = power_from_watts(*energy * 3.6e6 / static_cast<double>(job.duration.count()));
  }
  return job;
}

tl::unexpected<Error> at_line(const std::string& name, std::size_t line, Error error) {
  error.pointer = name + ":" + std::to_string(line);
  return tl::unexpected{std::move(error)};
}

}  // namespace

Result<Trace> read_csv_trace(const std::string& name, std::string_view text, Instant start) {
  csv::Lines lines{text};
  csv::Fields fields{k_most_columns};
  std::string_view line;
  if (!lines.next(line) || line.size() > k_longest_line || !fields.split(line)) {
    return at_line(name, 1, {Errc::invalid_request, "there is no header line of CSV"});
  }
  const auto header = Header::make(fields.all());
  if (!header) return at_line(name, 1, header.error());
  Trace trace;
  while (lines.next(line)) {
    if (csv::trimmed(line).empty()) continue;
    if (line.size() > k_longest_line || !fields.split(line) || fields.all().size() != header->count()) {
      return at_line(name, lines.number(),
                     {Errc::invalid_request,
                      "the line does not have the " + std::to_string(header->count()) + " fields of the header"});
    }
    auto job = read_job(Row{*header, fields}, start);
    if (!job) return at_line(name, lines.number(), job.error());
    if (trace.jobs.size() == k_most_trace_jobs) {
      return at_line(name, lines.number(), {Errc::too_large, "more than 200,000 jobs"});
    }
    trace.jobs.push_back(*std::move(job));
  }
  return trace;
}

}  // namespace valle::connectors
