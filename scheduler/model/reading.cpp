// SPDX-License-Identifier: Apache-2.0
#include "scheduler/model/reading.hpp"

namespace valle::scheduler {

std::string_view to_text(ReadingKind kind) { return kind == ReadingKind::measured ? "measured" : "forecast"; }

std::string_view to_text(GridQuantity quantity) {
  switch (quantity) {
    case GridQuantity::demand: return "demand";
    case GridQuantity::wind: return "wind";
    case GridQuantity::solar: return "solar";
  }
  return "";
}

std::string_view to_text(RejectionReason reason) {
  switch (reason) {
    case RejectionReason::missing: return "missing";
    case RejectionReason::zero: return "zero";
    case RejectionReason::implausible: return "implausible";
    case RejectionReason::not_a_number: return "not-a-number";
    case RejectionReason::wrong_zone: return "wrong-zone";
    case RejectionReason::sandbox: return "sandbox";
    case RejectionReason::bad_time: return "bad-time";
    case RejectionReason::incomplete: return "incomplete";
    case RejectionReason::unknown_unit: return "unknown-unit";
    case RejectionReason::wrong_identity: return "wrong-identity";
    case RejectionReason::stale: return "stale";
  }
  return "";
}

}  // namespace valle::scheduler
