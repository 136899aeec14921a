// SPDX-License-Identifier: Apache-2.0
#include "connectors/energy_files/zeus.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "connectors/csv/csv.hpp"
#include "connectors/energy_files/limits.hpp"
#include "connectors/energy_files/line_source.hpp"
#include "connectors/energy_files/number_text.hpp"
#include "connectors/json/json.hpp"

namespace valle::connectors::energy {
namespace {

using scheduler::Energy;
using scheduler::EnergyBoundary;
using scheduler::EnergyFigure;
using scheduler::EnergyQuality;
using scheduler::Errc;
using scheduler::Instant;
using scheduler::Interval;
using scheduler::refuse;
using scheduler::Result;

constexpr std::size_t k_most_columns = 256;
constexpr std::size_t k_longest_line = 16'384;
constexpr std::size_t k_most_windows = 1'000'000;
constexpr double k_latest_second = 9.2e9;    // the year 2261
constexpr double k_largest_joules = 3.6e15;  // 1e9 kWh
constexpr double k_clocks_agree_to = 0.01;   // s; start and length come from two clocks
constexpr double k_board_error = 0.05;
constexpr double k_counter_error = 0.10;
constexpr std::int64_t k_whole_coverage = 950'000;

Energy energy_of_joules(double joules) { return scheduler::energy_from_kwh(joules / 3.6e6); }

struct Window {
  double start = 0;
  double seconds = 0;
  double joules = 0;
  bool unseen = false;  ///< a board reported 0
  [[nodiscard]] double end() const { return start + seconds; }
};

struct WindowColumns {
  std::size_t count = 0;
  std::size_t start = 0;
  std::size_t name = 0;
  std::size_t seconds = 0;
  std::vector<std::size_t> boards = {};
};

Result<WindowColumns> columns_of(std::span<const std::string_view> names) {
  std::optional<std::size_t> start;
  std::optional<std::size_t> name;
  std::optional<std::size_t> seconds;
  WindowColumns columns{.count = names.size()};
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == "start_time") start = i;
    if (names[i] == "window_name") name = i;
    if (names[i] == "elapsed_time") seconds = i;
    if (names[i].starts_with("gpu") && names[i].ends_with("_energy")) columns.boards.push_back(i);
  }
  if (!start || !name || !seconds) {
    return refuse(Errc::invalid_request, "there are no columns start_time, window_name and elapsed_time");
  }
  columns.start = *start;
  columns.name = *name;
  columns.seconds = *seconds;
  return columns;
}

std::optional<Window> window_of(const csv::Fields& fields, const WindowColumns& columns) {
  const auto start = number_of(fields.at(columns.start));
  const auto seconds = number_of(fields.at(columns.seconds));
  if (!start || !seconds || *start < 0 || *start > k_latest_second || *seconds <= 0 || *seconds > k_longest_seconds) {
    return {};
  }
  Window window{.start = *start, .seconds = *seconds};
  for (const auto board : columns.boards) {
    const auto joules = number_of(fields.at(board));
    if (!joules || *joules < 0 || *joules > k_largest_joules) return {};
    window.joules += *joules;
    window.unseen = window.unseen || *joules == 0;
  }
  return window;
}

/// Those that lie in no other; refused where two overlap and neither holds the other.
Result<std::vector<Window>> outer_windows(std::vector<Window> windows) {
  std::stable_sort(windows.begin(), windows.end(), [](const Window& a, const Window& b) {
    return a.start != b.start ? a.start < b.start : a.seconds > b.seconds;
  });
  std::vector<Window> outer;
  for (const auto& window : windows) {
    if (outer.empty() || window.start >= outer.back().end() - k_clocks_agree_to) {
      outer.push_back(window);
    } else if (window.end() > outer.back().end() + k_clocks_agree_to) {
      return refuse(Errc::invalid_request, "windows overlap and neither holds the other: name the one that is the run");
    }
  }
  return outer;
}

EnergyFigure figure(EnergyBoundary boundary, double joules, double error, const char* method) {
  return {.boundary = boundary,
          .quality = EnergyQuality::measured,
          .energy = energy_of_joules(joules),
          .uncertainty = energy_of_joules(joules * error),
          .coverage = scheduler::k_one,
          .source = "zeus",
          .method = method};
}

void make_unknown(EnergyFigure& figure, const char* why) {
  figure.quality = EnergyQuality::unknown;
  figure.energy = Energy{};
  figure.uncertainty = Energy{};
  figure.complete = false;
  figure.notes.emplace_back(why);
}

ToolRun run_of(const std::vector<Window>& outer, std::size_t boards) {
  double joules = 0;
  double seconds = 0;
  bool unseen = boards == 0;
  for (const auto& window : outer) {
    joules += window.joules;
    seconds += window.seconds;
    unseen = unseen || window.unseen;
  }
  const double begin = outer.front().start;
  const double end = outer.back().end();
  ToolRun run{.seconds = end - begin};
  const auto first = static_cast<std::int64_t>(std::floor(begin));
  const auto last = std::max(first + 1, static_cast<std::int64_t>(std::ceil(end)));
  run.ran = Interval{Instant{std::chrono::seconds{first}}, Instant{std::chrono::seconds{last}}};
  auto& made = run.figures.emplace_back(
      figure(EnergyBoundary::board, joules, k_board_error, "Zeus windows: the boards' energy counters"));
  made.coverage = scheduler::ratio_from_number(std::min(1.0, seconds / (end - begin)));
  if (made.coverage.base() < k_whole_coverage) {
    made.quality = EnergyQuality::estimated;
    made.notes.emplace_back("between its windows nothing was measured");
    run.teaches = false;
  }
  if (unseen) {
    run.teaches = false;
    make_unknown(made, boards == 0 ? "no board was measured" : "a board reported 0 J: it was not seen");
  }
  return run;
}

/// The sum of an object of numbers, `unit` to J; nothing if it is absent, null or empty, or holds what is no energy.
std::optional<double> sum_of(const json::Value* object) {
  if (object == nullptr || !object->is_object() || object->empty()) return {};
  double sum = 0;
  for (const auto& [index, value] : object->items()) {
    const auto number = json::number(&value);
    if (number.state != RawNumber::State::number || number.value < 0) return {};
    sum += number.value;
  }
  return sum <= k_largest_joules ? std::optional{sum} : std::nullopt;
}

bool holds_zero(const json::Value* object) {
  return object != nullptr && object->is_object() &&
         std::any_of(object->begin(), object->end(), [](const json::Value& each) { return each == 0; });
}

using Counters = std::map<std::string, std::int64_t>;

/// Refused where the answer is no object by index.
Result<void> take_counters(std::string_view text, std::string_view member, Counters& into) {
  if (text.empty()) return {};
  const auto document = json::parse(text);
  if (!document) return tl::unexpected{document.error()};
  if (!document->is_object()) return refuse(Errc::invalid_request, "expected an object by index");
  for (const auto& [index, device] : document->items()) {
    const auto number = json::number(device, member);
    if (number.state == RawNumber::State::number && number.value >= 0 && number.value < 9e18) {
      into[index] = static_cast<std::int64_t>(number.value);
    }
  }
  return {};
}

/// Nothing where a counter fell or is not in both.
std::optional<double> risen(const Counters& before, const Counters& after) {
  if (before.empty() || before.size() != after.size()) return {};
  double sum = 0;
  for (const auto& [index, value] : before) {
    const auto later = after.find(index);
    if (later == after.end() || later->second < value) return {};
    sum += static_cast<double>(later->second - value);
  }
  return sum;
}

}  // namespace

Result<ToolRun> read_zeus_windows(std::istream& file, std::string_view window) {
  LineSource lines{file, k_longest_line};
  std::string_view line;
  if (!lines.next(line)) return refuse(Errc::invalid_request, "the file is empty");
  const std::string header{line};
  csv::Fields fields{k_most_columns};
  if (!fields.split(header)) return refuse(Errc::invalid_request, "there is no header line of CSV");
  const auto columns = columns_of(fields.all());
  if (!columns) return tl::unexpected{columns.error()};
  std::vector<Window> windows;
  while (lines.next(line)) {
    if (csv::trimmed(line).empty()) continue;
    const auto at = ":" + std::to_string(lines.number());
    if (lines.cut() || !fields.split(line) || fields.all().size() != columns->count) {
      return refuse(Errc::invalid_request, "the line does not have the fields of the header", at);
    }
    if (!window.empty() && fields.at(columns->name) != window) continue;
    const auto read = window_of(fields, *columns);
    if (!read) return refuse(Errc::invalid_request, "a time or an energy is no number within its limits", at);
    if (windows.size() == k_most_windows) return refuse(Errc::too_large, "more than 1,000,000 windows", at);
    windows.push_back(*read);
  }
  if (windows.empty()) return refuse(Errc::invalid_request, "there is no such window in the file");
  return outer_windows(std::move(windows)).map([&](const auto& outer) {
    return run_of(outer, columns->boards.size());
  });
}

Result<ToolRun> read_zeus_measurement(std::string_view body) {
  const auto document = json::parse(body);
  if (!document) return tl::unexpected{document.error()};
  const auto time = json::number(*document, "time");
  if (time.state != RawNumber::State::number || time.value <= 0 || time.value > k_longest_seconds) {
    return refuse(Errc::invalid_request, "time is no number of seconds above 0", "/time");
  }
  ToolRun run{.seconds = time.value};
  const json::Value* boards = json::member(*document, "gpu_energy");
  if (const auto joules = sum_of(boards)) {
    auto& made = run.figures.emplace_back(
        figure(EnergyBoundary::board, *joules, k_board_error, "Zeus measurement: the boards' energy counters"));
    if (holds_zero(boards)) make_unknown(made, "a board reported 0 J: it was not seen");
    run.boards = made.quality == EnergyQuality::unknown ? std::nullopt : std::optional{made.energy};
  }
  const auto processor = sum_of(json::member(*document, "cpu_energy"));
  const auto memory = sum_of(json::member(*document, "dram_energy"));
  if (processor) {
    run.figures.push_back(figure(EnergyBoundary::node, *processor + memory.value_or(0), k_counter_error,
                                 "Zeus measurement: RAPL of the machine's packages and memory, without boards"));
    run.processor = energy_of_joules(*processor);
    if (memory) run.memory = energy_of_joules(*memory);
  }
  if (run.figures.empty()) {
    auto& made = run.figures.emplace_back(figure(EnergyBoundary::board, 0, 0, "Zeus measurement"));
    make_unknown(made, "nothing was measured");
  }
  run.teaches = std::none_of(run.figures.begin(), run.figures.end(),
                             [](const auto& each) { return each.quality == EnergyQuality::unknown; });
  return run;
}

Result<ZeusdCounters> read_zeusd(std::string_view boards, std::string_view processors) {
  ZeusdCounters counters;
  return take_counters(boards, "energy_mj", counters.boards_millijoules)
      .and_then([&] { return take_counters(processors, "cpu_energy_uj", counters.processors_microjoules); })
      .and_then([&] { return take_counters(processors, "dram_energy_uj", counters.memories_microjoules); })
      .map([&] { return counters; });
}

ToolRun zeusd_difference(const ZeusdCounters& before, const ZeusdCounters& after, Interval between) {
  ToolRun run{.ran = between, .seconds = static_cast<double>(between.length().count())};
  if (!before.boards_millijoules.empty()) {
    const auto joules = risen(before.boards_millijoules, after.boards_millijoules);
    auto& made = run.figures.emplace_back(figure(EnergyBoundary::board, joules.value_or(0) / 1e3, k_board_error,
                                                 "zeusd: the boards' energy counters at start and end"));
    if (!joules) make_unknown(made, "a board's counter fell or vanished between the two looks");
  }
  if (!before.processors_microjoules.empty()) {
    const auto processor = risen(before.processors_microjoules, after.processors_microjoules);
    const bool with_memory = !before.memories_microjoules.empty();
    const auto memory =
        with_memory ? risen(before.memories_microjoules, after.memories_microjoules) : std::optional{0.0};
    auto& made = run.figures.emplace_back(
        figure(EnergyBoundary::node, (processor.value_or(0) + memory.value_or(0)) / 1e6, k_counter_error,
               "zeusd: RAPL of the machine's packages and memory at start and end, without boards"));
    if (!processor || !memory) make_unknown(made, "a counter fell or vanished between the two looks");
  }
  run.teaches = !run.figures.empty() && std::none_of(run.figures.begin(), run.figures.end(), [](const auto& each) {
    return each.quality == EnergyQuality::unknown;
  });
  return run;
}

}  // namespace valle::connectors::energy
