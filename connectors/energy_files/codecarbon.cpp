// SPDX-License-Identifier: Apache-2.0
#include "connectors/energy_files/codecarbon.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "connectors/csv/csv.hpp"
#include "connectors/energy_files/codecarbon_row.hpp"
#include "connectors/energy_files/line_source.hpp"
#include "connectors/energy_files/number_text.hpp"
#include "connectors/json/json.hpp"

namespace valle::connectors::energy {
namespace {

using scheduler::Errc;
using scheduler::refuse;
using scheduler::Result;

constexpr std::size_t k_most_columns = 256;

struct TextColumn {
  std::string_view name;
  std::string CodeCarbonRow::*member;
};
constexpr std::array<TextColumn, 5> k_texts{{{"timestamp", &CodeCarbonRow::timestamp},
                                             {"project_name", &CodeCarbonRow::project},
                                             {"run_id", &CodeCarbonRow::run_id},
                                             {"codecarbon_version", &CodeCarbonRow::version},
                                             {"tracking_mode", &CodeCarbonRow::tracking_mode}}};

struct NumberColumn {
  std::string_view name;
  std::optional<double> CodeCarbonRow::*member;
};
constexpr std::array<NumberColumn, 11> k_numbers{{{"duration", &CodeCarbonRow::duration},
                                                  {"energy_consumed", &CodeCarbonRow::energy},
                                                  {"cpu_energy", &CodeCarbonRow::processor_energy},
                                                  {"gpu_energy", &CodeCarbonRow::board_energy},
                                                  {"ram_energy", &CodeCarbonRow::memory_energy},
                                                  {"cpu_power", &CodeCarbonRow::processor_power},
                                                  {"gpu_power", &CodeCarbonRow::board_power},
                                                  {"ram_power", &CodeCarbonRow::memory_power},
                                                  {"pue", &CodeCarbonRow::pue},
                                                  {"cpu_count", &CodeCarbonRow::processors},
                                                  {"gpu_count", &CodeCarbonRow::boards}}};

/// Where each member stands in a row; found once for a file.
class Columns {
 public:
  static Result<Columns> make(std::span<const std::string_view> names) {
    std::map<std::string_view, std::size_t> places;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!places.insert({names[i], i}).second) {
        return refuse(Errc::invalid_request, "column " + csv::quoted(names[i]) + " comes twice");
      }
    }
    if (places.contains("task_name")) {
      return refuse(Errc::invalid_request,
                    "this is CodeCarbon's file of tasks, whose energy stands in emissions.csv too: import that one");
    }
    for (const auto* needed : {"timestamp", "duration", "energy_consumed"}) {
      if (!places.contains(needed)) return refuse(Errc::invalid_request, "there is no column " + std::string{needed});
    }
    const auto find = [&places](std::string_view name) {
      const auto found = places.find(name);
      return found == places.end() ? std::nullopt : std::optional{found->second};
    };
    Columns columns;
    columns.count_ = names.size();
    std::transform(k_texts.begin(), k_texts.end(), columns.texts_.begin(), [&](auto& each) { return find(each.name); });
    std::transform(k_numbers.begin(), k_numbers.end(), columns.numbers_.begin(),
                   [&](auto& each) { return find(each.name); });
    return columns;
  }

  [[nodiscard]] std::size_t count() const { return count_; }

  [[nodiscard]] CodeCarbonRow row_of(const csv::Fields& fields, DecimalComma comma) const {
    CodeCarbonRow row;
    for (std::size_t i = 0; i < k_texts.size(); ++i) row.*k_texts[i].member = fields.at(texts_[i]);
    for (std::size_t i = 0; i < k_numbers.size(); ++i) {
      row.*k_numbers[i].member = number_of(fields.at(numbers_[i]), comma);
    }
    return row;
  }

 private:
  std::size_t count_ = 0;
  std::array<std::optional<std::size_t>, k_texts.size()> texts_;
  std::array<std::optional<std::size_t>, k_numbers.size()> numbers_;
};

/// The one of three that parts a header into most names.
char separator_of(std::string_view header) {
  constexpr std::string_view k_candidates = ",;\t";
  return *std::max_element(k_candidates.begin(), k_candidates.end(), [header](char a, char b) {
    return std::count(header.begin(), header.end(), a) < std::count(header.begin(), header.end(), b);
  });
}

}  // namespace

Result<ReadSummary> read_codecarbon(std::istream& file, const CodeCarbonOptions& options, const TakeRun& take) {
  LineSource lines{file, k_longest_energy_line};
  std::string_view line;
  if (!lines.next(line)) return refuse(Errc::invalid_request, "the file is empty");
  if (line.starts_with("\xFF\xFE") || line.starts_with("\xFE\xFF")) {
    return refuse(Errc::invalid_request, "the file is UTF-16: save it as UTF-8");
  }
  const char separator = separator_of(line);
  const DecimalComma comma = separator == ',' ? DecimalComma::never_meant : DecimalComma::always_meant;
  csv::Fields fields{k_most_columns, separator};
  const std::string header{line};  // the names are views into it
  if (!fields.split(header)) return refuse(Errc::invalid_request, "there is no header line of CSV");
  const auto columns = Columns::make(fields.all());
  if (!columns) return tl::unexpected{columns.error()};

  ReadSummary summary;
  std::optional<scheduler::Instant> last_end;
  while (lines.next(line)) {
    if (csv::trimmed(line).empty()) continue;
    if (lines.cut() || !fields.split(line) || fields.all().size() != columns->count()) {
      summary.refuse(lines.number(),
                     "the line does not have the " + std::to_string(columns->count()) + " fields of the header");
      continue;
    }
    auto run = run_of(columns->row_of(fields, comma), options, last_end);
    if (!run) {
      summary.refuse(lines.number(), run.error().detail);
      continue;
    }
    run->line = lines.number();
    last_end = run->ran->end;
    ++summary.taken;
    take(*std::move(run));
  }
  return summary;
}

Result<ToolRun> read_codecarbon_post(std::string_view body, const CodeCarbonOptions& options) {
  const auto document = json::parse(body);
  if (!document) return tl::unexpected{document.error()};
  if (!document->is_object()) return refuse(Errc::invalid_request, "expected an object");
  CodeCarbonRow row;
  for (const auto& column : k_texts) row.*column.member = json::text(*document, column.name).value_or("");
  for (const auto& column : k_numbers) {
    const auto number = json::number(*document, column.name);
    if (number.state == RawNumber::State::number) row.*column.member = number.value;
  }
  return run_of(row, options);
}

}  // namespace valle::connectors::energy
