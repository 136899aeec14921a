// SPDX-License-Identifier: Apache-2.0
#include "scheduler/energy/words.hpp"

namespace valle::scheduler {

std::string_view to_text(EnergyBoundary boundary) {
  switch (boundary) {
    case EnergyBoundary::board: return "board";
    case EnergyBoundary::pod: return "pod";
    case EnergyBoundary::node: return "node";
    case EnergyBoundary::wall: return "wall";
    case EnergyBoundary::job: return "job";
  }
  return "";
}

std::string_view to_text(EnergyQuality quality) {
  switch (quality) {
    case EnergyQuality::measured: return "measured";
    case EnergyQuality::estimated: return "estimated";
    case EnergyQuality::unknown: return "unknown";
  }
  return "";
}

std::string_view to_text(MeterOutcome outcome) {
  switch (outcome) {
    case MeterOutcome::measured: return "measured";
    case MeterOutcome::no_data: return "no-data";
    case MeterOutcome::unavailable: return "unavailable";
    case MeterOutcome::refused: return "refused";
  }
  return "";
}

}  // namespace valle::scheduler
