// SPDX-License-Identifier: Apache-2.0
// valle calibrate: by how much a source of energy misses a wattmeter.
#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <ostream>

#include "connectors/csv/csv.hpp"
#include "connectors/energy_files/ptdaemon.hpp"
#include "scheduler/energy/calibration.hpp"
#include "scheduler/energy/words.hpp"
#include "service/cli/command.hpp"
#include "service/cli/input_file.hpp"
#include "service/runtime/config_values.hpp"

namespace valle::service::cli {

using namespace scheduler;
namespace csv = connectors::csv;

namespace {

constexpr std::size_t k_most_readings = 10'000;
constexpr std::size_t k_longest_file = 1u << 20;
constexpr double k_most_kwh = 1e9;

struct Flags {
  std::string wattmeter;
  std::string readings;
  std::string nodes;
  std::string source = "kepler";
  std::string boundary = "pod";
  std::string meter;
};

[[noreturn]] void refuse_line(const std::string& path, std::size_t line, const std::string& why) {
  throw CommandFailed{{Errc::invalid_request, why, path + ":" + std::to_string(line)}};
}

CalibrationWindow window_of(const csv::Fields& fields, const std::string& path, std::size_t line) {
  const auto start = parse_instant(fields.at(0)), end = parse_instant(fields.at(1));
  if (!start || !end) refuse_line(path, line, (start ? end : start).error().detail);
  if (*end <= *start) refuse_line(path, line, "end must lie after start");
  const auto kwh = runtime::parse_number_within(fields.at(2), {0, k_most_kwh});
  if (!kwh) refuse_line(path, line, "energy_kwh: " + kwh.error().detail);
  return {.window = {*start, *end}, .source = energy_from_kwh(*kwh), .wattmeter = {}};
}

/// `start,end,energy_kwh`, each line a window of steady load.
std::vector<CalibrationWindow> read_windows(const std::string& path) {
  const std::string text = whole_input(path, k_longest_file);
  constexpr std::array<std::string_view, 3> k_header{"start", "end", "energy_kwh"};
  std::vector<CalibrationWindow> windows;
  csv::Lines lines{text};
  bool header = true;
  for (std::string_view line; lines.next(line);) {
    if (csv::trimmed(line).empty()) continue;
    csv::Fields fields{k_header.size()};
    if (!fields.split(line) || fields.all().size() != k_header.size()) {
      refuse_line(path, lines.number(), "needs three columns: start,end,energy_kwh");
    }
    if (!header) {
      windows.push_back(window_of(fields, path, lines.number()));
    } else if (!std::equal(k_header.begin(), k_header.end(), fields.all().begin())) {
      refuse_line(path, lines.number(), "the first line must be start,end,energy_kwh");
    }
    header = false;
    if (windows.size() > k_most_readings) refuse_line(path, lines.number(), "more than 10,000 windows");
  }
  return windows;
}

EnergyBoundary boundary_of(const std::string& word) {
  for (const auto boundary : {EnergyBoundary::board, EnergyBoundary::pod}) {
    if (to_text(boundary) == word) return boundary;
  }
  throw CommandFailed{{Errc::invalid_request, "must be board or pod", "--boundary"}};
}

Exit calibrate_by(const Flags& flags, const Surroundings& surroundings) {
  const EnergyBoundary boundary = boundary_of(flags.boundary);
  auto windows = read_windows(flags.readings);
  std::ifstream file = open_input(flags.wattmeter);
  auto log = connectors::energy::read_ptdaemon(file);
  if (!log) throw CommandFailed{{log.error().code, log.error().detail, flags.wattmeter}};
  for (CalibrationWindow& each : windows) {
    const auto metered = metered_energy(log->samples, each.window);
    if (!metered) {
      throw CommandFailed{{Errc::invalid_request,
                           "the wattmeter has no reading for nine of ten seconds from " +
                               format_instant(each.window.begin) + " to " + format_instant(each.window.end),
                           flags.wattmeter}};
    }
    each.wattmeter = *metered;
    surroundings.out << format_instant(each.window.begin) << "  " << each.window.length().count() << " s  "
                     << flags.source << " " << kwh(each.source) << " kWh  wattmeter " << kwh(each.wattmeter)
                     << " kWh\n";
  }
  const auto made = must(calibrate(windows, flags.nodes, flags.source, boundary, flags.meter));
  surroundings.out << "\nenergy:\n  calibration:\n    - {nodes: \"" << made.node_type << "\", source: " << made.source
                   << ", boundary: " << flags.boundary << ", factor: " << number(made.factor)
                   << ", residualPercent: " << number(made.residual) * 100 << ", meter: \"" << made.meter
                   << "\", made: " << format_instant(made.made) << "}\n";
  if (log->invalid + log->repeated > 0) {
    surroundings.err << "valle: " << log->invalid << " invalid and " << log->repeated
                     << " repeated readings of the wattmeter were passed over\n";
  }
  return Exit::done;
}

}  // namespace

void add_calibrate(CLI::App& app, Action& chosen) {
  auto flags = std::make_shared<Flags>();
  auto* command = app.add_subcommand(
      "calibrate",
      "by how much a source of energy misses a wattmeter, as lines for the configuration\n\n"
      "  valle calibrate --wattmeter spl.txt --readings readings.csv --nodes 'gpu-*' --meter 'WT310E, 2026-11'\n"
      "Keep one machine steadily busy with nothing else on it, at least three times for a minute or more, at several\n"
      "loads, while a wattmeter at its inlet writes PTDaemon's spl.txt. readings.csv holds start,end,energy_kwh of "
      "the\n"
      "same windows as the source gives them (valle measure). What is between the two is the power supply, fans and\n"
      "disks: the factor makes the source's figures those of the inlet.");
  command->add_option("--wattmeter", flags->wattmeter, "MLPerf Power's spl.txt, in UTC")->required();
  command->add_option("--readings", flags->readings, "CSV: start,end,energy_kwh")->required();
  command->add_option("--nodes", flags->nodes, "names of the machines of this type; * at the end: those that begin so")
      ->required();
  command->add_option("--source", flags->source, "the source that is calibrated")->capture_default_str();
  command->add_option("--boundary", flags->boundary, "of its figures: pod or board")->capture_default_str();
  command->add_option("--meter", flags->meter, "the wattmeter, for the report's method block")->required();
  command->callback([&chosen, flags] {
    chosen = [flags](const Surroundings& surroundings) { return calibrate_by(*flags, surroundings); };
  });
}

}  // namespace valle::service::cli
