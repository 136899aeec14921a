// SPDX-License-Identifier: Apache-2.0
#include "service/app/run_table_file.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <istream>
#include <optional>
#include <utility>

#include "connectors/csv/csv.hpp"

namespace valle::service::app {
namespace {

using connectors::csv::Fields;
using scheduler::AttemptOutcome;
using scheduler::Errc;
using scheduler::refuse;
using scheduler::Result;

enum Column : std::size_t {
  id,
  submitted_at,
  started_at,
  finished_at,
  site,
  home_site,
  owner,
  energy_kwh,
  uncertainty_kwh,
  start_by,
  label,
  gpus,
  outcome,
  k_columns
};
constexpr std::array<std::string_view, k_columns> k_names{
    "id",         "submitted_at",    "started_at", "finished_at", "site", "home_site", "owner",
    "energy_kwh", "uncertainty_kwh", "start_by",   "label",       "gpus", "outcome"};
constexpr std::size_t k_needed = 5;
constexpr std::size_t k_longest_text = 253;
constexpr double k_most_kwh = 1e9;

/// `submittedAt` and `submitted_at` are one name.
std::string plain_name(std::string_view text) {
  std::string name;
  for (const char c : text) {
    if (c >= 'A' && c <= 'Z') {
      if (!name.empty()) name += '_';
      name += static_cast<char>(c - 'A' + 'a');
    } else {
      name += c;
    }
  }
  return name;
}

struct Header {
  std::array<std::optional<std::size_t>, k_columns> at;
  std::size_t width = 0;
};

Result<Header> read_header(std::string_view line) {
  Fields fields{RunTable::Limits::k_columns};
  if (!fields.split(line)) return refuse(Errc::invalid_request, "the header is not a line of names with commas", "1");
  Header header{.at = {}, .width = fields.all().size()};
  for (std::size_t i = 0; i < header.width; ++i) {
    const std::string name = plain_name(fields.at(i));
    const auto found = std::find(k_names.begin(), k_names.end(), name);
    if (found == k_names.end()) {
      return refuse(Errc::invalid_request, "no column is called " + connectors::csv::quoted(fields.at(i)), "1");
    }
    auto& place = header.at[static_cast<std::size_t>(found - k_names.begin())];
    if (place) return refuse(Errc::invalid_request, "the column " + name + " is there twice", "1");
    place = i;
  }
  for (std::size_t needed = 0; needed < k_needed; ++needed) {
    if (!header.at[needed]) {
      return refuse(Errc::invalid_request, "the column " + std::string{k_names[needed]} + " is missing", "1");
    }
  }
  return header;
}

/// One line; the first thing that is wrong is kept.
class LineReader {
 public:
  LineReader(const Header& header, const Fields& fields) : header_{header}, fields_{fields} {}

  std::string text(Column column) {
    const auto value = fields_.at(header_.at[column]);
    if (value.size() > k_longest_text) wrong(column, "is longer than 253 bytes");
    for (const char c : value) {
      if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') wrong(column, "has a control character");
    }
    return std::string{value};
  }
  scheduler::Instant instant(Column column) {
    const auto read = scheduler::parse_instant(fields_.at(header_.at[column]));
    if (!read) wrong(column, read.error().detail);
    return read.value_or(scheduler::Instant{});
  }
  std::optional<scheduler::Instant> optional_instant(Column column) {
    if (fields_.at(header_.at[column]).empty()) return std::nullopt;
    return instant(column);
  }
  std::optional<double> number(Column column, double least) {
    const auto text = fields_.at(header_.at[column]);
    if (text.empty()) return std::nullopt;
    double value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool good = failure == std::errc{} && end == text.data() + text.size() && std::isfinite(value) &&
                      value >= least && value <= k_most_kwh;
    if (!good) {
      wrong(column, connectors::csv::quoted(text) + " is no number with a decimal point between " +
                        (least > 0 ? "0.000001" : "0") + " and 1e9");
      return std::nullopt;
    }
    return value;
  }
  void wrong(Column column, const std::string& what) {
    if (why_.empty()) why_ = std::string{k_names[column]} + ": " + what;
  }
  [[nodiscard]] const std::string& why() const { return why_; }

 private:
  const Header& header_;
  const Fields& fields_;
  std::string why_;
};

std::optional<scheduler::Energy> energy(const std::optional<double>& kwh) {
  return kwh ? std::optional{scheduler::energy_from_kwh(*kwh)} : std::nullopt;
}

PostedRun read_line(LineReader& reader) {
  PostedRun run;
  run.id = reader.text(id);
  run.submitted = reader.instant(submitted_at);
  run.started = reader.instant(started_at);
  run.finished = reader.instant(finished_at);
  run.site = reader.text(site);
  run.home_site = reader.text(home_site);
  run.owner = reader.text(owner);
  run.energy = energy(reader.number(energy_kwh, 1e-6));
  run.uncertainty = energy(reader.number(uncertainty_kwh, 0));
  run.start_by = reader.optional_instant(start_by);
  run.label = reader.text(label);
  if (const auto count = reader.number(gpus, 0)) run.gpus = scheduler::Amount::of_base(std::llround(*count * 1000));
  if (run.id.empty()) reader.wrong(id, "is empty");
  const std::string word = reader.text(outcome);
  if (word == "failed") {
    run.outcome = AttemptOutcome::failed;
  } else if (word == "cancelled") {
    run.outcome = AttemptOutcome::evicted;
  } else if (!word.empty() && word != "succeeded") {
    reader.wrong(outcome, "is succeeded, failed or cancelled");
  }
  return run;
}

/// The next line without its end and, at the beginning of the text, without byte order mark.
bool next_line(std::istream& text, std::size_t number, std::string& line) {
  if (!std::getline(text, line)) return false;
  if (number == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
  if (line.ends_with('\r')) line.pop_back();
  return true;
}

}  // namespace

Result<void> RunTable::read(std::istream& text, std::span<const runtime::SiteConfig> sites, scheduler::Instant now,
                            const TakeRun& take, const TakeRefused& refused) {
  std::string line;
  if (!next_line(text, 1, line) || line.empty()) return refuse(Errc::invalid_request, "the file is empty");
  const auto header = read_header(line);
  if (!header) return tl::unexpected{header.error()};
  Fields fields{Limits::k_columns};
  for (std::size_t number = 2; next_line(text, number, line); ++number) {
    if (line.empty()) continue;
    if (line.size() > Limits::k_line || !fields.split(line)) {
      refused({number, "is not a line of fields with commas"});
      continue;
    }
    if (fields.all().size() != header->width) {
      refused({number,
               "has " + std::to_string(fields.all().size()) + " fields, the header " + std::to_string(header->width)});
      continue;
    }
    LineReader reader{*header, fields};
    PostedRun posted = read_line(reader);
    if (!reader.why().empty()) {
      refused({number, reader.why()});
      continue;
    }
    auto run = run_of(std::move(posted), sites, now);
    if (!run) {
      refused({number, plain_name(run.error().pointer) + ": " + run.error().detail});
      continue;
    }
    take(number, *std::move(run));
  }
  return {};
}

}  // namespace valle::service::app
