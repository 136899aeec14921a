// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scheduler/energy/figure.hpp"
#include "scheduler/model/error.hpp"

namespace valle::scheduler {

/// One reading of a wattmeter at a machine's inlet.
struct WattSample {
  std::chrono::sys_time<std::chrono::milliseconds> at{};
  Power power;
  friend bool operator==(const WattSample&, const WattSample&) = default;
};

/// The wattmeter's energy over a window: the mean of the samples strictly inside that are above 0, times its length
/// (MLPerf Power's rule). Nothing where fewer than nine of ten seconds have a sample. `samples` in order of time.
[[nodiscard]] std::optional<Energy> metered_energy(std::span<const WattSample> samples, Interval window);

/// What a source and the wattmeter say of the same window of steady load.
struct CalibrationWindow {
  Interval window;
  Energy source;
  Energy wattmeter;
};

/// By how much a source misses the wattmeter on machines of one type.
struct Calibration {
  std::string node_type;  ///< `node.kubernetes.io/instance-type`, or what people call it
  std::string source;     ///< `kepler`, `ipmi`, …
  EnergyBoundary boundary = EnergyBoundary::node;
  Ratio factor = k_one;  ///< wattmeter ÷ source
  Ratio residual;        ///< the largest relative error that is left in a window after the factor
  std::size_t windows = 0;
  Instant made{};     ///< end of the last window
  std::string meter;  ///< the wattmeter, for the method block
  friend bool operator==(const Calibration&, const Calibration&) = default;
};

inline constexpr std::size_t k_fewest_calibration_windows = 3;

/// Factor = Σ wattmeter ÷ Σ source; residual = the worst window. Refused: fewer than three windows of at least a
/// minute, a window in which either says nothing, and a factor outside 0.5…3, which is a wrong machine or unit and no
/// calibration.
[[nodiscard]] Result<Calibration> calibrate(std::span<const CalibrationWindow> windows, std::string node_type,
                                            std::string source, EnergyBoundary boundary, std::string meter);

/// The figure as the wattmeter would have shown it: energy, idle, uncertainty and profile times the factor, the
/// residual added to the uncertainty, and a note that says so. Figures of another source or boundary, of unknown
/// quality, and calibrated ones are returned as they are.
[[nodiscard]] EnergyFigure calibrated(EnergyFigure figure, const Calibration& calibration);

}  // namespace valle::scheduler
