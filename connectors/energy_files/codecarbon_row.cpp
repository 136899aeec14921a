// SPDX-License-Identifier: Apache-2.0
#include "connectors/energy_files/codecarbon_row.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <string>

#include "connectors/energy_files/limits.hpp"
#include "scheduler/energy/estimate.hpp"

namespace valle::connectors::energy {
namespace {

using scheduler::Duration;
using scheduler::Energy;
using scheduler::EnergyBoundary;
using scheduler::EnergyFigure;
using scheduler::EnergyQuality;
using scheduler::Errc;
using scheduler::refuse;
using scheduler::Result;

constexpr double k_largest_pue = 10;
constexpr double k_parts_agree_to = 0.01;  // of the whole; the tool rounds each part
constexpr double k_rounding_kwh = 1e-9;

// Mean power against energy ÷ duration: the tool's mean weighs its last, short sample like the others, so that with few
// samples healthy rows differ by a quarter.
constexpr double k_samples_for_narrow_test = 10;
constexpr double k_narrow_disagreement = 1.2;
constexpr double k_wide_disagreement = 2.0;

// What the tool takes where it can read neither RAPL nor the DIMMs: a constant for memory, watts for each busy thread.
constexpr std::array k_constant_memory_watts{10.0, 20.0};
constexpr double k_modelled_watts_per_thread = 4.0;

// Half widths: the boards' own counters; RAPL; models, which missed a wattmeter by up to 40 %.
constexpr double k_board_error = 0.05;
constexpr double k_counter_error = 0.10;
constexpr double k_model_error = 0.40;
constexpr double k_modelled_share_of_a_measurement = 0.20;

double joules(double kwh) { return kwh * 3.6e6; }

std::string short_number(double value) {
  std::array<char, 32> text{};
  (void)std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

/// Version 3.3.2 or later: its power columns hold the PUE. Nothing where the text is no version.
std::optional<bool> power_holds_pue(std::string_view version) {
  std::array<int, 3> parts{};
  for (auto& part : parts) {
    const auto [end, fault] = std::from_chars(version.data(), version.data() + version.size(), part);
    if (fault != std::errc{}) return {};
    version.remove_prefix(static_cast<std::size_t>(end - version.data()));
    if (version.starts_with('.')) version.remove_prefix(1);
  }
  return parts >= std::array{3, 3, 2};
}

/// By what the power columns are to be divided. Where the version does not say, memory does: its power is constant.
double power_divisor(const CodeCarbonRow& row, double pue) {
  if (const auto known = power_holds_pue(row.version)) return *known ? pue : 1.0;
  if (!row.memory_power || !row.memory_energy || *row.memory_energy <= 0) return 1.0;
  const double watts = joules(*row.memory_energy) / pue / *row.duration;
  return std::abs(*row.memory_power / pue - watts) < std::abs(*row.memory_power - watts) ? pue : 1.0;
}

/// How many times larger the one is than the other, whichever is larger; 1 where either is not known.
double disagreement(std::optional<double> power, std::optional<double> energy, double seconds) {
  if (!power || !energy || *power <= 0 || *energy <= 0) return 1.0;
  const double ratio = joules(*energy) / (*power * seconds);
  return std::max(ratio, 1 / ratio);
}

Result<void> check_numbers(const CodeCarbonRow& row, double pue, std::chrono::seconds sampling) {
  const auto wrong = [](std::string why) { return refuse(Errc::invalid_request, std::move(why)); };
  if (!row.duration || *row.duration <= 0 || *row.duration > k_longest_seconds) {
    return wrong("duration is no number of seconds above 0");
  }
  if (!row.energy || *row.energy < 0 || *row.energy > k_largest_kwh) {
    return wrong("energy_consumed is no energy in kWh");
  }
  if (!(pue >= 1 && pue <= k_largest_pue)) return wrong("pue is not between 1 and 10");
  double parts = 0;
  for (const auto& part : {row.processor_energy, row.board_energy, row.memory_energy}) {
    if (part && *part < 0) return wrong("an energy is negative");
    parts += part.value_or(0);
  }
  const bool all_parts = row.processor_energy && row.board_energy && row.memory_energy;
  const double apart = std::abs(parts - *row.energy);
  if (all_parts && apart > k_rounding_kwh && apart > k_parts_agree_to * std::max(parts, *row.energy)) {
    return wrong("cpu_energy, gpu_energy and ram_energy do not add up to energy_consumed: are columns shifted?");
  }
  if (*row.energy == 0 && *row.duration > static_cast<double>(sampling.count())) {
    return wrong("0 kWh for a run longer than the sampling interval: the reading failed");
  }
  return {};
}

struct Parts {
  double processor = 0;  // kWh before PUE
  double boards = 0;
  double memory = 0;
  bool processor_modelled = false;
  [[nodiscard]] double whole() const { return processor + boards + memory; }
  [[nodiscard]] double modelled() const { return memory + (processor_modelled ? processor : 0); }
  [[nodiscard]] double error() const {
    return boards * k_board_error + (processor_modelled ? 0 : processor * k_counter_error) + modelled() * k_model_error;
  }
};

bool processor_is_modelled(const CodeCarbonRow& row, double divisor) {
  if (!row.memory_power || !row.processor_power || !row.processors) return true;
  const double memory_watts = *row.memory_power / divisor;
  const bool constant = std::any_of(k_constant_memory_watts.begin(), k_constant_memory_watts.end(),
                                    [&](double each) { return std::abs(memory_watts - each) < 0.01; });
  return constant && *row.processor_power / divisor <= k_modelled_watts_per_thread * *row.processors;
}

EnergyFigure figure_of(const CodeCarbonRow& row, const Parts& parts, double pue, const CodeCarbonOptions& options) {
  const bool process = row.tracking_mode == "process";
  EnergyFigure figure{.boundary = process ? EnergyBoundary::pod : EnergyBoundary::node,
                      .energy = scheduler::energy_from_kwh(*row.energy / pue),
                      .coverage = scheduler::k_one,
                      .source = "codecarbon",
                      .sampling = options.sampling};
  const double whole = parts.whole();
  const bool modelled = whole <= 0 || parts.modelled() > k_modelled_share_of_a_measurement * whole;
  figure.quality = modelled ? EnergyQuality::estimated : EnergyQuality::measured;
  const double error = whole > 0 ? parts.error() / whole : k_model_error;
  figure.uncertainty = scheduler::energy_from_kwh(*row.energy / pue * error);
  figure.method = "CodeCarbon " + (row.version.empty() ? "of an unknown version" : row.version) +
                  (process ? ", of the process, boards as a whole" : ", of the machine") + ", divided by its PUE of " +
                  short_number(pue);
  if (parts.processor_modelled) figure.notes.push_back("processor modelled from its load, memory a constant");
  if (!row.pue) figure.notes.push_back("no column pue: taken for 1");
  return figure;
}

}  // namespace

Result<ToolRun> run_of(const CodeCarbonRow& row, const CodeCarbonOptions& options,
                       std::optional<scheduler::Instant> not_before) {
  const double pue = row.pue.value_or(1.0);
  if (const auto fine = check_numbers(row, pue, options.sampling); !fine) return tl::unexpected{fine.error()};
  const auto stamp = options.clock.read(row.timestamp, not_before);
  if (!stamp) return refuse(Errc::invalid_request, "timestamp: " + stamp.error().detail);

  const double divisor = power_divisor(row, pue);
  const Parts parts{.processor = row.processor_energy.value_or(0) / pue,
                    .boards = row.board_energy.value_or(0) / pue,
                    .memory = row.memory_energy.value_or(0) / pue,
                    .processor_modelled = processor_is_modelled(row, divisor)};
  const auto whole_seconds = Duration{std::max<std::int64_t>(1, std::llround(*row.duration))};
  ToolRun run{.id = row.run_id,
              .project = row.project,
              .ran = scheduler::Interval{stamp->at - whole_seconds, stamp->at},
              .seconds = *row.duration,
              .figures = {figure_of(row, parts, pue, options)},
              .memory = scheduler::energy_from_kwh(parts.memory)};
  EnergyFigure& figure = run.figures.front();
  if (row.processor_energy) run.processor = scheduler::energy_from_kwh(parts.processor);
  if (row.board_energy) run.boards = scheduler::energy_from_kwh(parts.boards);
  if (stamp->ambiguous) figure.notes.push_back("clocks showed the time of its end twice");

  // A board without a counter reports 0; one that is only switched on draws tens of watts.
  if (row.boards.value_or(0) > 0 && parts.boards <= 0) {
    run.partial = figure.energy;
    run.boards.reset();
    run.teaches = false;
    figure.quality = EnergyQuality::unknown;
    figure.energy = Energy{};
    figure.uncertainty = Energy{};
    figure.complete = false;
    figure.notes.push_back("its boards report no energy: only processor and memory were seen, " +
                           short_number(*row.energy / pue) + " kWh");
  }
  const double allowed = *row.duration >= k_samples_for_narrow_test * static_cast<double>(options.sampling.count())
                             ? k_narrow_disagreement
                             : k_wide_disagreement;
  const auto undone = [divisor](std::optional<double> power) {
    return power ? std::optional{*power / divisor} : std::nullopt;
  };
  const double most = std::max({disagreement(undone(row.processor_power), parts.processor, *row.duration),
                                disagreement(undone(row.board_power), parts.boards, *row.duration),
                                disagreement(undone(row.memory_power), parts.memory, *row.duration)});
  if (most > allowed) {
    run.teaches = false;
    figure.notes.push_back(std::string{scheduler::k_not_for_estimates} + ": power and energy disagree by a factor of " +
                           short_number(most));
  }
  return run;
}

}  // namespace valle::connectors::energy
