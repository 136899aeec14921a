// SPDX-License-Identifier: Apache-2.0
#include "service/report/words.hpp"

namespace valle::service::report {

using namespace scheduler;

std::string_view to_text(Assessment assessment) {
  switch (assessment) {
    case Assessment::assessed: return "assessed";
    case Assessment::energy_unknown: return "energy-unknown";
    case Assessment::site_unknown: return "site-unknown";
    case Assessment::no_intensity: return "no-realised-intensity";
    case Assessment::no_home_intensity: return "no-realised-intensity-of-the-baseline";
  }
  return "";
}

std::string_view to_text(AttemptOutcome outcome) {
  switch (outcome) {
    case AttemptOutcome::running: return "running";
    case AttemptOutcome::finished: return "finished";
    case AttemptOutcome::failed: return "failed";
    case AttemptOutcome::evicted: return "evicted";
  }
  return "";
}

}  // namespace valle::service::report
