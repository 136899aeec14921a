// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "scheduler/ports/energy_meter.hpp"
#include "service/api/json_reader.hpp"
#include "service/api/json_writer.hpp"

namespace valle::service::api {

/// An attempt to be measured by hand, outside of the ledger.
struct AskedAttempt {
  std::string id;
  scheduler::MeterQuestion question;
};

/// Reads `{"runs":[{"id","start","end","pods":[{"uid","namespace","name","node","gpuUuids","start","end"}]}]}`; a pod
/// without instants ran as long as the run. At most 100,000 runs. Refused with the pointer of what is wrong.
[[nodiscard]] scheduler::Result<std::vector<AskedAttempt>> read_asked_attempts(const Json& document);

/// A figure with all that stands beside it; numbers of an unknown quality are null.
void write_figure(JsonWriter& json, const scheduler::EnergyFigure& figure);

}  // namespace valle::service::api
