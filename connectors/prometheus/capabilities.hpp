// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

namespace valle::connectors::prometheus {

/// Kinds of exporters that a configuration may name under `energy.sources`.
inline constexpr std::string_view k_kepler_source = "kepler";
inline constexpr std::string_view k_dcgm_source = "dcgm";
inline constexpr std::string_view k_scaphandre_source = "scaphandre";

/// What the exporters behind a Prometheus offer, told by the names of their metrics: versions are of no help, for names
/// changed between them.
struct Capabilities {
  bool kepler = false;         ///< ≥ 0.10: by pod UID
  bool kepler_legacy = false;  ///< ≤ 0.9: by namespace, pod and container
  bool dcgm_energy = false;    ///< the board's counter
  bool dcgm_power = false;     ///< the board's gauge
  bool scaphandre = false;
  std::string vllm_tokens = {};              ///< the name of the token counter, as this Prometheus spells it
  std::vector<std::string> node_power = {};  ///< of management controllers, for calibration

  [[nodiscard]] bool any() const { return kepler || kepler_legacy || dcgm_energy || dcgm_power || scaphandre; }
  /// `kepler ≥ 0.10, dcgm energy counter`, for people.
  [[nodiscard]] std::string text() const;
  friend bool operator==(const Capabilities&, const Capabilities&) = default;
};

/// Selects the names that `capabilities_of` looks at.
[[nodiscard]] std::string_view capability_selector();

/// From the names of metrics, of the sources that are wanted; none named: all.
[[nodiscard]] Capabilities capabilities_of(std::span<const std::string> metric_names,
                                           std::span<const std::string> wanted_sources);

}  // namespace valle::connectors::prometheus
