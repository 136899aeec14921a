// SPDX-License-Identifier: Apache-2.0
#include "scheduler/model/plan.hpp"

namespace valle::scheduler {

std::string_view to_text(UnplacedCode code) {
  switch (code) {
    case UnplacedCode::window_too_short: return "window-too-short";
    case UnplacedCode::no_capacity: return "no-capacity";
    case UnplacedCode::no_site: return "no-site";
    case UnplacedCode::contention: return "contention";
  }
  return "";
}

}  // namespace valle::scheduler
