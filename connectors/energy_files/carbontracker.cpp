// SPDX-License-Identifier: Apache-2.0
#include "connectors/energy_files/carbontracker.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "connectors/csv/csv.hpp"
#include "connectors/energy_files/limits.hpp"
#include "connectors/energy_files/number_text.hpp"

namespace valle::connectors::energy {
namespace {

using scheduler::Duration;
using scheduler::EnergyBoundary;
using scheduler::EnergyFigure;
using scheduler::EnergyQuality;
using scheduler::Errc;
using scheduler::refuse;
using scheduler::Result;

constexpr double k_fixed_pue = 1.58;
// Power polled every ten seconds misses most of a board's run time, an assumed one all of it.
constexpr double k_error = 0.40;
constexpr std::size_t k_stamp_length = 19;  // YYYY-MM-DD hh:mm:ss

std::optional<std::int64_t> whole(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{} || end != text.data() + text.size() || value < 0) return {};
  return value;
}

/// `H:MM:SS`, hours without end.
std::optional<Duration> clock_time(std::string_view text) {
  const auto first = text.find(':');
  const auto second = text.find(':', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos) return {};
  const auto hours = whole(text.substr(0, first));
  const auto minutes = whole(text.substr(first + 1, second - first - 1));
  const auto seconds = whole(text.substr(second + 1));
  if (!hours || !minutes || !seconds || *minutes > 59 || *seconds > 59 ||
      static_cast<double>(*hours) > k_longest_seconds / 3600)
    return {};
  return Duration{*hours * 3600 + *minutes * 60 + *seconds};
}

/// What follows `word` in the line, if it holds it.
std::optional<std::string_view> after(std::string_view line, std::string_view word) {
  const auto at = line.find(word);
  if (at == std::string_view::npos) return {};
  return line.substr(at + word.size());
}

struct Block {
  std::size_t line = 0;
  std::string stamp;
  std::int64_t epochs = 0;
  std::optional<Duration> time = {};
  std::optional<double> kwh = {};
};

/// The actual blocks, whatever else stands in the log.
std::vector<Block> actual_blocks(std::string_view text) {
  std::vector<Block> blocks;
  std::string stamp;
  bool inside = false;
  csv::Lines lines{text};
  std::string_view line;
  while (lines.next(line)) {
    const bool stamped = line.size() > k_stamp_length + 2 && line.substr(k_stamp_length).starts_with(" - ");
    if (stamped) {
      stamp = line.substr(0, k_stamp_length);
      inside = false;
    }
    if (line.find("consumption for ") != std::string_view::npos) {
      const auto rest = after(line, "Actual consumption for ");
      inside = rest.has_value();
      if (!rest) continue;
      const auto epochs = whole(rest->substr(0, rest->find(' ')));
      blocks.push_back({.line = lines.number(), .stamp = stamp, .epochs = epochs.value_or(0)});
    } else if (inside) {
      if (const auto time = after(line, "Time:")) blocks.back().time = clock_time(csv::trimmed(*time));
      if (const auto energy = after(line, "Energy:")) {
        const auto amount = csv::trimmed(*energy);
        if (amount.ends_with("kWh")) blocks.back().kwh = number_of(amount.substr(0, amount.size() - 3));
      }
    }
  }
  return blocks;
}

/// Of one component in two or more epochs the same power to all digits: nobody measured it.
bool power_was_assumed(std::string_view standard_log) {
  std::map<std::string, std::pair<int, std::set<std::string>>> powers;  // by component
  csv::Lines lines{standard_log};
  std::string_view line;
  while (lines.next(line)) {
    const auto rest = after(line, "Average power usage (W) for ");
    if (!rest) continue;
    const auto colon = rest->find(": ");
    if (colon == std::string_view::npos) continue;
    auto& [count, values] = powers[std::string{rest->substr(0, colon)}];
    ++count;
    values.insert(std::string{rest->substr(colon + 2)});
  }
  return std::any_of(powers.begin(), powers.end(),
                     [](const auto& each) { return each.second.first > 1 && each.second.second.size() == 1; });
}

EnergyBoundary boundary_of(std::string_view log) {
  const auto components = after(log, "The following components were found:");
  if (!components) return EnergyBoundary::node;
  const auto line = components->substr(0, components->find('\n'));
  const bool boards_alone =
      line.find("GPU with") != std::string_view::npos && line.find("CPU with") == std::string_view::npos;
  return boards_alone ? EnergyBoundary::board : EnergyBoundary::node;
}

Result<ToolRun> run_of(const Block& block, const LocalClock& clock) {
  if (!block.time || *block.time <= Duration{0}) return refuse(Errc::invalid_request, "the block has no time");
  if (!block.kwh || *block.kwh < 0 || *block.kwh > k_largest_kwh) {
    return refuse(Errc::invalid_request, "the block has no energy in kWh");
  }
  if (*block.kwh == 0) return refuse(Errc::invalid_request, "0 kWh: the reading failed");
  const auto end = clock.read(block.stamp);
  if (!end) return refuse(Errc::invalid_request, "the block's time: " + end.error().detail);
  ToolRun run{.ran = scheduler::Interval{end->at - *block.time, end->at},
              .seconds = static_cast<double>(block.time->count()),
              .epochs = block.epochs,
              .line = block.line};
  const auto energy = scheduler::energy_from_kwh(*block.kwh / k_fixed_pue);
  run.figures = {{.quality = EnergyQuality::estimated,
                  .energy = energy,
                  .uncertainty = scheduler::energy_from_kwh(*block.kwh / k_fixed_pue * k_error),
                  .coverage = scheduler::k_one,
                  .source = "carbontracker",
                  .method = "CarbonTracker's actual consumption, divided by its PUE of 1.58"}};
  if (end->ambiguous) run.figures.front().notes.push_back("clocks showed the time of its end twice");
  return run;
}

}  // namespace

Result<ReadSummary> read_carbontracker(std::string_view output_log, std::string_view standard_log,
                                       const LocalClock& clock, const TakeRun& take) {
  if (output_log.size() > k_largest_log || standard_log.size() > k_largest_log) {
    return refuse(Errc::too_large, "a log of more than 16 MiB");
  }
  if (output_log.find("consumption for ") == std::string_view::npos) {
    return refuse(Errc::invalid_request, "no block of consumption: give the file …_carbontracker_output.log");
  }
  ReadSummary summary;
  const bool assumed = power_was_assumed(standard_log);
  const EnergyBoundary boundary = boundary_of(output_log);
  for (const auto& block : actual_blocks(output_log)) {
    auto run = run_of(block, clock);
    if (!run) {
      summary.refuse(block.line, run.error().detail);
      continue;
    }
    auto& figure = run->figures.front();
    figure.boundary = boundary;
    if (assumed) figure.notes.push_back("the power was assumed, not measured: the same in every epoch");
    ++summary.taken;
    take(*std::move(run));
  }
  return summary;
}

}  // namespace valle::connectors::energy
